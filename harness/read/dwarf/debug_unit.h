/*
 * The units of .debug_info: one for each source file that was compiled, and those that hold what
 * several share.
 */
#ifndef DWARF_DEBUG_UNIT_H
#define DWARF_DEBUG_UNIT_H

#include "dwarf/abbrevs.h"
#include "dwarf/debug_data.h"
#include "dwarf/span_index.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
/* Opens a unit and reads its whole table of abbreviations, for entries other than the root. */
bool debug_unit_use(struct debug_unit *unit);

#endif
