/*
 * The names of functions, by their entries: mangled ones are demangled, others get the scopes
 * around them.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "dwarf/dwarf_internal.h"
#include "elf/demangle.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* An inlined copy of a copy, its definition, its declaration: more can only be a cycle. */
#define HOPS_MAX 16
#define SCOPES_MAX 32
/* Functions within functions. */
#define FUNCTIONS_MAX 32
/* Scopes that take more than this many bytes are left out of a name, but for a mark. */
#define SCOPES_BYTES_MAX 4096
#define SCOPES_LEFT_OUT "...::"
/* The number where there is no entry: nothing is known. */
#define NAME_UNKNOWN 1

/* Data of a unit for names and files; read on first use. */
struct name_unit {
	struct source_lines lines;
	struct scan_scopes scopes;
	bool files_tried;
	bool scopes_tried;
	struct name_unit *next;
};

/* The attributes of an entry, each from the first that has it: the entry or one it refers to. */
struct chain {
	const struct debug_units *units; /* of the entry looked at */
	uint64_t offset;                 /* of the entry looked at */
	struct debug_unit *unit;         /* of the entry looked at */
	const char *linkage_name;        /* borrowed from the data */
	struct die_value name;           /* its string is not read where the other name is known */
	struct debug_unit *named;        /* the unit of that string; NULL: not known */
	uint64_t source_file;            /* 0: not known */
	struct debug_unit *source;       /* the unit whose table of lines has that file */
	uint64_t line;
};

/* Adds the name of the entry at `key` in memory; nothing changes if it was added before. */
static uint32_t
add_found(struct die_names *names, uint64_t key, const struct die_name *name)
{
	size_t nfound = names->entries.count;
	uint32_t number = key_map_add(&names->entries, key);

	names->found = mem_grow(
		names->found, &names->found_capacity, (size_t)number + 1, sizeof(*names->found));
	if (number == nfound)
		names->found[number] = *name;
	return number;
}

void
die_names_init(struct die_names *names)
{
	*names = (struct die_names){0};
	strtab_init(&names->texts);
	/* No entry is at these addresses. */
	for (uint64_t i = 0; i <= NAME_UNKNOWN; i++)
		add_found(names, i, &(struct die_name){0});
}

void
die_names_release(struct die_names *names)
{
	for (struct name_unit *unit = names->units; unit; unit = unit->next) {
		source_lines_release(&unit->lines);
		scan_scopes_release(&unit->scopes);
	}
	free(names->found);
	free((void *)names->readable);
	key_map_release(&names->entries);
	key_map_release(&names->mangled);
	strtab_release(&names->texts);
	arena_release(&names->arena);
}

static struct name_unit *
unit_of(struct die_names *names, struct debug_unit *unit)
{
	if (!unit->names) {
		unit->names = arena_alloc(&names->arena, sizeof(*unit->names));
		unit->names->next = names->units;
		names->units = unit->names;
	}
	return unit->names;
}

/* Takes the attributes that are not known yet; false if the entry refers to no other one. */
static bool
take_entry(struct chain *chain, struct die *die)
{
	struct debug_unit *unit = chain->unit;
	bool refers = false;
	struct die_value value;

	while (die_next_of(die, USE_NAME, &value)) {
		switch (value.attr) {
		case DW_AT_linkage_name:
		case DW_AT_MIPS_linkage_name:
			if (!chain->linkage_name)
				chain->linkage_name = die_string(unit, &value);
			break;
		case DW_AT_name:
			if (!chain->named) {
				chain->name = value;
				chain->named = unit;
			}
			break;
		case DW_AT_decl_file:
			if (!chain->source) {
				chain->source_file = value.number;
				chain->source = unit->skeleton ? unit->skeleton : unit;
			}
			break;
		case DW_AT_decl_line:
			if (chain->line == 0)
				chain->line = value.number;
			break;
		case DW_AT_abstract_origin:
		case DW_AT_specification:
			if (value.class != DIE_REFERENCE && value.class != DIE_SHARED_REF)
				break;
			refers = true;
			chain->offset = value.number;
			chain->units = value.class == DIE_REFERENCE ? unit->of : unit->of->shared;
			break;
		default:
			break;
		}
	}
	return refers;
}

/*
 * Follows the entries from the one where `chain` stands. Afterwards it stands at the last one,
 * whose scopes are the function's.
 */
