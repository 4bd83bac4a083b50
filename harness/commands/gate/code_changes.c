#include "gate/code_changes.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "builds/path_map.h"
#include "builds/program.h"
#include "dwarf/inlines.h"
#include "elf/debug_file.h"
#include "elf/elf_image.h"
#include "gate/stored_code.h"
#include "profile/canonical.h"
#include "profile/files.h"

#include <stdlib.h>
#include <string.h>

/* The vDSO, as frames have it. */
#define MODULE_VDSO "[vdso]"

/* One file, or two that correspond to one another. */
struct module_pair {
	char *paths[MEASURE_SIDES]; /* owned */
	bool same;                  /* equal to the byte: no need to read them */
	bool known;                 /* they are those that ran, and can be read */
	bool opened;                /* opening was tried */
	struct code_inventory code[MEASURE_SIDES];
	const struct code_list *stored; /* in the place of the base's; NULL: it has a file */
	bool proven;                    /* that list is surely of the program that ran */
	bool inlines_tried;
	struct inlines *inlines; /* of the candidate's file; owned; NULL: no debug information */
};

struct module_pairs *
module_pairs_new(const struct measurement *measurement, const struct build_side *base)
{
	struct module_pairs *pairs = mem_zalloc(1, sizeof(*pairs));

	*pairs = (struct module_pairs){.sides = measurement->sides, .base = base};
	return pairs;
}

struct module_pairs *
module_pairs_stored(
	const struct measurement *measurement, const struct baseline *before, const char *folder)
{
	struct module_pairs *pairs = mem_zalloc(1, sizeof(*pairs));

	*pairs = (struct module_pairs){.sides = measurement->sides, .before = before};
	if (stored_code_read(folder, &pairs->lists))
		return pairs;
	module_pairs_free(pairs);
	return NULL;
}

static void
pair_free(struct module_pair *pair)
{
	inlines_close(pair->inlines);
	for (int side = 0; side < MEASURE_SIDES; side++) {
		code_inventory_close(&pair->code[side]);
		free(pair->paths[side]);
	}
	free(pair);
}

void
module_pairs_free(struct module_pairs *pairs)
{
	if (!pairs)
		return;
	for (size_t i = 0; i < pairs->npairs; i++)
		pair_free(pairs->pairs[i]);
	free(pairs->pairs);
	code_lists_release(&pairs->lists);
	arena_release(&pairs->arena);
	free(pairs);
}

/* The modules of a side's profile, each once; NULL-ended; free() the array, not the names. */
static const char **
module_pairs_list(const struct module_pairs *pairs, enum measure_side side)
{
	const struct profile *profile = &pairs->sides[side].profile;
	bool *seen = mem_zalloc(profile->strings.nentries + 1, sizeof(*seen));
	const char **list = mem_zalloc(profile->frames.nframes + 1, sizeof(*list));
	size_t count = 0;

	for (frame_id id = 1; id < profile->frames.nframes; id++) {
		const struct frame *frame = &profile->frames.frames[id];

		if (frame->module == 0 || frame->kind == FRAME_KERNEL || seen[frame->module])
			continue;
		seen[frame->module] = true;
		list[count++] = strtab_str(&profile->strings, frame->module);
	}
	free(seen);
	return list;
}

static bool
is_among(const char *path, const char *const *paths)
{
	for (; *paths; paths++) {
		if (strcmp(*paths, path) == 0)
			return true;
	}
	return false;
}

/* The path in `arena` without links; NULL if there is no such file. */
static const char *
real_path(const char *path, struct arena *arena)
{
	char *real = realpath(path, NULL);
	const char *kept = real ? arena_strdup(arena, real) : NULL;

	free(real);
	return kept;
}

/* The path of a word of a command, from the folder where it is run; in `arena`. */
static const char *
word_path(const struct workload *workload, size_t word, struct arena *arena)
{
	char *path = program_path(workload, workload->run[word]);
	const char *real = real_path(path, arena);

	free(path);
	return real;
}

