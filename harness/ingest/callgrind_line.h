/*
 * The lines of a callgrind file, each by itself.
 *
 *     fn=(12) name       a position: what the lines below are about
 *     calls=3 40         calls of what cfn= has named, to its line 40; the next line is their cost
 *     41 900             line 41 (or +1, -1, * for "as before"; 0x...), and the costs of its events
 *     events: Ir         a header line
 *
 * Source: Callgrind Format Specification, version 1, 3.2 (in Valgrind's manual).
 */
#ifndef INGEST_CALLGRIND_LINE_H
#define INGEST_CALLGRIND_LINE_H

#include "base/lines.h"

#include <stdbool.h>
#include <stddef.h>

enum callgrind_line_kind {
	CALLGRIND_EMPTY, /* and comments */
	CALLGRIND_COST,
	CALLGRIND_POSITION, /* value: what is after the '=' */
	CALLGRIND_CALLS,
	CALLGRIND_JUMP,   /* jump= and jcnd=: a line follows that has no costs */
	CALLGRIND_HEADER, /* value: what is after the colon, without the spaces there */
	CALLGRIND_OTHER,
};

/* Of CALLGRIND_POSITION. */
enum callgrind_position {
	CALLGRIND_FN,
	CALLGRIND_FL, /* and fi=, fe=: of code inlined from another file */
	CALLGRIND_OB,
	CALLGRIND_CFN,
	CALLGRIND_CFL,
	CALLGRIND_COB,
};

struct callgrind_line {
	enum callgrind_line_kind kind;
	enum callgrind_position position;
	bool begins_function; /* fl=, not fi= and fe= */
	struct line key;      /* of a header line */
	struct line value;
};

/* Takes the line apart; it may end in a carriage return. */
struct callgrind_line callgrind_line_parse(struct line line);

/* Whether a header line's key is this one. */
bool callgrind_line_is(const struct callgrind_line *line, const char *key);
/* Whether it is one that the specification names, so that the file may be callgrind's. */
bool callgrind_line_is_known(const struct callgrind_line *line);

/* The next word of `text`, which is moved on behind it; empty where there is none. */
struct line callgrind_line_word(struct line *text);

/*
 * The cost of event `which` in a cost line with `positions` positions, 0 where it has fewer costs.
 * False where something is no number, with *at there.
 */
bool callgrind_line_cost(
	struct line line, size_t positions, size_t which, double *cost, const char **at);

#endif
