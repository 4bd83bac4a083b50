/*
 * What a run reaches of the changes between two builds, by the functions that it executed and what
 * these refer to (build_walk.c).
 */
#include "code/build_changes.h"

#include "base/mem.h"
#include "base/text.h"
#include "code/build_changes_internal.h"

#include <stdlib.h>
#include <string.h>

/*
 * The part of the run that counts.
 */

/* Functions that were not executed are not followed; where that cannot be seen, all are. */
static bool
follows_unmarked(const struct walk *walk, size_t function, bool called)
{
	(void)called;
	return !walk->changes->functions[function].marked && !walk->side->functions[function].stub;
}

/* Of a run that may be another next time. */
static bool
follows_all(const struct walk *walk, size_t function, bool called)
{
	(void)called;
	return !walk->side->functions[function].stub;
}

static const char *
name_of(const struct walk *walk, size_t function)
{
	return walk->side->functions[function].name;
}

/* Judges the functions that the walk has entered: *reach has the first one that decides. */
static void
judge_functions(const struct walk *walk, struct build_reach *reach)
{
	size_t unread = SIZE_MAX;

	for (size_t i = 0; i < walk->side->nfunctions; i++) {
		const struct side_function *function = &walk->side->functions[i];

		if (!walk->entered[i])
			continue;
		reach->nexecuted++;
		if (function->changed && reach->nchanged++ == 0)
			reach->what = function->name;
		if (!function->read && unread == SIZE_MAX)
			unread = i;
	}
	if (reach->nchanged > 0) {
		reach->kind = REACH_CODE;
	} else if (unread != SIZE_MAX) {
		reach->kind = REACH_UNKNOWN;
		reach->what = name_of(walk, unread);
	}
}

/* The first changed object that the walk has met, or that each thread has of its own. */
static const char *
changed_object(const struct walk *walk)
{
	for (size_t i = 0; i < walk->side->objects.count; i++) {
		const struct data_object *object = &walk->side->objects.objects[i];

		if (object->changed &&
			(walk->objects[i] || strcmp(object->section->name, ".tdata") == 0))
			return object->name;
	}
	return NULL;
}

/*
 * What ran ahead of it: constructors and main().
 */

static bool
is_registration(const struct build_use *use, const char *name)
{
	return use->registration && text_begins(name, use->registration);
}

/* Of the later build: what was executed ahead of the part that counts. */
static bool
follows_executed(const struct walk *walk, size_t function, bool called)
{
	(void)called;
	return (walk->use->before[function] || follows_unmarked(walk, function, called)) &&
	       !is_registration(walk->use, name_of(walk, function));
}

/* Whether a function of this name was executed ahead in the later build, or is not in it. */
static bool
is_executed_after(const struct walk *walk, const char *name)
{
	const struct build_side_code *after = &walk->changes->sides[BUILD_AFTER];
	size_t count;
	const struct code_function *named = code_inventory_find(&after->inventory, name, &count);
	bool executed = !named;

	for (size_t i = 0; i < count && !executed; i++) {
		const size_t function = side_function_at(after, named[i].address);

		executed = function != SIZE_MAX && walk->use->before[function];
	}
	return executed;
}

/* Of the earlier build, of which no run is known: all that is called. */
static bool
follows_called(const struct walk *walk, size_t function, bool called)
{
	const char *name = name_of(walk, function);

	return !is_registration(walk->use, name) && (called || is_executed_after(walk, name));
}

/* The functions that a build begins with. */
struct entries {
	size_t *functions;
	size_t count;
	size_t capacity;
};

static void
add_entry(struct entries *entries, size_t function)
{
	for (size_t i = 0; i < entries->count; i++)
		if (entries->functions[i] == function)
			return;
	entries->functions = mem_grow(entries->functions, &entries->capacity, entries->count + 1,
		sizeof(*entries->functions));
	entries->functions[entries->count++] = function;
}

/* Adds the functions that a section lists. */
static void
add_listed(struct entries *entries, const struct build_side_code *side, const char *name)
{
	struct code_image *image = (struct code_image *)&side->inventory.image;

	for (size_t i = 0; i < image->nsections; i++) {
		const struct code_section *section = &image->sections[i];

		if (strcmp(section->name, name) != 0)
			continue;
		for (uint64_t at = 0; at + sizeof(uint64_t) <= section->size;
			at += sizeof(uint64_t)) {
			const struct code_slot *slot =
				code_image_slot(image, section->address + at);
			const unsigned char *bytes = code_section_bytes(
				section, section->address + at, sizeof(uint64_t));
			uint64_t address = 0;

			if (slot)
				address = (uint64_t)slot->addend;
			else if (bytes)
				memcpy(&address, bytes, sizeof(address));
			const size_t function = side_function_at(side, address);

			if (function != SIZE_MAX)
				add_entry(entries, function);
		}
	}
}