/* The word of the other build's command in the place of `path` in this one's. */
static const char *
find_word(struct module_pairs *pairs, enum measure_side side, const char *path)
{
	const struct workload *own = &pairs->sides[side].workload;
	const struct workload *other = &pairs->sides[!side].workload;

	for (size_t i = 0; own->run[i] && other->run[i]; i++) {
		const char *word = word_path(own, i, &pairs->arena);

		if (word && strcmp(word, path) == 0)
			return word_path(other, i, &pairs->arena);
	}
	return NULL;
}

/* The path that the map of the two builds gives for it. */
static const char *
find_mapped(struct module_pairs *pairs, enum measure_side side, const char *path)
{
	const struct path_map *map =
		side == MEASURE_CANDIDATE ? pairs->base->map : pairs->base->back;
	const char *found = map ? path_map_find(map, path, &pairs->arena) : NULL;

	return found ? real_path(found, &pairs->arena) : NULL;
}

static const char *
find_only_name(const char *path, const char *const *own, const char *const *others)
{
	const char *name = file_basename(path);
	const char *found = NULL;

	for (; *own; own++) {
		if (strcmp(file_basename(*own), name) == 0 && strcmp(*own, path) != 0)
			return NULL;
	}
	for (; *others; others++) {
		if (strcmp(file_basename(*others), name) != 0)
			continue;
		if (found)
			return NULL;
		found = *others;
	}
	return found;
}

/* A file of the system, which our builds do not make: both sides have it, sampled or not. */
static bool
is_of_system(const char *path)
{
	static const char *const folders[] = {"/usr/", "/lib/", "/lib64/"};
	bool found = false;

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		found = found || strncmp(path, folders[i], strlen(folders[i])) == 0;
	return found && strncmp(path, "/usr/local/", strlen("/usr/local/")) != 0;
}

static const char *
find_other(struct module_pairs *pairs, enum measure_side side, const char *path,
	const char *const *own, const char *const *others)
{
	const char *mapped = find_mapped(pairs, side, path);

	if (!mapped)
		mapped = find_word(pairs, side, path);
	if (mapped && is_among(mapped, others))
		return mapped;
	if (is_among(path, others))
		return path;
	if (mapped)
		return mapped;
	mapped = find_only_name(path, own, others);
	return mapped || !is_of_system(path) ? mapped : path;
}

/* Whether the file is still as it was when the runs began. */
static bool
is_as_it_ran(const char *path, int64_t started)
{
	struct timespec written;

	return path[0] == '/' && file_written_at(path, &written) &&
	       (started == 0 || written.tv_sec <= started);
}

static bool
are_equal(const char *one, const char *other)
{
	struct file_view views[2] = {{.data = NULL}, {.data = NULL}};
	struct err ignored = {0};
	bool equal = false;

	if (file_view_open(&views[0], one, &ignored) < 0)
		return false;
	if (file_view_open(&views[1], other, &ignored) == 0) {
		equal = views[0].len == views[1].len &&
			memcmp(views[0].data, views[1].data, views[0].len) == 0;
		file_view_close(&views[1]);
	}
	file_view_close(&views[0]);
	return equal;
}

static struct module_pair *
put_pair(struct module_pairs *pairs, const char *const paths[MEASURE_SIDES])
{
	struct module_pair *pair = mem_zalloc(1, sizeof(*pair));

	for (int side = 0; side < MEASURE_SIDES; side++)
		pair->paths[side] = mem_strdup(paths[side]);
	pairs->pairs = mem_grow(
		pairs->pairs, &pairs->capacity, pairs->npairs + 1, sizeof(struct module_pair *));
	pairs->pairs[pairs->npairs++] = pair;
	return pair;
}

