/*
 * Passes over the entries of a unit, for its functions, scopes and inlined calls.
 */
#include "base/mem.h"
#include "base/search.h"
#include "dwarf/abbrevs.h"
#include "dwarf/debug_data.h"
#include "dwarf/dwarf_internal.h"
#include "dwarf/span_index.h"

#include <dwarf.h>
#include <stdlib.h>

/* Deeper than inlining and blocks nest in any program. */
#define DEPTH_MAX 1024
/* In place of a site: nothing below belongs to the function. */
#define SITE_FOREIGN (UINT32_MAX - 1)

/* An entry that a pass has come to. */
struct entry {
	uint32_t die;
	const struct abbrev *abbrev; /* NULL: the end of the children of another one */
	struct cursor after_code;    /* at its first value */
};

static struct cursor
cursor_from(const struct debug_unit *unit, uint64_t die)
{
	const unsigned char *info = unit->data->sections[DEBUG_INFO].start;

	return (struct cursor){info + unit->offset + die, info + unit->end, false};
}

/* Steps over entries that no pass needs and that have no children: most of them. */
static inline void
skip_leaves(const struct debug_unit *unit, struct cursor *cursor)
{
	const uint16_t *leaf_bytes = unit->abbrevs.leaf_bytes;
	size_t nleaves = unit->abbrevs.nleaves;
	const unsigned char *at = cursor->at;

	while (cursor->end - at > 1) {
		size_t code = at[0];
		size_t bytes = 1;

		if (code >= 0x80 && at[1] < 0x80) {
			code = (code & 0x7f) | (size_t)at[1] << 7;
			bytes = 2;
		}
		if (code >= nleaves || leaf_bytes[code] == ABBREV_NO_SIZE)
			break;
		bytes += leaf_bytes[code];
		if (bytes > (size_t)(cursor->end - at))
			break;
		at += bytes;
	}
	cursor->at = at;
}

/* Reads which entry is next, leaves left out; false at the end of the unit and where it is damaged.
 */
static inline bool
read_entry(const struct debug_unit *unit, struct cursor *cursor, struct entry *entry)
{
	const unsigned char *start = unit->data->sections[DEBUG_INFO].start + unit->offset;

	skip_leaves(unit, cursor);
	if (cursor->at >= cursor->end)
		return false;
	entry->die = (uint32_t)(cursor->at - start);
	uint64_t code = cursor_uleb(cursor);

	entry->abbrev = code ? abbrevs_find(&unit->abbrevs, code) : NULL;
	entry->after_code = *cursor;
	/* The length of an entry of unknown kind is not known. */
	if (code != 0 && !entry->abbrev)
		cursor->failed = true;
	return !cursor->failed;
}

/* Goes on behind all of the entry's children, if it says where; else nothing is changed. */
static bool
jump_to_sibling(const struct debug_unit *unit, const struct entry *entry, struct cursor *cursor)
{
	struct cursor value = entry->after_code;

	if (entry->abbrev->sibling_at == ABBREV_NO_SIBLING)
		return false;
	cursor_skip(&value, entry->abbrev->sibling_at);
	uint64_t sibling = cursor_fixed(&value, 4);

	/* Forward only. */
	if (value.failed || sibling <= entry->die || sibling >= unit->end - unit->offset)
		return false;
	struct cursor there = cursor_from(unit, sibling);

	if (there.at < value.at)
		return false;
	*cursor = there;
	return true;
}

/* Whether functions with code can stand somewhere below such an entry. */
static bool
holds_functions(const struct abbrev *abbrev)
{
	switch (abbrev->tag) {
	case DW_TAG_subprogram:
		return !abbrev->declaration;
	case DW_TAG_compile_unit:
	case DW_TAG_partial_unit:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_lexical_block:
		return true;
	default:
		return false;
	}
}

/* Whether the names of those below such an entry, which holds_functions(), have a part of it. */
static bool
is_scope(const struct abbrev *abbrev)
{
	switch (abbrev->tag) {
	case DW_TAG_compile_unit:
	case DW_TAG_partial_unit:
	case DW_TAG_lexical_block:
		return false;
	default:
		return true;
	}
}

/* A pass over a whole unit. */
struct walk {
	struct debug_unit *unit;
	struct cursor cursor;
	uint64_t depth;
	struct scan_functions *functions; /* NULL: not wanted */
	struct scan_scopes *scopes;       /* likewise */
	uint32_t open[DEPTH_MAX];         /* by depth: the scope of the entries there */
};

