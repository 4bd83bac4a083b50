#include "dwarf/die_names.h"

#include "base/buf.h"
#include "base/mem.h"
#include "dwarf/die.h"
#include "dwarf/die_scan.h"
#include "dwarf/source_lines.h"
#include "elf/demangle.h"

#include <dwarf.h>
#include <stdlib.h>

/* An inlined copy of a copy, its definition, its declaration: more can only be a circle. */
#define HOPS_MAX 16
#define SCOPES_MAX 32
/* Functions within functions. */
#define FUNCTIONS_MAX 4

/* What is needed of a unit to tell names and files; on first use. */
struct name_unit {
	struct source_lines lines;
	struct scan_scopes scopes;
	bool files_tried;
	bool scopes_tried;
};

/* An entry and the first of each attribute among it and those it refers to. */
struct chain {
	int file;                  /* of the entry looked at */
	uint64_t offset;           /* of the entry looked at */
	struct debug_unit *unit;   /* of the entry looked at */
	const char *linkage_name;  /* borrowed from the data */
	const char *name;          /* likewise */
	uint64_t source_file;      /* 0: not known */
	struct debug_unit *source; /* whose number that is */
	int source_of;             /* the file of that unit */
	uint64_t line;
};

void
die_names_init(struct die_names *names, struct debug_units *units, struct debug_units *shared)
{
	*names = (struct die_names){.files = {units, shared}};
	strtab_init(&names->keys);
	strtab_init(&names->mangled);
	strtab_init(&names->texts);
	arena_init(&names->arena);
	for (int i = 0; i < NAMES_NFILES; i++)
		names->units[i] =
			mem_zalloc(names->files[i]->count + 1, sizeof(struct name_unit *));
}

void
die_names_release(struct die_names *names)
{
	for (int i = 0; i < NAMES_NFILES; i++) {
		for (size_t unit = 0; unit < names->files[i]->count; unit++) {
			if (!names->units[i][unit])
				continue;
			source_lines_release(&names->units[i][unit]->lines);
			scan_scopes_release(&names->units[i][unit]->scopes);
		}
		free((void *)names->units[i]);
	}
	free(names->found);
	free((void *)names->readable);
	strtab_release(&names->keys);
	strtab_release(&names->mangled);
	strtab_release(&names->texts);
	arena_release(&names->arena);
}

static struct name_unit *
unit_of(struct die_names *names, int file, const struct debug_unit *unit)
{
	struct name_unit **slot = &names->units[file][unit - names->files[file]->units];

	if (!*slot)
		*slot = arena_alloc(&names->arena, sizeof(**slot));
	return *slot;
}

