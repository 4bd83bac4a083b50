/*
 * Where the lines of a source file are after a change of it.
 */
#ifndef ANALYSIS_LINE_MAP_H
#define ANALYSIS_LINE_MAP_H

#include "base/allowance.h"
#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A source file by lines.
 */

/* All zeros is a file that was not found. */
struct source_text {
	char *path; /* where it was found */
	int64_t written_s;
	struct buf text;
	size_t *starts; /* of each line, and behind the last */
	size_t nlines;
	size_t starts_capacity;
};

/*
 * Finds the file that debug information calls `path`: that file, or with a `folder` the one below
 * it whose path ends as `path` does, in as many parts as there are. False where there is none that
 * can be read.
 */
bool source_text_find(struct source_text *source, const char *path, const char *folder);
void source_text_release(struct source_text *source);

/* Appends line `number`, counted from 1, without its end, made safe and its tabs as spaces. */
void source_text_put(const struct source_text *source, uint32_t number, struct buf *out);

/* Lines counted from 1, both included; zeros: the line is gone. */
struct line_range {
	uint32_t first;
	uint32_t last;
};

/* All zeros knows no line. */
struct line_map {
	struct line_range *ranges; /* by line, from 1 on; owned */
	size_t count;
};

/*
 * Compares two versions of a file. Lines that are the same, white space aside, in a longest common
 * subsequence are one line, and so is one that moved. A changed line is where most of its words and
 * operators are: one line, or several where it was split. Where nothing of it is left it is all
 * that stands in its place. `split` has a line on each side, 0 for none, such as that of a
 * function's declaration: lines from there on are compared with one another, so that a function may
 * have moved. `cells` as in lcs_pair().
 */
void line_map_init(struct line_map *map, const struct source_text *before,
	const struct source_text *after, const uint32_t split[2], struct allowance *cells);
void line_map_release(struct line_map *map);

/* Lines that the map does not know stay where they are. */
struct line_range line_map_find(const struct line_map *map, uint32_t line);

#endif