static struct module_pair *
add_pair(struct module_pairs *pairs, const char *const paths[MEASURE_SIDES])
{
	struct module_pair *pair = put_pair(pairs, paths);

	pair->known = true;
	for (int side = 0; side < MEASURE_SIDES; side++)
		pair->known = pair->known &&
			      is_as_it_ran(paths[side], pairs->sides[side].profile.started);
	pair->same =
		pair->known && (strcmp(paths[0], paths[1]) == 0 || are_equal(paths[0], paths[1]));
	return pair;
}

/* Whether both sides ran a file of the same contents, or one that was built again. */
static bool
ran_same(const struct profile *before, const struct profile *after, const char *name)
{
	const struct profile_file wanted = {.name = name, .name_len = strlen(name)};
	struct profile_file one;
	struct profile_file other;

	return (profile_files_find(strtab_str(&before->strings, before->files), &wanted, &one) &&
		       profile_files_find(
			       strtab_str(&after->strings, after->files), &wanted, &other) &&
		       profile_file_is_same(&one, &other)) ||
	       profile_file_is_built_again(strtab_str(&before->strings, before->code),
		       strtab_str(&after->strings, after->code), &wanted);
}

/* The candidate's file and the list that the baseline has of it; NULL: it knows nothing of it. */
static struct module_pair *
find_stored(struct module_pairs *pairs, const char *path)
{
	const struct profile *after = &pairs->sides[MEASURE_CANDIDATE].profile;
	const struct profile *before = &pairs->before->profile;

	for (size_t i = 0; i < pairs->npairs; i++) {
		if (strcmp(pairs->pairs[i]->paths[MEASURE_CANDIDATE], path) == 0)
			return pairs->pairs[i];
	}
	char *root = realpath(".", NULL);
	const size_t len = root ? strlen(root) : 0;
	const char *name = len > 0 && strncmp(path, root, len) == 0 && path[len] == '/'
				   ? path + len + 1
				   : path;
	const struct code_list *list = code_lists_find(&pairs->lists, name);
	const bool same = ran_same(before, after, name);
	struct module_pair *pair = NULL;

	if (list || same) {
		const char *const paths[MEASURE_SIDES] = {path, name};

		pair = put_pair(pairs, paths);
		pair->same = same;
		pair->stored = list;
		pair->known = list && is_as_it_ran(path, after->started);
		pair->proven = list && stored_code_is_of(&pairs->lists, list, before,
					       pairs->before->info.program_hash);
	}
	free(root);
	return pair;
}

/*
 * The pair that `path`, a module of `side`, belongs to. Its file in the other build is the first
 * of: the one that the map of the two builds names; the same file, if the other build ran it too,
 * or if it is the system's; the word of the command in the same place; the only other file of that
 * name. `others` are the modules of the other build, `own` those of this one; look up the
 * candidate's first. NULL where there is none. Of a stored gate a file is known by its name.
 */
static struct module_pair *
module_pairs_find(struct module_pairs *pairs, enum measure_side side, const char *path,
	const char *const *own, const char *const *others)
{
	const char *paths[MEASURE_SIDES];

	if (pairs->before)
		return side == MEASURE_CANDIDATE ? find_stored(pairs, path) : NULL;
	/* A map need not have an inverse. */
	for (size_t i = 0; i < pairs->npairs && side == MEASURE_BASE; i++) {
		if (strcmp(pairs->pairs[i]->paths[MEASURE_BASE], path) == 0)
			return pairs->pairs[i];
	}
	const char *other = find_other(pairs, side, path, own, others);

	if (!other)
		return NULL;
	paths[side] = path;
	paths[!side] = other;
	for (size_t i = 0; i < pairs->npairs; i++) {
		if (strcmp(pairs->pairs[i]->paths[0], paths[0]) == 0 &&
			strcmp(pairs->pairs[i]->paths[1], paths[1]) == 0)
			return pairs->pairs[i];
	}
	return add_pair(pairs, paths);
}

/*
 * Opens the code of both. False where it cannot be read: the file is gone, has changed since the
 * runs, or is of another machine.
 */