/* Takes what the entry says that is not known yet; false if it refers to no other one. */
static bool
take_entry(struct chain *chain, struct die *die)
{
	struct debug_unit *unit = chain->unit;
	int file = chain->file;
	bool refers = false;
	struct die_value value;

	while (die_next(die, &value)) {
		switch (value.attr) {
		case DW_AT_linkage_name:
		case DW_AT_MIPS_linkage_name:
			if (!chain->linkage_name)
				chain->linkage_name = die_string(unit, &value);
			break;
		case DW_AT_name:
			if (!chain->name)
				chain->name = die_string(unit, &value);
			break;
		case DW_AT_decl_file:
			if (!chain->source) {
				chain->source_file = value.number;
				chain->source = unit;
				chain->source_of = file;
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
			chain->file = value.class == DIE_REFERENCE ? file : NAMES_SHARED;
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
follow(struct die_names *names, struct chain *chain)
{
	struct die die;

	for (int hop = 0; hop < HOPS_MAX; hop++) {
		uint64_t offset = chain->offset;

		chain->unit = debug_units_find(names->files[chain->file], offset);
		if (!chain->unit || !debug_unit_use(chain->unit) ||
			!die_open(&die, chain->unit, offset) ||
			!debug_data_work(chain->unit->data, die.abbrev->nattrs))
			break;
		if (!take_entry(chain, &die))
			return;
		/* The scopes of a name that was mangled are in it. */
		if (chain->linkage_name && chain->source && chain->line)
			return;
	}
	chain->unit = NULL;
}

/* Whether functions stand in no scopes that their names should tell. */
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

/* Appends the name of the scope whose entry is at `offset`. */
static void
put_scope(struct die_names *names, int file, struct debug_unit *unit, uint64_t offset,
	struct buf *text)
{
	struct chain chain = {.file = file, .offset = offset};
	struct die die;

	if (!die_open(&die, unit, offset))
		return;
	unsigned tag = die.abbrev->tag;

	if (tag == DW_TAG_subprogram) {
		const char *name = die_names_get(names, die_names_find(names, file, offset))->name;

		buf_puts(text, name ? name : "{unnamed function}");
	} else {
		follow(names, &chain);
		buf_puts(text, chain.name                ? chain.name
			       : tag == DW_TAG_namespace ? "(anonymous namespace)"
							 : "{unnamed type}");
	}
	buf_puts(text, "::");
}

/* Fills `around` with the entries of the scopes around that at `offset`, the innermost first. */
static size_t
scopes_around(const struct scan_scopes *scopes, uint32_t offset, uint32_t around[SCOPES_MAX])
{
	size_t count = 0;

	for (uint32_t at = scan_scopes_find(scopes, offset); at != SITE_NONE && count < SCOPES_MAX;
		at = scopes->scopes[at].parent)
		around[count++] = scopes->scopes[at].die;
	return count;
}

/* Appends the names of the scopes around the entry at `offset`, the outermost first. */
static void
put_scopes(struct die_names *names, int file, struct debug_unit *unit, uint64_t offset,
	struct buf *text)
{
	struct name_unit *its = unit_of(names, file, unit);
	uint32_t around[SCOPES_MAX];

	if (!its->scopes_tried) {
		its->scopes_tried = true;
		if (!die_scan_scopes(unit, &its->scopes))
			scan_scopes_release(&its->scopes);
	}
	for (size_t i = scopes_around(&its->scopes, (uint32_t)(offset - unit->offset), around);
		i > 0; i--)
		put_scope(names, file, unit, unit->offset + around[i - 1], text);
}

static const char *
keep(struct die_names *names, const char *text, size_t len)
{
	return strtab_str(&names->texts, strtab_intern(&names->texts, text, len));
}

/*
 * Demangles `mangled`, which is borrowed from the data. Linkers keep one copy of each string, so
 * that the templates that many units share are demangled once.
 */
static const char *
readable_of(struct die_names *names, const char *mangled)
{
	str_id id = strtab_intern(&names->mangled, (const char *)&mangled, sizeof(mangled));

	if (id < names->readable_capacity && names->readable[id])
		return names->readable[id];
	char *readable = demangle(mangled);
	const char *name = readable ? readable : mangled;

	names->readable = mem_grow((void *)names->readable, &names->readable_capacity,
		(size_t)id + 1, sizeof(*names->readable));
	names->readable[id] = keep(names, name, strlen(name));
	free(readable);
	return names->readable[id];
}

static const char *
name_of(struct die_names *names, const struct chain *chain)
{
	const char *name = NULL;

	if (chain->linkage_name) {
		name = readable_of(names, chain->linkage_name);
	} else if (chain->name) {
		struct buf text;

		buf_init(&text);
		if (chain->unit && !is_flat(chain->unit) && names->depth < FUNCTIONS_MAX) {
			names->depth++;
			put_scopes(names, chain->file, chain->unit, chain->offset, &text);
			names->depth--;
		}
		buf_puts(&text, chain->name);
		name = keep(names, buf_text(&text), text.len);
		buf_release(&text);
	}
	return name && *name ? name : NULL;
}

static const char *
path_of(struct die_names *names, const struct chain *chain)
{
	if (!chain->source)
		return NULL;
	struct name_unit *its = unit_of(names, chain->source_of, chain->source);

	if (!its->files_tried) {
		its->files_tried = true;
		source_lines_read_files(&its->lines, chain->source);
	}
	if (chain->source_file >= its->lines.nfiles)
		return NULL;
	struct source_file *file = &its->lines.files[chain->source_file];
	struct buf text;

	buf_init(&text);
	if (!file->path && source_lines_path(&its->lines, chain->source_file, &text))
		file->path = keep(names, text.data, text.len);
	buf_release(&text);
	return file->path;
}

const struct die_name *
die_names_get(const struct die_names *names, uint32_t number)
{
	return &names->found[number];
}

uint32_t
die_names_find(struct die_names *names, int file, uint64_t offset)
{
	uint64_t key = offset << 1 | (uint64_t)file;
	str_id id = strtab_find(&names->keys, (const char *)&key, sizeof(key));

	if (id)
		return id;
	struct chain chain = {.file = file, .offset = offset};

	follow(names, &chain);

	struct die_name found = {
		.name = name_of(names, &chain),
		.file = path_of(names, &chain),
		.line = chain.line <= UINT32_MAX ? (uint32_t)chain.line : 0,
	};

	id = strtab_intern(&names->keys, (const char *)&key, sizeof(key));
	if (id >= names->capacity)
		names->found = mem_grow(
			names->found, &names->capacity, (size_t)id + 1, sizeof(*names->found));
	names->found[id] = found;
	return id;
}
