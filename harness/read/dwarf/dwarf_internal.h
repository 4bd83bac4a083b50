/*
 * The parts of the reader of inlined functions (inlines.h). This header declares, in this order:
 *
 *     entries   die.c
 *     passes    die_scan.c
 *     names     die_names.c
 *     lines     source_lines.c
 */
#ifndef DWARF_DWARF_INTERNAL_H
#define DWARF_DWARF_INTERNAL_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/strtab.h"
#include "dwarf/abbrevs.h"
#include "dwarf/debug_unit.h"
#include "dwarf/span_index.h"

/*
 * Entries: one of debug information (DIE) has attributes, and these have values.
 */

struct die_value {
	uint16_t attr; /* DW_AT_... */
	enum die_class class;
	uint64_t number;
	const char *text; /* of DIE_TEXT; NULL otherwise */
};

struct die {
	const struct debug_unit *unit;
	const struct abbrev *abbrev;
	struct cursor cursor; /* at the next value */
	uint32_t next_attr;
};

/* The entry at `offset` of .debug_info, in a unit in use; false where there is none. */
bool die_open(struct die *die, const struct debug_unit *unit, uint64_t offset);
/* Reads the next value that has one of `uses` (enum abbrev_use); false where there is none. */
bool die_next_of(struct die *die, unsigned uses, struct die_value *value);
/* Reads the next attribute; false behind the last one and where the entry is damaged. */
bool die_next(struct die *die, struct die_value *value);
/* Reads a value of this form as `unit` writes them; a cursor that fails leaves it undefined. */
void die_read_value(const struct debug_unit *unit, struct cursor *cursor, struct abbrev_form form,
	struct die_value *value);

/* The string that `value` stands for, borrowed from the data; NULL where there is none. */
const char *die_string(const struct debug_unit *unit, const struct die_value *value);

/* Where an entry's machine code is, gathered from its attributes. Zero it first. */
struct die_code {
	bool has_low;
	bool has_high;
	bool has_ranges;
	bool ranges_indexed;
	uint64_t low;
	uint64_t high; /* behind the last byte */
	uint64_t ranges;
	bool high_is_size;
};

/* Takes `value` into account if it is about code. */
void die_take_code(
	const struct debug_unit *unit, const struct die_value *value, struct die_code *code);
/*
 * Appends the ranges of the list at `offset`, or of number `offset` where it is `indexed`, to
 * `spans`, with `item`. False where the list is damaged; what came before is then in. Source: DWARF
 * 4, section 2.17.3 (.debug_ranges); DWARF 5, sections 2.17.3, 7.25 and 7.28 (.debug_rnglists).
 */
bool die_ranges(const struct debug_unit *unit, uint64_t offset, bool indexed,
	struct span_list *spans, uint32_t item);
/* Appends the ranges to `spans`, with `item`; none and false where they cannot all be read. */
bool die_code_spans(const struct debug_unit *unit, const struct die_code *code,
	struct span_list *spans, uint32_t item);

/*
 * Passes: over the entries of a unit, for the functions that have code in it, for those that were
 * inlined into one of them, and for the scopes that the entries stand in.
 *
 * Positions of entries are counted from the start of their unit.
 */

/* In place of an index. */
#define SITE_NONE UINT32_MAX

struct scan_function {
	uint32_t die;
	/* The caller's, zero at first: */
	uint32_t name;
	bool tried;
	struct scan_site *sites;
	uint32_t nsites;
	struct span_index index; /* of `sites` */
};

struct scan_functions {
	struct scan_function *functions; /* owned */
	size_t count;
	size_t capacity;
	struct span_list spans; /* their code; items are indices of `functions` */
};

/* An entry that gives those within it a part of their names. */
struct scan_scope {
	uint32_t die;
	uint32_t end;    /* behind the last entry within */
	uint32_t parent; /* index; SITE_NONE at the top */
};

struct scan_scopes {
	struct scan_scope *scopes; /* owned; by `die` */
	size_t count;
	size_t capacity;
};

/*
 * Finds the functions of a unit that have code, and its scopes: namespaces, classes and functions.
 * Either may be NULL. False where the unit is damaged, too deep or refers to more than it can hold:
 * both are empty then.
 */
bool die_scan_unit(
	struct debug_unit *unit, struct scan_functions *functions, struct scan_scopes *scopes);
void scan_functions_release(struct scan_functions *found);
void scan_scopes_release(struct scan_scopes *found);
/* The innermost scope around the entry at `die`; SITE_NONE if it stands at the top. */
uint32_t scan_scopes_find(const struct scan_scopes *scopes, uint32_t die);