static bool
module_pair_open(struct module_pair *pair)
{
	struct err err = {0};

	if (pair->opened || !pair->known)
		return pair->known;
	pair->opened = true;
	for (int side = 0; side < MEASURE_SIDES && pair->known; side++) {
		if (side == MEASURE_BASE && pair->stored)
			break;
		if (code_inventory_open(
			    &pair->code[side], pair->paths[side], canonical_name, &err) < 0) {
			log_debug("no machine code of %s: %s", pair->paths[side], err.text);
			pair->known = false;
		}
	}
	/* Code that was stored by its meaning cannot be compared with bytes. */
	if (pair->known && pair->stored)
		pair->known = code_inventory_reads(&pair->code[MEASURE_CANDIDATE]);
	return pair->known;
}

/* The change of a function between the two, which are open. */
static enum code_change
module_pair_change(struct module_pair *pair, const char *name)
{
	if (!pair->stored)
		return code_compare(
			&pair->code[MEASURE_BASE], &pair->code[MEASURE_CANDIDATE], name);
	const enum code_change change = code_change_of(code_list_known(pair->stored, name),
		code_inventory_known(&pair->code[MEASURE_CANDIDATE], name));

	/* Another compiler may have built the program that ran. */
	return change == CODE_CHANGE_NONE && !pair->proven ? CODE_CHANGE_UNKNOWN : change;
}

/* NULL: the file has no debug information, nor has one that was installed for it. */
static struct inlines *
open_inlines(const char *path)
{
	struct elf_image image;
	struct elf_image debug;

	if (!elf_image_open(&image, path))
		return NULL;
	if (debug_file_open(&debug, &image, "", path)) {
		elf_image_close(&image);
		image = debug;
	}
	elf_packed_expand(&image);
	return inlines_open(&image, path, "");
}

/* The functions that are inlined into the candidate's one at `address`: inlines_within(). */
static size_t
module_pair_inlined(
	struct module_pair *pair, uint64_t address, struct inline_frame *frames, size_t max)
{
	if (!pair->inlines_tried)
		pair->inlines = open_inlines(pair->paths[MEASURE_CANDIDATE]);
	pair->inlines_tried = true;
	return pair->inlines ? inlines_within(pair->inlines, address, frames, max) : 0;
}

#define CALLS_MOST 256 /* of one function */

static void
add(struct inlined_calls *calls, frame_id into, const struct inline_frame *frame)
{
	for (size_t i = calls->count; i > 0 && calls->all[i - 1].into == into; i--)
		if (calls->all[i - 1].name == frame->name)
			return;
	calls->all = mem_grow(calls->all, &calls->capacity, calls->count + 1, sizeof(*calls->all));
	calls->all[calls->count++] =
		(struct inlined_call){into, frame->name, frame->file, frame->line};
}

/* For all functions of its name in a file: a profile does not distinguish them. */
static void
read_function(
	struct inlined_calls *calls, struct module_pair *pair, frame_id into, const char *name)
{
	struct inline_frame frames[CALLS_MOST];
	size_t count;
	const struct code_function *functions =
		code_inventory_find(&pair->code[MEASURE_CANDIDATE], name, &count);

	for (size_t i = 0; i < count; i++) {
		const size_t found =
			module_pair_inlined(pair, functions[i].address, frames, CALLS_MOST);

		for (size_t k = 0; k < found; k++)
			if (frames[k].name)
				add(calls, into, &frames[k]);
	}
}

void
inlined_calls_read(struct inlined_calls *calls, struct module_pairs *pairs,
	const struct comparison *comparison, const struct code_states *code)
{
	*calls = (struct inlined_calls){0};
	for (frame_id id = 1; id < code->nframes; id++) {
		const enum code_state state = code->by_frame[id];

		if ((state != CODE_CHANGED && state != CODE_NEW) || !code_has_same_lines(code, id))
			continue;
		for (size_t i = 0; i < pairs->npairs; i++)
			if (!pairs->pairs[i]->same && module_pair_open(pairs->pairs[i]))
				read_function(calls, pairs->pairs[i], id,
					profile_frame_name(&comparison->profile, id));
	}
}

