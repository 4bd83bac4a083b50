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
#include "dwarf/abbrevs.h"
#include "dwarf/cursor.h"
#include "elf/elf_image.h"

#include <stddef.h>
#include <stdint.h>

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
bool debug_data_work(struct debug_data *data, uint64_t bytes);
/* The same of memory. */
bool debug_data_memory(struct debug_data *data, uint64_t bytes);

/* The bytes of a section from `offset` on; failed where it lies outside. */
struct cursor debug_data_at(
	const struct debug_data *data, enum debug_section section, uint64_t offset);
/* The terminated string there, of at most 64 KiB; NULL where there is none. */
const char *debug_data_string(
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

#endif
