/*
 * The costs of one function in a callgrind file by source line.
 */
#ifndef INGEST_CALLGRIND_LINES_H
#define INGEST_CALLGRIND_LINES_H

#include "ingest/callgrind_internal.h"
#include "profile/line_weights.h"

#include <stdbool.h>
#include <stdint.h>

/* Zero it and set `weights`. */
struct callgrind_lines {
	struct line_weights *weights; /* borrowed; NULL: not wanted */
	struct callgrind_names *names;
	str_id file;          /* of the lines that follow */
	str_id function_file; /* of the lines of each function that follows, at first */
	uint64_t line;        /* of the line of costs before: others are relative to it */
	bool inside;          /* the lines are the function's */
};

/* A position was read: the function, or a source file, of the lines that follow. */
void callgrind_lines_position(
	struct callgrind_lines *lines, const struct callgrind_line *line, str_id id);

/* Moves to the source line that a line of costs is of, as those without costs do, too. */
void callgrind_lines_move(
	struct callgrind_lines *lines, const struct callgrind_part *part, struct line text);

/* Adds the cost of the line that it moved to; `callee`: of calls of that function, else 0. */
void callgrind_lines_add(struct callgrind_lines *lines, double cost, str_id callee);

#endif
