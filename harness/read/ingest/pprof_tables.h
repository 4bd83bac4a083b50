/*
 * The tables of a pprof file that its samples refer to: texts, types of values, functions,
 * locations, mappings.
 */
#ifndef INGEST_PPROF_TABLES_H
#define INGEST_PPROF_TABLES_H

#include "base/allowance.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/key_map.h"
#include "base/unit.h"
#include "ingest/wire.h"
#include "profile/pprof_fields.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Not terminated; without what follows a NUL. */
struct pprof_text {
	const char *at;
	size_t len;
};

/* Numbers of texts. */
struct pprof_type {
	uint64_t name;
	uint64_t unit;
};

struct pprof_function {
	uint64_t name;
	uint64_t file;
	uint32_t line; /* of its declaration; 0: not known */
};

/* The function at an address, or one that was inlined there. */
struct pprof_line {
	uint64_t function; /* its id */
	uint32_t line;     /* of the code; 0: not known */
};

/* The functions at an address, innermost first: first_line and so on of `lines`. */
struct pprof_location {
	uint64_t mapping; /* its id; 0: none */
	size_t first_line;
	size_t nlines;
};

struct pprof_mapping {
	uint64_t file; /* the numbers of texts */
	uint64_t build_id;
};

/* All is owned but for the bytes of the file. Ids are numbered by the maps, and index the arrays.
 */
struct pprof_tables {
	struct pprof_text *texts;
	size_t ntexts;
	size_t texts_capacity;
	struct pprof_type *types; /* of the values of each sample */
	size_t ntypes;
	size_t types_capacity;
	struct key_map function_ids;
	struct pprof_function *functions;
	size_t functions_capacity;
	struct key_map location_ids;
	struct pprof_location *locations;
	size_t locations_capacity;
	struct pprof_line *lines;
	size_t nlines;
	size_t lines_capacity;
	struct key_map mapping_ids;
	struct pprof_mapping *mappings; /* the first is that of the program */
	size_t mappings_capacity;
	struct pprof_type period_type;
	uint64_t period;
	uint64_t default_type; /* the number of a text; 0: not said */
	uint64_t comment;      /* the same, of the first one */
	uint64_t comment2;     /* ... and of the last one, if there are several */
	uint64_t time_ns;
	uint64_t duration_ns;
	struct allowance memory; /* for all of these: entries can be packed to nearly nothing */
};

/*
 * Reads them out of the file's (expanded) bytes, which must outlive them. pprof_tables_release() is
 * needed in any case. `path` is for messages, `stored` the size of the file as it is stored.
 */
int pprof_tables_read(struct pprof_tables *tables, const char *path, const struct wire *file,
	size_t stored, struct err *err);
void pprof_tables_release(struct pprof_tables *tables);

/* Text number `n`; "" where there is none. */
struct pprof_text pprof_text(const struct pprof_tables *tables, uint64_t n);
bool pprof_text_is(const struct pprof_tables *tables, uint64_t n, const char *text);

/*
 * The types of values that a pprof file has: which one is read, and in which unit.
 */

/*
 * Sets *type to the index of the type `wanted`; if that is NULL to the one that pprof shows: the
 * file's default, or its last one. Samples say the same as the CPU time that each stands for, and
 * how many there are: they are read instead. `path` is for messages.
 */
int pprof_types_choose(const struct pprof_tables *tables, const char *path, const char *wanted,
	size_t *type, struct err *err);

/* The unit of a type; NULL for all but times and sizes. */
const struct unit *pprof_types_unit(
	const struct pprof_tables *tables, const struct pprof_type *type);

/* Adds the name of a type to a list for a message, which ends with "..." where it is long. */
void pprof_types_list(const struct pprof_tables *tables, size_t type, struct buf *out);

/* Warns of the types that are not read, unless they say the same as `type`. */
void pprof_types_warn(const struct pprof_tables *tables, const char *path, size_t type);

/*
 * The frames of a profile that stand for the functions, locations and mappings of a pprof file.
 */

struct pprof_frames {
	struct profile *profile; /* borrowed, as the tables */
	const struct pprof_tables *tables;
	str_id *interned;   /* by text; 0: not yet */
	frame_id *named;    /* by text, of functions and of inlined ones; 0: not made yet */
	bool at_lines;      /* a frame is of a line of its function, where that is known */
	frame_id *of_lines; /* of tables->lines */
	frame_id *unnamed;  /* of tables->locations without functions */
};

/* Makes those of all locations. */
void pprof_frames_make(struct pprof_frames *frames, const struct pprof_tables *tables,
	struct profile *profile, bool at_lines);
void pprof_frames_release(struct pprof_frames *frames);

/* The name of a mapping's file, behind the last '/'; empty where there is no such mapping. */
struct pprof_text pprof_frames_file(const struct pprof_tables *tables, uint32_t mapping);

#endif