void
inlined_calls_release(struct inlined_calls *calls)
{
	free(calls->all);
	*calls = (struct inlined_calls){0};
}

/* Where a function of the comparison is. */
struct place {
	struct module_pair *pair; /* NULL: in no file, or in `vdso` */
	bool vdso;
	bool lost; /* in a file without a partner, or in several */
};

struct places {
	const struct profile *profile; /* of the comparison */
	frame_id *by_name;             /* by name: the function that is not inlined; 0: none */
	struct place *of;              /* by frame */
	struct variant_names variants; /* of both sides */
	struct buf name;
};

static void
places_init(struct places *places, const struct profile *profile)
{
	*places = (struct places){
		.profile = profile,
		.by_name = mem_zalloc(profile->strings.nentries + 1, sizeof(*places->by_name)),
		.of = mem_zalloc(profile->frames.nframes, sizeof(*places->of)),
	};
	variant_names_add(&places->variants, profile);
	for (frame_id id = 1; id < profile->frames.nframes; id++) {
		if (profile->frames.frames[id].kind == FRAME_USER)
			places->by_name[profile->frames.frames[id].name] = id;
	}
}

static void
places_release(struct places *places)
{
	variant_names_release(&places->variants);
	buf_release(&places->name);
	free(places->by_name);
	free(places->of);
}

/* The function of the comparison that has this name of a side's; NULL if none. */
static struct place *
find_place(struct places *places, const char *name, size_t len)
{
	const struct strtab *strings = &places->profile->strings;

	const char *function = variant_names_find(&places->variants, name, len);

	canonical_name(name, len, &places->name);
	if (!function)
		function = buf_text(&places->name);
	frame_id id = places->by_name[strtab_find(strings, function, strlen(function))];

	return id ? &places->of[id] : NULL;
}

/* By module of the side's profile: its pair; free() it. */
static struct module_pair **
pair_modules(struct module_pairs *pairs, enum measure_side side)
{
	const struct strtab *strings = &pairs->sides[side].profile.strings;
	const char **own = module_pairs_list(pairs, side);
	const char **others = module_pairs_list(pairs, !side);
	struct module_pair **found =
		mem_zalloc(strings->nentries + 1, sizeof(struct module_pair *));

	for (const char **path = own; *path; path++)
		found[strtab_find(strings, *path, strlen(*path))] =
			module_pairs_find(pairs, side, *path, own, others);
	free(own);
	free(others);
	return found;
}

static void
place_side(struct places *places, struct module_pairs *pairs, enum measure_side side)
{
	const struct profile *profile = &pairs->sides[side].profile;
	struct module_pair **found = pair_modules(pairs, side);

	for (frame_id id = 1; id < profile->frames.nframes; id++) {
		const struct frame *frame = &profile->frames.frames[id];

		if (frame->kind != FRAME_USER || frame->module == 0)
			continue;
		struct place *place = find_place(places, strtab_str(&profile->strings, frame->name),
			strtab_len(&profile->strings, frame->name));
		struct module_pair *pair = found[frame->module];

		if (!place)
			continue;
		if (strcmp(strtab_str(&profile->strings, frame->module), MODULE_VDSO) == 0)
			place->vdso = true;
		else if (!pair || (place->pair && place->pair != pair))
			place->lost = true;
		else
			place->pair = pair;
	}
	free(found);
}

/*
 * Stored stacks do not name files: a function without samples of the candidate is in the file whose
 * stored code has its name.
 */
static void
place_stored(struct places *places, const struct module_pairs *pairs)
{
	const struct profile *profile = places->profile;

	for (frame_id id = 1; id < profile->frames.nframes; id++) {
		struct place *place = &places->of[id];

		if (profile->frames.frames[id].kind != FRAME_USER || place->pair || place->vdso ||
			place->lost)
			continue;
		for (size_t i = 0; i < pairs->npairs && !place->pair; i++) {
			struct module_pair *pair = pairs->pairs[i];

			if (pair->stored &&
				code_list_known(pair->stored, profile_frame_name(profile, id))
					.found)
				place->pair = pair;
		}
	}
}