static void
follow(struct chain *chain)
{
	struct die die;

	for (int hop = 0; hop < HOPS_MAX; hop++) {
		uint64_t offset = chain->offset;

		chain->unit = chain->units ? debug_units_find(chain->units, offset) : NULL;
		if (!chain->unit || !debug_unit_use(chain->unit) ||
			!die_open(&die, chain->unit, offset) ||
			!debug_data_work(chain->unit->data, die.abbrev->nattrs))
			break;
		if (!take_entry(chain, &die))
			return;
		/* A mangled name contains its scopes. */
		if (chain->linkage_name && chain->source && chain->line)
			return;
	}
	chain->unit = NULL;
}

/* The name that is not mangled; NULL where there is none. */
static const char *
plain_name(const struct chain *chain)
{
	return chain->named ? die_string(chain->named, &chain->name) : NULL;
}

/* Whether functions are in no scopes that belong to their names. */
static bool
is_flat(const struct debug_unit *unit)
{
	switch (unit->language) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_Mips_Assembler:
		return true;
	default:
		return false;
	}
}

/* The tag of the entry at `offset`; 0 where there is none. */
static unsigned
tag_at(struct debug_unit *unit, uint64_t offset)
{
	struct die die;

	return die_open(&die, unit, offset) ? die.abbrev->tag : 0;
}

/* Appends the name of the scope whose entry is at `offset`. */
static void
put_scope(struct die_names *names, struct debug_unit *unit, uint64_t offset, unsigned tag,
	struct buf *text)
{
	struct chain chain = {.units = unit->of, .offset = offset};
	const char *name;

	if (tag == DW_TAG_subprogram) {
		name = die_names_get(names, die_names_find(names, unit->of, offset))->name;
	} else {
		follow(&chain);
		name = plain_name(&chain);
	}
	buf_puts(text, name                       ? name
		       : tag == DW_TAG_subprogram ? "{unnamed function}"
		       : tag == DW_TAG_namespace  ? "(anonymous namespace)"
						  : "{unnamed type}");
	buf_puts(text, "::");
}

/*
 * Fills `around` with the entries of the scopes around that at `offset`, the innermost first, up to
 * a function, whose name has those around it.
 */
static size_t
scopes_around(struct debug_unit *unit, const struct scan_scopes *scopes, uint32_t offset,
	uint32_t around[SCOPES_MAX])
{
	size_t count = 0;

	for (uint32_t at = scan_scopes_find(scopes, offset); at != SITE_NONE && count < SCOPES_MAX;
		at = scopes->scopes[at].parent) {
		around[count++] = scopes->scopes[at].die;
		if (tag_at(unit, unit->offset + scopes->scopes[at].die) == DW_TAG_subprogram)
			break;
	}
	return count;
}

static const struct scan_scopes *
scopes_of(struct die_names *names, struct debug_unit *unit)
{
	struct name_unit *its = unit_of(names, unit);

	if (!its->scopes_tried) {
		its->scopes_tried = true;
		die_scan_unit(unit, NULL, &its->scopes);
	}
	return &its->scopes;
}

/*
 * The compiler's own functions are declared nowhere: that of a lambda, a destructor. Their class
 * is.
 */
static void
take_class(struct die_names *names, struct chain *chain)
{
	struct debug_unit *unit = chain->unit;

	if (chain->source || !unit || is_flat(unit))
		return;
	const struct scan_scopes *scopes = scopes_of(names, unit);
	const uint32_t at = scan_scopes_find(scopes, (uint32_t)(chain->offset - unit->offset));
	const uint64_t offset = at != SITE_NONE ? unit->offset + scopes->scopes[at].die : 0;
	const unsigned tag = at != SITE_NONE ? tag_at(unit, offset) : 0;
	struct chain class = {.units = unit->of, .offset = offset};

	if (tag != DW_TAG_structure_type && tag != DW_TAG_class_type && tag != DW_TAG_union_type)
		return;
	follow(&class);
	chain->source_file = class.source_file;
	chain->source = class.source;
	chain->line = class.line;
}

