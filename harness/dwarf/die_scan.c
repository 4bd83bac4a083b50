#include "dwarf/die_scan.h"

#include "base/mem.h"
#include "dwarf/die.h"

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

/* Reads which entry is next; false at the end of the unit and where it is damaged. */
static inline bool
read_entry(const struct debug_unit *unit, struct cursor *cursor, struct entry *entry)
{
	const unsigned char *start = unit->data->sections[DEBUG_INFO].start + unit->offset;

	if (cursor->at >= cursor->end)
		return false;
	entry->die = (uint32_t)(cursor->at - start);
	uint64_t code = cursor_uleb(cursor);

	entry->abbrev = code ? abbrevs_find(&unit->abbrevs, code) : NULL;
	entry->after_code = *cursor;
	/* How long an entry of no known kind is cannot be told. */
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

	/* Only ever ahead. */
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
	case DW_TAG_lexical_block:
		return true;
	default:
		return false;
	}
}

/* Reads where the code of the entry is. */
static bool
read_code(const struct debug_unit *unit, const struct entry *entry, struct span_list *spans,
	uint32_t item)
{
	struct die die = {.unit = unit, .abbrev = entry->abbrev, .cursor = entry->after_code};
	struct die_code code = {0};
	struct die_value value;

	while (die_next(&die, &value))
		die_take_code(unit, &value, &code);
	return debug_data_work(unit->data, entry->abbrev->nattrs) &&
	       die_code_spans(unit, &code, spans, item);
}

static bool
add_function(const struct debug_unit *unit, const struct entry *entry, struct scan_functions *found)
{
	size_t had = found->spans.count;

	if (!read_code(unit, entry, &found->spans, (uint32_t)found->count))
		return false;
	if (found->spans.count == had)
		return true;
	if (found->count == found->capacity)
		found->functions = mem_grow(found->functions, &found->capacity, found->count + 1,
			sizeof(*found->functions));
	found->functions[found->count++] = (struct scan_function){entry->die};
	return true;
}

bool
die_scan_functions(struct debug_unit *unit, struct scan_functions *found)
{
	struct cursor cursor = cursor_from(unit, unit->first_die - unit->offset);
	struct entry entry;
	uint64_t depth = 0;

	*found = (struct scan_functions){0};
	if (!debug_data_work(unit->data, unit->end - unit->offset))
		return false;
	while (read_entry(unit, &cursor, &entry)) {
		if (!entry.abbrev) {
			if (depth <= 1)
				return true;
			depth--;
			continue;
		}
		if (entry.abbrev->tag == DW_TAG_subprogram && entry.abbrev->has_code &&
			!add_function(unit, &entry, found))
			return false;
		if (entry.abbrev->has_children && !holds_functions(entry.abbrev) &&
			jump_to_sibling(unit, &entry, &cursor))
			continue;
		abbrev_skip(&unit->abbrevs, entry.abbrev, &cursor);
		depth += entry.abbrev->has_children;
		if (depth == 0)
			return !cursor.failed;
	}
	return cursor.at == cursor.end && !cursor.failed;
}

void
scan_functions_release(struct scan_functions *found)
{
	free(found->functions);
	span_list_release(&found->spans);
	*found = (struct scan_functions){0};
}

static bool
add_site(const struct debug_unit *unit, const struct entry *entry, uint32_t parent,
	struct scan_sites *found)
{
	struct die die = {.unit = unit, .abbrev = entry->abbrev, .cursor = entry->after_code};
	struct scan_site site = {.die = entry->die, .parent = parent};
	struct die_code code = {0};
	struct die_value value;

	while (die_next(&die, &value)) {
		die_take_code(unit, &value, &code);
		if (value.attr == DW_AT_call_line && value.number <= UINT32_MAX)
			site.call_line = (uint32_t)value.number;
	}
	if (!debug_data_work(unit->data, entry->abbrev->nattrs) ||
		!die_code_spans(unit, &code, &found->spans, (uint32_t)found->count))
		return false;
	if (found->count == found->capacity)
		found->sites = mem_grow(
			found->sites, &found->capacity, found->count + 1, sizeof(*found->sites));
	found->sites[found->count++] = site;
	return true;
}

/* What the children of an entry belong to, which itself belongs to `owner`. */
static bool
own_children(const struct debug_unit *unit, const struct entry *entry, uint32_t owner,
	struct scan_sites *found, uint32_t *children_owner)
{
	*children_owner = SITE_FOREIGN;
	if (owner == SITE_FOREIGN)
		return true;
	if (entry->abbrev->tag == DW_TAG_inlined_subroutine) {
		*children_owner = (uint32_t)found->count;
		return add_site(unit, entry, owner, found);
	}
	if (entry->abbrev->tag == DW_TAG_lexical_block)
		*children_owner = owner;
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
		uint32_t owner;

		if (!entry.abbrev) {
			if (--depth == 0)
				break;
			continue;
		}
		if (!own_children(unit, &entry, owners[depth - 1], found, &owner))
			return false;
		if (entry.abbrev->has_children && owner == SITE_FOREIGN &&
			jump_to_sibling(unit, &entry, &cursor))
			continue;
		abbrev_skip(&unit->abbrevs, entry.abbrev, &cursor);
		if (!entry.abbrev->has_children)
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

static bool
is_scope(const struct abbrev *abbrev)
{
	switch (abbrev->tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_subprogram:
		return abbrev->has_children;
	default:
		return false;
	}
}

static uint32_t
add_scope(struct scan_scopes *found, uint32_t die, uint32_t parent)
{
	if (found->count == found->capacity)
		found->scopes = mem_grow(
			found->scopes, &found->capacity, found->count + 1, sizeof(*found->scopes));
	found->scopes[found->count] = (struct scan_scope){die, UINT32_MAX, parent};
	return (uint32_t)found->count++;
}

bool
die_scan_scopes(struct debug_unit *unit, struct scan_scopes *found)
{
	uint32_t scopes[DEPTH_MAX]; /* by depth: the scope of the entries there */
	struct cursor cursor = cursor_from(unit, unit->first_die - unit->offset);
	struct entry entry;
	size_t depth = 0;

	*found = (struct scan_scopes){0};
	scopes[0] = SITE_NONE;
	if (!debug_data_work(unit->data, unit->end - unit->offset))
		return false;
	while (read_entry(unit, &cursor, &entry)) {
		uint32_t scope = scopes[depth];

		if (!entry.abbrev) {
			if (depth <= 1)
				return true;
			depth--;
			if (scope != scopes[depth])
				found->scopes[scope].end = entry.die;
			continue;
		}
		bool opens = is_scope(entry.abbrev);

		if (entry.abbrev->has_children && !opens && !holds_functions(entry.abbrev) &&
			jump_to_sibling(unit, &entry, &cursor))
			continue;
		abbrev_skip(&unit->abbrevs, entry.abbrev, &cursor);
		if (!entry.abbrev->has_children)
			continue;
		if (depth + 1 == DEPTH_MAX)
			return false;
		scopes[++depth] = opens ? add_scope(found, entry.die, scope) : scope;
	}
	return !cursor.failed;
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
	size_t low = 0;
	size_t high = scopes->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (scopes->scopes[middle].die < die)
			low = middle + 1;
		else
			high = middle;
	}
	uint32_t scope = low > 0 ? (uint32_t)(low - 1) : SITE_NONE;

	while (scope != SITE_NONE && scopes->scopes[scope].end <= die)
		scope = scopes->scopes[scope].parent;
	return scope;
}