static enum code_state
state_in(struct module_pair *pair, const char *name)
{
	if (pair->same)
		return CODE_SAME;
	if (frame_name_is_unknown(name) || !module_pair_open(pair))
		return CODE_UNKNOWN;
	switch (module_pair_change(pair, name)) {
	case CODE_CHANGE_NONE:
		return CODE_SAME;
	case CODE_CHANGE_DIFFERS:
		return CODE_CHANGED;
	case CODE_CHANGE_ADDED:
		return CODE_NEW;
	case CODE_CHANGE_REMOVED:
		return CODE_GONE;
	case CODE_CHANGE_UNKNOWN:
		break;
	}
	return CODE_UNKNOWN;
}

/* For a function that its file chooses from several: whether one of them changed. */
static enum code_state
state_of_variants(struct module_pair *pair, const struct profile *profile, const char *name)
{
	const char *lines = strtab_str(&profile->strings, profile->variants);
	enum code_state state = CODE_SAME;
	struct variant_line line;

	while (state == CODE_SAME && variant_names_next(&lines, &line)) {
		if (strlen(name) != line.function_len ||
			memcmp(name, line.function, line.function_len) != 0)
			continue;
		char *variant = mem_dup(line.name, line.name_len);

		state = state_in(pair, variant);
		free(variant);
	}
	return state;
}

/* Whether a file other than the function's has a function of that name that changed. */
static bool
changed_elsewhere(const struct module_pairs *pairs, const struct module_pair *own, const char *name)
{
	for (size_t i = 0; i < pairs->npairs; i++) {
		struct module_pair *pair = pairs->pairs[i];
		enum code_state state;

		if (pair == own || pair->same)
			continue;
		state = state_in(pair, name);
		if (state != CODE_SAME && state != CODE_UNKNOWN)
			return true;
	}
	return false;
}

static enum code_state
state_of(const struct module_pairs *pairs, const struct places *places, frame_id id)
{
	const struct frame *frame = &places->profile->frames.frames[id];
	const struct place *place = &places->of[id];
	const char *name = strtab_str(&places->profile->strings, frame->name);
	enum code_state state;

	if (pairs->before && (frame->kind == FRAME_KERNEL || place->vdso))
		return CODE_UNKNOWN;
	if (frame->kind == FRAME_KERNEL)
		return CODE_SAME;
	if (frame->kind != FRAME_USER || place->lost)
		return CODE_UNKNOWN;
	if (!place->pair)
		return place->vdso ? CODE_SAME : CODE_UNKNOWN;
	state = state_in(place->pair, name);
	if (state == CODE_SAME)
		state = state_of_variants(place->pair, places->profile, name);
	if (state == CODE_SAME && !frame_name_is_unknown(name) &&
		changed_elsewhere(pairs, place->pair, name))
		state = CODE_CHANGED;
	return state;
}

void
code_changes_read(
	struct module_pairs *pairs, const struct comparison *comparison, struct code_states *code)
{
	size_t nframes = comparison->profile.frames.nframes;
	struct places places;

	places_init(&places, &comparison->profile);
	place_side(&places, pairs, MEASURE_CANDIDATE);
	if (pairs->before)
		place_stored(&places, pairs);
	else
		place_side(&places, pairs, MEASURE_BASE);
	*code = (struct code_states){
		.by_frame = mem_zalloc(nframes, sizeof(*code->by_frame)),
		.nframes = nframes,
	};
	for (frame_id id = 1; id < nframes; id++) {
		const struct module_pair *pair = places.of[id].pair;
		const enum code_state state = state_of(pairs, &places, id);

		code->by_frame[id] = state;
		code->nsame += pair && !pair->same && state == CODE_SAME;
		code->nchanged += pair && !pair->same && state > CODE_SAME;
	}
	places_release(&places);
}