static void
find_entries(struct entries *entries, const struct build_side_code *side)
{
	size_t count;
	const struct code_function *named = code_inventory_find(&side->inventory, "main", &count);

	*entries = (struct entries){0};
	add_listed(entries, side, ".preinit_array");
	add_listed(entries, side, ".init_array");
	for (size_t i = 0; i < count; i++)
		add_entry(entries, side_function_at(side, named[i].address));
}

struct start {
	const struct build_changes *changes;
	const struct build_use *use;
	const struct walk *within;
	struct entries entries[BUILD_SIDES];
	bool *covered;   /* by function of the later build: some entry leads to it */
	bool registered; /* by an entry that did not change */
	bool any;        /* an entry changed, or what it leads to */
	struct build_reach *reach;
};

static void
blame(struct start *start, const char *what)
{
	if (start->reach->kind != REACH_NOTHING)
		return;
	start->reach->kind = REACH_START;
	start->reach->what = what;
}

/* Whether the part that counts leads to a variable of this name. */
static bool
shares(const struct walk *within, const struct data_object *object)
{
	static const char handle[] = "__dso_handle";

	if (!data_object_is_state(object) || strcmp(object->name, handle) == 0)
		return false;
	for (size_t i = 0; i < within->side->objects.count; i++) {
		const struct data_object *other = &within->side->objects.objects[i];

		if (within->objects[i] && other->name_len == object->name_len &&
			memcmp(other->name, object->name, object->name_len) == 0)
			return true;
	}
	return false;
}

/* Whether the walk has a changed function, or leads to changed data. */
static bool
is_changed(const struct walk *walk)
{
	for (size_t i = 0; i < walk->side->nfunctions; i++)
		if (walk->entered[i] &&
			(walk->side->functions[i].changed || !walk->side->functions[i].read))
			return true;
	return changed_object(walk) != NULL;
}

/* Blames what an entry that changed may have set: a variable of the part that counts. */
static void
judge_entry(struct start *start, const struct walk *walk, const char *entry)
{
	if (walk->external) {
		blame(start, entry);
		return;
	}
	for (size_t i = 0; i < walk->side->objects.count; i++)
		if (walk->objects[i] && shares(start->within, &walk->side->objects.objects[i])) {
			blame(start, entry);
			return;
		}
}

/*
 * Whether the benchmark's name is that of its function: then it is registered by that, whatever
 * else changed beside it. "BM_Sort<int>/8" is that of BM_Sort<int>, and "Tree/Insert/8" that of
 * Tree_Insert_Benchmark::BenchmarkCase, a fixture's.
 */
static bool
is_named_after(const char *name, const char *function)
{
	const size_t len = strcspn(name, "/");
	const char *end = function + strlen(function);
	const bool has_more = name[len] == '/';
	char *fixture = has_more ? mem_printf("%.*s_%.*s_Benchmark::", (int)len, name,
					   (int)strcspn(name + len + 1, "/"), name + len + 1)
				 : NULL;
	const bool of_fixture = fixture && strstr(function, fixture);

	free(fixture);
	return of_fixture ||
	       (len > 0 && (size_t)(end - function) >= len && memcmp(end - len, name, len) == 0 &&
		       (end - len == function || strchr(": ", end[-(ptrdiff_t)len - 1])));
}

/* Whether a name in the walk is one that hands the benchmark further functions of its own. */
static bool
sets_up(const struct walk *walk)
{
	for (size_t i = 0; i < walk->side->nfunctions; i++)
		if (walk->entered[i]) {
			const struct side_function *function = &walk->side->functions[i];

			for (size_t k = 0; k < function->count; k++) {
				const uint64_t to =
					walk->side->references[function->first + k].address;
				const size_t called = side_function_at(walk->side, to);
				const char *name = called == SIZE_MAX ? "" : name_of(walk, called);

				if (is_registration(walk->use, name) &&
					(strstr(name, "Benchmark::Setup") ||
						strstr(name, "Benchmark::Teardown")))
					return true;
			}
		}
	return false;
}