/* Appends the names of the scopes around the entry at `offset`, the outermost first. */
static void
put_scopes(struct die_names *names, struct debug_unit *unit, uint64_t offset, struct buf *text)
{
	const struct scan_scopes *scopes = scopes_of(names, unit);
	uint32_t around[SCOPES_MAX];

	for (size_t i = scopes_around(unit, scopes, (uint32_t)(offset - unit->offset), around);
		i > 0; i--) {
		uint64_t scope = unit->offset + around[i - 1];
		unsigned tag = tag_at(unit, scope);

		if (tag != 0)
			put_scope(names, unit, scope, tag, text);
		if (text->len > SCOPES_BYTES_MAX) {
			buf_clear(text);
			buf_puts(text, SCOPES_LEFT_OUT);
		}
	}
}

/*
 * A copy of the text; NULL where the file's work is used up: entries may all refer to the same long
 * texts.
 */
static const char *
keep(struct die_names *names, struct debug_data *data, const char *text, size_t len)
{
	if (!debug_data_work(data, len))
		return NULL;
	return strtab_str(&names->texts, strtab_intern(&names->texts, text, len));
}

/*
 * Demangles `mangled`, which is borrowed from the data. Linkers keep one copy of each string, so
 * that the templates that many units share are demangled once.
 */
static const char *
readable_of(struct die_names *names, struct debug_data *data, const char *mangled)
{
	size_t nreadable = names->mangled.count;
	uint32_t number = key_map_add(&names->mangled, (uintptr_t)mangled);

	if (number < nreadable)
		return names->readable[number];
	char *readable = demangle_within(mangled, &data->work);
	const char *name = readable ? readable : mangled;

	names->readable = mem_grow((void *)names->readable, &names->readable_capacity,
		(size_t)number + 1, sizeof(*names->readable));
	name = keep(names, data, name, strlen(name));
	names->readable[number] = name;
	free(readable);
	return name;
}

static const char *
name_of(struct die_names *names, struct debug_data *data, const struct chain *chain)
{
	const char *name = chain->linkage_name ? NULL : plain_name(chain);

	if (chain->linkage_name) {
		name = readable_of(names, data, chain->linkage_name);
	} else if (name) {
		struct buf text = {0};

		if (chain->unit && !is_flat(chain->unit) && names->depth < FUNCTIONS_MAX) {
			names->depth++;
			put_scopes(names, chain->unit, chain->offset, &text);
			names->depth--;
		}
		buf_puts(&text, name);
		name = keep(names, data, buf_text(&text), text.len);
		buf_release(&text);
	}
	return name && *name ? name : NULL;
}

static const char *
path_of(struct die_names *names, struct debug_data *data, const struct chain *chain)
{
	if (!chain->source)
		return NULL;
	struct name_unit *its = unit_of(names, chain->source);

	if (!its->files_tried) {
		its->files_tried = true;
		source_lines_read_files(&its->lines, chain->source);
	}
	if (chain->source_file >= its->lines.nfiles)
		return NULL;
	struct source_file *file = &its->lines.files[chain->source_file];
	struct buf text = {0};

	if (!file->path && source_lines_path(&its->lines, chain->source_file, &text))
		file->path = keep(names, data, text.data, text.len);
	buf_release(&text);
	return file->path;
}

const struct die_name *
die_names_get(const struct die_names *names, uint32_t number)
{
	return &names->found[number];
}

struct scan_scopes *
die_names_scopes(struct die_names *names, struct debug_unit *unit)
{
	struct name_unit *its = unit_of(names, unit);

	if (its->scopes_tried || is_flat(unit))
		return NULL;
	its->scopes_tried = true;
	return &its->scopes;
}

uint32_t
die_names_find(struct die_names *names, const struct debug_units *units, uint64_t offset)
{
	const struct debug_unit *unit = units ? debug_units_find(units, offset) : NULL;
	struct chain chain = {.units = units, .offset = offset};

	if (!unit)
		return NAME_UNKNOWN;
	uintptr_t entry = (uintptr_t)(unit->data->sections[DEBUG_INFO].start + offset);
	uint32_t number = key_map_find(&names->entries, entry);

	if (number != KEY_MAP_NONE)
		return number;
	follow(&chain);
	take_class(names, &chain);

	struct die_name found = {
		.name = name_of(names, unit->data, &chain),
		.file = path_of(names, unit->data, &chain),
		.line = chain.line <= UINT32_MAX ? (uint32_t)chain.line : 0,
	};

	/* The search for its scopes may have added it already. */
	return add_found(names, entry, &found);
}
