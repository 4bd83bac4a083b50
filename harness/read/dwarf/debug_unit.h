/*
 * The sections of one file's debug information (DWARF), as bytes in memory.
 *
 * Why not through libdw: its accessors take some 100 ns an entry and attribute, and a unit of a C++
 * program has 100,000 entries. This reader takes 5 to 10 ns an entry.
 */
#ifndef DWARF_DEBUG_UNIT_H
#define DWARF_DEBUG_UNIT_H

#include "base/allowance.h"
#include "base/arena.h"
#include "base/map.h"
#include "dwarf/cursor.h"
#include "elf/elf_image.h"

#include <stddef.h>
#include <stdint.h>

/*
 * A unit's table of abbreviations: what entries of each kind hold, and how to step over them.
 * Source: DWARF 5, sections 7.5.3 and 7.5.6.
 */

/* How the bytes of a value are to be read. */
enum abbrev_layout {
	LAYOUT_INVALID, /* the form is not known */
	LAYOUT_FIXED,   /* so many bytes */
	LAYOUT_ULEB,
	LAYOUT_SLEB,
	LAYOUT_STRING,
	LAYOUT_BLOCK, /* a length of so many bytes, then as many bytes as it says */
	LAYOUT_BLOCK_ULEB,
	LAYOUT_INDIRECT, /* the form itself stands in the entry */
};

/* The class of a value. */
enum die_class {
	DIE_OTHER, /* blocks and what is not known */
	DIE_CONSTANT,
	DIE_OFFSET, /* in another section */
	DIE_ADDRESS,
	DIE_INDEX,       /* of an address in .debug_addr, or of a list of ranges */
	DIE_TEXT,        /* a string that stands in the entry; for all strings see die_string() */
	DIE_STR,         /* one in .debug_str */
	DIE_LINE_STR,    /* one in .debug_line_str */
	DIE_SHARED_STR,  /* one in the file of `data->alt` */
	DIE_INDEXED_STR, /* one by its index in .debug_str_offsets */
	DIE_REFERENCE,   /* to an entry by its offset in .debug_info */
	DIE_UNIT_REF,    /* the same by its offset in the unit; values that were read have none */
	DIE_SHARED_REF,  /* to an entry in the file of `data->alt` */
	DIE_IN_TABLE,    /* a constant that is not in the entry but in the abbreviation */
};

/* The properties of a form (DW_FORM_...). */
struct abbrev_form {
	uint8_t bytes;
	uint8_t layout; /* enum abbrev_layout */
	uint8_t class;  /* enum die_class */
};

/* The uses of attributes; a pass over entries reads those for some uses and skips the others. */
enum abbrev_use {
	USE_CODE = 1, /* where machine code is */
	USE_CALL = 2, /* what was inlined, and into which line */
	USE_NAME = 4, /* what a function is called, and where its source is */
	USE_ROOT = 8, /* all else, of a unit's root only */
	USE_ALL = 15,
};

struct abbrev_attr {
	uint16_t name; /* DW_AT_... */
	uint8_t uses;  /* enum abbrev_use, several */
	struct abbrev_form form;
	int64_t constant; /* of DIE_IN_TABLE */
};

/*
 * In `sibling_at` where the entry does not say where its next sibling is, or not at a fixed place.
 */
#define ABBREV_NO_SIBLING UINT16_MAX
/* In place of a number of bytes where it is not fixed, or the entry is no leaf. */
#define ABBREV_NO_SIZE UINT16_MAX

struct abbrev {
	uint64_t code;
	uint32_t first_attr;
	uint32_t nattrs;
	uint16_t tag;        /* DW_TAG_... */
	uint16_t sibling_at; /* bytes from the entry's first value to DW_AT_sibling (ref4) */
	uint16_t bytes;      /* of all values */
	bool has_children;
	bool has_code;    /* may say where its machine code is */
	bool declaration; /* of something that is defined elsewhere */
};

/* The sizes that some forms depend on. */
struct abbrev_format {
	uint8_t version;
	uint8_t address_bytes; /* 4 or 8 */
	uint8_t offset_bytes;  /* 4 or 8 */
};

struct abbrevs {
	struct abbrev_format format;
	struct abbrev *entries; /* owned; sorted by code */
	size_t count;
	size_t capacity;
	struct abbrev_attr *attrs; /* owned */
	size_t nattrs;
	size_t attrs_capacity;
	/*
	 * Owned; by code: the bytes of all values of entries that have no children and that no pass
	 * over entries looks for; ABBREV_NO_SIZE for others. None where codes do not count from 1.
	 */
	uint16_t *leaf_bytes;
	size_t nleaves;
};

/*
 * Decodes the table that starts at `cursor`; with `only`, no further than the abbreviation of that
 * code. False where it is damaged: forms that are not known make only those entries unreadable.
 * abbrevs_release() either way. The cursor is left behind what was read.
 */