/* A call that was replaced by the code of its callee. */
struct scan_site {
	uint64_t origin;    /* the callee's entry in .debug_info; SITE_NO_ORIGIN: unknown */
	bool shared;        /* `origin` is in the file of `data->alt` */
	uint32_t parent;    /* the site whose code it is part of; SITE_NONE: the function's own */
	uint32_t call_line; /* 0 if not known */
	uint32_t name;      /* the caller's; 0 at first */
};

#define SITE_NO_ORIGIN UINT64_MAX

struct scan_sites {
	struct scan_site *sites; /* owned; parents before those inlined into them */
	size_t count;
	size_t capacity;
	struct span_list spans; /* their code; items are indices of `sites` */
};

/* The inlined calls in the function of the entry at `die`. False likewise; release either way. */
bool die_scan_sites(struct debug_unit *unit, uint32_t die, struct scan_sites *found);
void scan_sites_release(struct scan_sites *found);

/*
 * Names: those of functions, and where their source is, out of their entries.
 *
 * A function that was inlined or that is defined apart from its declaration is described by several
 * entries that refer to each other, across units and into the file that dwz made.
 */

struct die_name {
	const char *name; /* demangled, or with its scopes; NULL if not known */
	const char *file; /* path of the source file; NULL if not known */
	uint32_t line;    /* of its declaration; 0 if not known */
};

struct name_unit;

struct die_names {
	struct name_unit *units; /* the arena's; a list of those in use */
	struct key_map entries;  /* by address in memory: index of `found` */
	struct die_name *found;  /* owned */
	size_t found_capacity;
	struct key_map mangled; /* by address of the name in the data: index of `readable` */
	const char **readable;  /* owned array */
	size_t readable_capacity;
	struct strtab texts; /* names and paths */
	struct arena arena;
	unsigned depth; /* of functions within functions */
};

/* The units that are passed to the functions below must live as long as `names`. */
void die_names_init(struct die_names *names);
void die_names_release(struct die_names *names);

/*
 * Where a pass over the entries of a unit, made for other reasons, puts the unit's scopes; NULL
 * where they are not needed.
 */
struct scan_scopes *die_names_scopes(struct die_names *names, struct debug_unit *unit);

/*
 * Finds the name of the function described by the entry at `offset` of the .debug_info of `units`
 * and by the entries that it refers to: returns a number, never 0, for die_names_get(). The same
 * entry has the same number.
 */
uint32_t die_names_find(struct die_names *names, const struct debug_units *units, uint64_t offset);
/* Valid until the next die_names_find(); its strings live as long as `names`. */
const struct die_name *die_names_get(const struct die_names *names, uint32_t number);

/*
 * Lines: the table of a unit says which source line an address is of, and has the paths of files.
 * Source: DWARF 5, section 6.2; DWARF 4, the same section, for the older form of the tables.
 */

struct source_file {
	const char *name; /* borrowed from the data; may be NULL */
	const char *path; /* the caller's, to keep what source_lines_path() gave; NULL at first */
	uint32_t folder;  /* index of `folders` */
};

/* Where another line starts. */
struct source_row {
	uint32_t offset; /* in the sequence */
	uint32_t line;   /* 0: of no line */
};

/* Rows of increasing addresses. */
struct source_sequence {
	uint64_t start;
	uint32_t first_row;
	uint32_t nrows;
};

struct source_lines {
	const struct debug_unit *unit; /* borrowed */
	const char **folders;          /* owned array of borrowed strings, which may be NULL */
	size_t nfolders;
	size_t folders_capacity;
	struct source_file *files; /* owned; by number, as entries refer to them */
	size_t nfiles;
	size_t files_capacity;
	struct source_row *rows; /* the arena's */
	size_t nrows;
	struct source_sequence *sequences; /* owned */
	size_t nsequences;
	size_t sequences_capacity;
	struct span_index index; /* of `sequences` */
};

/* Room for rows in the making, for one table after the other. Zero it first. */
struct source_scratch {
	struct source_row *rows; /* owned: free() */
	size_t count;
	size_t capacity;
};

/* Reads the names of the files. False where there are none or they are damaged; then it is empty.
 */
bool source_lines_read_files(struct source_lines *lines, struct debug_unit *unit);
/* Reads the rows, which go to `arena`. Likewise; once for a struct source_lines. */
bool source_lines_read_rows(struct source_lines *lines, struct debug_unit *unit,
	struct source_scratch *scratch, struct arena *arena);
void source_lines_release(struct source_lines *lines);

/* Appends the path of file `number`, as far as it is known; false if it is not known at all. */
bool source_lines_path(const struct source_lines *lines, uint64_t number, struct buf *path);
/* The line of the code at `address`; 0 if not known. */
uint32_t source_lines_find(const struct source_lines *lines, uint64_t address);

#endif