static void
judge_after(struct start *start)
{
	const struct build_side_code *after = &start->changes->sides[BUILD_AFTER];
	const struct entries *entries = &start->entries[BUILD_AFTER];

	for (size_t i = 0; i < entries->count; i++) {
		struct walk walk;

		walk_init(&walk, start->changes, BUILD_AFTER, start->use, follows_executed);
		walk_enter(&walk, entries->functions[i]);
		walk_on(&walk);
		for (size_t k = 0; k < after->nfunctions; k++)
			start->covered[k] = start->covered[k] || walk.entered[k];
		const bool changed = is_changed(&walk);
		const bool registers = walk.taken[start->use->root];

		start->any = start->any || changed;
		start->registered = start->registered || (registers && !changed);
		if (changed)
			judge_entry(start, &walk, name_of(&walk, entries->functions[i]));
		if (changed && registers && sets_up(&walk))
			blame(start, name_of(&walk, entries->functions[i]));
		walk_release(&walk);
	}
}

/* The entry of this name in the later build; SIZE_MAX: there is none. */
static size_t
entry_named(const struct start *start, const char *name)
{
	const struct entries *entries = &start->entries[BUILD_AFTER];
	const struct build_side_code *after = &start->changes->sides[BUILD_AFTER];

	for (size_t i = 0; i < entries->count; i++)
		if (strcmp(after->functions[entries->functions[i]].name, name) == 0)
			return entries->functions[i];
	return SIZE_MAX;
}

/* Entries of the earlier build that are gone, or lead to what changed. */
static void
judge_before(struct start *start)
{
	const struct entries *entries = &start->entries[BUILD_BEFORE];

	for (size_t i = 0; i < entries->count && start->reach->kind == REACH_NOTHING; i++) {
		const struct side_function *entry =
			&start->changes->sides[BUILD_BEFORE].functions[entries->functions[i]];
		struct walk walk;

		walk_init(&walk, start->changes, BUILD_BEFORE, start->use, follows_called);
		walk_enter(&walk, entries->functions[i]);
		walk_on(&walk);
		if (is_changed(&walk) && (entry->changed || start->any)) {
			judge_entry(start, &walk, entry->name);
			if (entry_named(start, entry->name) != SIZE_MAX && sets_up(&walk))
				blame(start, entry->name);
		}
		walk_release(&walk);
	}
}

static void
judge_start(struct start *start)
{
	const struct build_side_code *after = &start->changes->sides[BUILD_AFTER];
	bool differs = start->changes->nobjects_changed > 0;

	for (size_t side = 0; side < BUILD_SIDES; side++)
		find_entries(&start->entries[side], &start->changes->sides[side]);
	for (size_t i = 0; i < after->nfunctions; i++)
		differs = differs || (after->functions[i].changed && start->use->before[i]);
	differs = differs || start->entries[0].count != start->entries[1].count;
	if (!differs)
		return;
	judge_after(start);
	judge_before(start);
	for (size_t i = 0; i < after->nfunctions; i++)
		if (start->use->before[i] && after->functions[i].changed && !start->covered[i])
			blame(start, after->functions[i].name);
	if (start->any && !start->registered &&
		!is_named_after(start->use->name, after->functions[start->use->root].name))
		blame(start, after->functions[start->use->root].name);
}

struct build_reach
build_changes_reach(const struct build_changes *changes, const struct build_use *use)
{
	const struct build_side_code *after = &changes->sides[BUILD_AFTER];
	struct build_reach reach = {.kind = REACH_NOTHING};
	struct walk within;

	walk_init(&within, changes, BUILD_AFTER, use, use->varies ? follows_all : follows_unmarked);
	for (size_t i = 0; i < after->nfunctions; i++)
		if (use->within[i])
			walk_enter(&within, i);
	walk_on(&within);
	judge_functions(&within, &reach);
	if (reach.kind == REACH_NOTHING && (reach.what = changed_object(&within)))
		reach.kind = REACH_DATA;
	if (reach.kind == REACH_NOTHING && use->before) {
		struct start start = {
			.changes = changes,
			.use = use,
			.within = &within,
			.covered = mem_zalloc(after->nfunctions + 1, sizeof(bool)),
			.reach = &reach,
		};

		judge_start(&start);
		free(start.covered);
		free(start.entries[0].functions);
		free(start.entries[1].functions);
	}
	walk_release(&within);
	return reach;
}