bool abbrevs_read(struct abbrevs *abbrevs, const struct abbrev_format *format,
	struct cursor *cursor, uint64_t only);
void abbrevs_release(struct abbrevs *abbrevs);

/* NULL if there is none of this code. */
const struct abbrev *abbrevs_find_sparse(const struct abbrevs *abbrevs, uint64_t code);

/* Codes nearly always count from 1. */
static inline const struct abbrev *
abbrevs_find(const struct abbrevs *abbrevs, uint64_t code)
{
	if (code - 1 < abbrevs->count && abbrevs->entries[code - 1].code == code)
		return &abbrevs->entries[code - 1];
	return abbrevs_find_sparse(abbrevs, code);
}

/* The form of this number, as units of `format` have it. */
struct abbrev_form abbrev_form_of(const struct abbrev_format *format, uint64_t number);
/* Steps over a value. */
void abbrev_skip_value(
	const struct abbrev_format *format, struct abbrev_form form, struct cursor *cursor);

/* Steps over the values of an entry. */
static inline void
abbrev_skip(const struct abbrevs *abbrevs, const struct abbrev *abbrev, struct cursor *cursor)
{
	if (abbrev->bytes != ABBREV_NO_SIZE) {
		cursor_skip(cursor, abbrev->bytes);
		return;
	}
	/* There are some: an entry without attributes has a fixed size. */
	const struct abbrev_attr *attrs = &abbrevs->attrs[abbrev->first_attr];

	for (uint32_t i = 0; i < abbrev->nattrs; i++) {
		if (attrs[i].form.layout == LAYOUT_FIXED)
			cursor_skip(cursor, attrs[i].form.bytes);
		else
			abbrev_skip_value(&abbrevs->format, attrs[i].form, cursor);
	}
}

enum debug_section {
	DEBUG_INFO,
	DEBUG_ABBREV,
	DEBUG_STR,
	DEBUG_LINE,
	DEBUG_LINE_STR,
	DEBUG_STR_OFFSETS,
	DEBUG_ADDR,
	DEBUG_RANGES,
	DEBUG_RNGLISTS,
	DEBUG_CU_INDEX, /* of packages of .dwo files only */
	DEBUG_NSECTIONS,
};

struct debug_bytes {
	const unsigned char *start;
	size_t len;
};

struct debug_data {
	struct debug_bytes sections[DEBUG_NSECTIONS];
	struct debug_data *alt; /* of the file to which dwz moved shared entries; NULL if none */
	/*
	 * Bytes that may still be read. A file can refer to the same megabytes from every one of
	 * its entries; loops take their work from here and stop where there is no more.
	 */
	struct allowance work;
	/*
	 * Bytes of memory for what is kept of the entries. Packed sections are twenty times the
	 * file, and an entry of a few bytes is kept in hundreds.
	 */
	struct allowance memory;
};

/*
 * Finds the sections of `image`, which must stay open as long as they are used; compressed ones are
 * decompressed. `split`: those of a .dwo file, or a package of them, whose names end so. False
 * where there is no .debug_info that can be read: of a linked file, and of this machine's byte
 * order.
 */
bool debug_data_read(struct debug_data *data, struct elf_image *image, bool split);
/*
 * Sets `work` and `memory` by the sizes of the sections: each byte may be read so many times, of
 * which compilers' output needs three. debug_data_read() sets `memory` by the size of the file.
 */
#define DEBUG_WORK_LEAST ((uint64_t)1 << 20)
#define DEBUG_LOOKS_MAX 16
#define DEBUG_MEMORY_LEAST ((uint64_t)4 << 20)
#define DEBUG_MEMORY_RATIO 16
void debug_data_grant(struct debug_data *data);
/* Takes `bytes` of work; false, and from then on, where there is no more. */
static inline bool
debug_data_work(struct debug_data *data, uint64_t bytes)
{
	return allowance_take(&data->work, bytes);
}

/* The same of memory. */
static inline bool
debug_data_memory(struct debug_data *data, uint64_t bytes)
{
	return allowance_take(&data->memory, bytes);
}

/* The bytes of a section from `offset` on; failed where it lies outside. */
struct cursor debug_data_at(
	const struct debug_data *data, enum debug_section section, uint64_t offset);

/*
 * An index of nested address ranges, to find the innermost one at an address.
 */

struct span {
	uint64_t low;
	uint64_t high; /* behind the last byte */
	uint32_t item;
};

struct span_list {
	struct span *spans; /* owned */
	size_t count;
	size_t capacity;
};

/* Empty and inverted ranges are left out. */
void span_list_add(struct span_list *list, uint64_t low, uint64_t high, uint32_t item);
void span_list_release(struct span_list *list);

#define SPAN_NONE UINT32_MAX

/* Segments that do not overlap, by start; each reaches to the next one. */
struct span_index {
	uint64_t *starts; /* [count], the arena's */
	uint32_t *items;  /* [count]; SPAN_NONE where nothing is */
	size_t count;
};

