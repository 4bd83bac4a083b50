/*
 * A unit's table of lines: which source line an address is of, and the paths of its source files.
 * Source: DWARF 5, section 6.2; DWARF 4, the same section, for the older form of the tables.
 */
#ifndef DWARF_SOURCE_LINES_H
#define DWARF_SOURCE_LINES_H

#include "base/buf.h"
#include "dwarf/debug_unit.h"

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