/* Takes the entry of a function, and steps over it. */
static bool
add_function(struct walk *walk, const struct entry *entry)
{
	struct scan_functions *found = walk->functions;
	struct die die = {.unit = walk->unit, .abbrev = entry->abbrev, .cursor = entry->after_code};
	struct die_code code = {0};
	struct die_value value;
	size_t had = found->spans.count;

	while (die_next_of(&die, USE_CODE, &value))
		die_take_code(walk->unit, &value, &code);
	walk->cursor = die.cursor;
	/* For a function whose list of ranges is damaged only the ranges are lost. */
	die_code_spans(walk->unit, &code, &found->spans, (uint32_t)found->count);
	if (!debug_data_work(walk->unit->data, entry->abbrev->nattrs))
		return false;
	if (found->spans.count == had)
		return true;
	found->functions = mem_grow(
		found->functions, &found->capacity, found->count + 1, sizeof(*found->functions));
	found->functions[found->count++] = (struct scan_function){.die = entry->die};
	return true;
}

static uint32_t
add_scope(struct scan_scopes *found, uint32_t die, uint32_t parent)
{
	found->scopes =
		mem_grow(found->scopes, &found->capacity, found->count + 1, sizeof(*found->scopes));
	found->scopes[found->count] = (struct scan_scope){die, UINT32_MAX, parent};
	return (uint32_t)found->count++;
}

/* Goes down to the children of an entry; scopes too deep for any program are not distinguished. */
static void
enter_children(struct walk *walk, const struct entry *entry)
{
	if (walk->depth + 1 < DEPTH_MAX) {
		uint32_t scope = walk->open[walk->depth];

		if (walk->scopes && holds_functions(entry->abbrev) && is_scope(entry->abbrev))
			scope = add_scope(walk->scopes, entry->die, scope);
		walk->open[walk->depth + 1] = scope;
	}
	walk->depth++;
}

/* Goes up from the children that end at `entry`. */
static void
leave(struct walk *walk, const struct entry *entry)
{
	if (walk->depth < DEPTH_MAX) {
		uint32_t scope = walk->open[walk->depth];

		if (scope != walk->open[walk->depth - 1])
			walk->scopes->scopes[scope].end = entry->die;
	}
	walk->depth--;
}

/* Passes over the entries until the root ends; false where the end cannot be found. */
static bool
walk_unit(struct walk *walk)
{
	struct cursor *cursor = &walk->cursor;
	struct entry entry;

	while (read_entry(walk->unit, cursor, &entry)) {
		const struct abbrev *abbrev = entry.abbrev;

		if (!abbrev) {
			if (walk->depth <= 1)
				return true;
			leave(walk, &entry);
			continue;
		}
		if (abbrev->has_children && !holds_functions(abbrev) &&
			jump_to_sibling(walk->unit, &entry, cursor))
			continue;
		if (abbrev->tag != DW_TAG_subprogram || !abbrev->has_code || !walk->functions)
			abbrev_skip(&walk->unit->abbrevs, abbrev, cursor);
		else if (!add_function(walk, &entry))
			return false;
		if (abbrev->has_children)
			enter_children(walk, &entry);
		if (walk->depth == 0)
			return !cursor->failed;
	}
	return cursor->at == cursor->end && !cursor->failed;
}

bool
die_scan_unit(struct debug_unit *unit, struct scan_functions *functions, struct scan_scopes *scopes)
{
	struct walk walk = {
		.unit = unit,
		.cursor = cursor_from(unit, unit->first_die - unit->offset),
		.functions = functions,
		.scopes = scopes,
	};

	if (functions)
		*functions = (struct scan_functions){0};
	if (scopes)
		*scopes = (struct scan_scopes){0};
	walk.open[0] = SITE_NONE;
	if (debug_data_work(unit->data, unit->end - unit->offset) && walk_unit(&walk))
		return true;
	if (functions)
		scan_functions_release(functions);
	if (scopes)
		scan_scopes_release(scopes);
	return false;
}

void
scan_functions_release(struct scan_functions *found)
{
	free(found->functions);
	span_list_release(&found->spans);
	*found = (struct scan_functions){0};
}

void
scan_scopes_release(struct scan_scopes *found)
{
	free(found->scopes);
	*found = (struct scan_scopes){0};
}