/*
 * Cuts the spans of `list` into segments of their innermost: the one that starts last, among those
 * that start together the shorter one, among equal ones that of the larger item. Sorts `list`.
 */
void span_index_build(struct span_index *index, struct span_list *list, struct arena *arena);
/* The item there; SPAN_NONE if none. */
uint32_t span_index_find(const struct span_index *index, uint64_t address);

/*
 * The units of .debug_info: one for each source file that was compiled, and those that hold what
 * several share.
 */

struct debug_units;
struct name_unit;

struct debug_unit {
	struct debug_data *data;
	const struct debug_units *of; /* the units that it is one of */
	uint64_t offset;              /* in .debug_info, as those below */
	uint64_t first_die;           /* of its root entry */
	uint64_t end;
	uint64_t abbrev_offset;
	struct abbrev_format format;
	/* The skeleton of these entries from a .dwo file; NULL: the program's own. Borrowed. */
	struct debug_unit *skeleton;
	uint64_t dwo_id; /* of the header or, until DWARF 4, the root entry */
	bool has_dwo_id;
	/* For the root entry, once debug_unit_open() has read it: */
	bool root_read;
	bool has_lines;
	bool code_lost;    /* the list of its code is damaged */
	uint16_t language; /* DW_LANG_...; 0 if it does not say */
	uint64_t low_pc;   /* the base of its ranges */
	uint64_t lines;    /* where its line table is in .debug_line */
	uint64_t str_offsets_base;
	uint64_t addr_base;
	uint64_t rnglists_base;
	uint64_t split_ranges_base; /* where the lists of a skeleton's .dwo start, until DWARF 4 */
	const char *dwo_name; /* of a skeleton: the file with its entries; borrowed; NULL: none */
	const char *folder;   /* where it was compiled; borrowed from the data; NULL if not known */
	/* Once an entry has been read: */
	bool abbrevs_tried;
	struct abbrevs abbrevs;  /* empty where they cannot be read */
	struct name_unit *names; /* of die_names; NULL at first */
};

struct debug_units {
	struct debug_unit *units; /* owned; by offset */
	size_t count;
	const struct debug_units *shared; /* of `data->alt`; NULL if none */
};

/*
 * Reads the headers of the units of `data`, up to the first that is damaged; units of a version
 * that is not known are left out. Supported are DWARF 2 to 5. `units` must stay where it is.
 */
void debug_units_read(struct debug_units *units, struct debug_data *data);
void debug_units_release(struct debug_units *units);
/* The unit that holds the entry at `offset` of .debug_info; NULL if none. */
struct debug_unit *debug_units_find(const struct debug_units *units, uint64_t offset);

/*
 * Reads the root entry, unless that is done. Appends where the unit's code is, with `item`, if
 * `spans` is not NULL. False where it cannot be read.
 */
bool debug_unit_open(struct debug_unit *unit, struct span_list *spans, uint32_t item);
/* The same with the whole table of abbreviations, for its other entries. */
bool debug_unit_use(struct debug_unit *unit);

/*
 * Units whose entries are not in the program (-gsplit-dwarf): a skeleton is left there, which says
 * where its code and its lines are, and names a .dwo file that has the rest. Many .dwo files can be
 * packed into one beside the program, PROGRAM.dwp.
 *
 * A file is taken only if its id is the skeleton's. Source: DWARF 5,
 * sections 3.1.2, 7.3.2 and 7.3.5; for DWARF 4, the extension that GCC and clang share,
 * https://gcc.gnu.org/wiki/DebugFission and DebugFissionDWP.
 */

struct split_file;

struct split_units {
	char *program;            /* owned path, beside which files may be; NULL: none */
	char *root;               /* owned; the paths in skeletons are below it */
	struct debug_data *given; /* borrowed: used in place of files; NULL: files are */
	struct debug_data package;
	struct elf_image image; /* of `package` */
	bool package_tried;
	struct split_file *files; /* owned list */
	uint64_t file_bytes;      /* of .dwo files that were read */
	uint64_t again_bytes;     /* ... of those that had been read before */
	struct key_map inodes;    /* of all of them */
	size_t nmissing;
	char *first_missing; /* owned path; NULL: none is missing */
};

/* `program` and `given` may be NULL; see struct split_units. */
void split_units_init(
	struct split_units *split, const char *program, const char *root, struct debug_data *given);
void split_units_release(struct split_units *split);

/*
 * The unit that has the entries of `skeleton`, which has been opened: in use, and as long as
 * `split` lives. NULL where there is none that matches: that is counted, so call it once for each.
 */
struct debug_unit *split_units_find(struct split_units *split, struct debug_unit *skeleton);

/*
 * Makes `part` the sections of `package` as the unit of `id` has them, by its index
 * (.debug_cu_index): slices of some, and the whole of .debug_str. False where it is not there, or a
 * slice lies outside of its section.
 */
bool split_units_slice(const struct debug_data *package, uint64_t id, struct debug_data *part);

#endif