uint32_t
scan_scopes_find(const struct scan_scopes *scopes, uint32_t die)
{
	size_t before = search_before(
		scopes->scopes, scopes->count, SEARCH_BY(struct scan_scope, die), die);
	uint32_t scope = before > 0 ? (uint32_t)(before - 1) : SITE_NONE;

	while (scope != SITE_NONE && scopes->scopes[scope].end <= die)
		scope = scopes->scopes[scope].parent;
	return scope;
}

/* Takes the entry of an inlined call that is part of `parent`, and steps over it. */
static bool
add_site(const struct debug_unit *unit, const struct entry *entry, uint32_t parent,
	struct scan_sites *found, struct cursor *cursor)
{
	struct die die = {.unit = unit, .abbrev = entry->abbrev, .cursor = entry->after_code};
	struct scan_site site = {.origin = SITE_NO_ORIGIN, .parent = parent};
	struct die_code code = {0};
	struct die_value value;

	while (die_next_of(&die, USE_CODE | USE_CALL, &value)) {
		if (value.attr == DW_AT_call_line) {
			if (value.number <= UINT32_MAX)
				site.call_line = (uint32_t)value.number;
		} else if (value.attr == DW_AT_abstract_origin) {
			if (value.class != DIE_REFERENCE && value.class != DIE_SHARED_REF)
				continue;
			site.origin = value.number;
			site.shared = value.class == DIE_SHARED_REF;
		} else {
			die_take_code(unit, &value, &code);
		}
	}
	*cursor = die.cursor;
	/* As for functions; what was inlined into it may still be found. */
	die_code_spans(unit, &code, &found->spans, (uint32_t)found->count);
	if (!debug_data_work(unit->data, entry->abbrev->nattrs))
		return false;
	found->sites =
		mem_grow(found->sites, &found->capacity, found->count + 1, sizeof(*found->sites));
	found->sites[found->count++] = site;
	return true;
}

/*
 * Steps over an entry that belongs to *owner, and sets *owner to that of its children. False where
 * that cannot be done; *entered is whether the children are next.
 */
static bool
pass_entry(const struct debug_unit *unit, const struct entry *entry, uint32_t *owner,
	struct scan_sites *found, struct cursor *cursor, bool *entered)
{
	const struct abbrev *abbrev = entry->abbrev;
	uint32_t parent = *owner;

	*entered = abbrev->has_children;
	if (parent != SITE_FOREIGN && abbrev->tag == DW_TAG_inlined_subroutine) {
		*owner = (uint32_t)found->count;
		return add_site(unit, entry, parent, found, cursor);
	}
	if (abbrev->tag != DW_TAG_lexical_block)
		*owner = SITE_FOREIGN;
	if (*entered && *owner == SITE_FOREIGN && jump_to_sibling(unit, entry, cursor))
		*entered = false;
	else
		abbrev_skip(&unit->abbrevs, abbrev, cursor);
	return true;
}

bool
die_scan_sites(struct debug_unit *unit, uint32_t die, struct scan_sites *found)
{
	uint32_t owners[DEPTH_MAX]; /* by depth */
	struct cursor cursor = cursor_from(unit, die);
	struct entry entry;
	size_t depth = 0;

	*found = (struct scan_sites){0};
	if (!read_entry(unit, &cursor, &entry) || !entry.abbrev)
		return false;
	abbrev_skip(&unit->abbrevs, entry.abbrev, &cursor);
	if (!entry.abbrev->has_children)
		return !cursor.failed;
	owners[depth++] = SITE_NONE;
	while (read_entry(unit, &cursor, &entry)) {
		uint32_t owner = owners[depth - 1];
		bool entered;

		if (!entry.abbrev) {
			if (--depth == 0)
				break;
			continue;
		}
		if (!pass_entry(unit, &entry, &owner, found, &cursor, &entered))
			return false;
		if (!entered)
			continue;
		if (depth == DEPTH_MAX)
			return false;
		owners[depth++] = owner;
	}
	return debug_data_work(unit->data, (uint64_t)(cursor.at - cursor_from(unit, die).at)) &&
	       depth == 0 && !cursor.failed;
}

void
scan_sites_release(struct scan_sites *found)
{
	free(found->sites);
	span_list_release(&found->spans);
	*found = (struct scan_sites){0};
}
