/*
 * The parts of the reader of callgrind files, for ingest_callgrind.c. This header declares, in this
 * order:
 *
 *     lines                   callgrind_line.c
 *     names                   callgrind_names.c
 *     parts                   callgrind_part.c
 *     costs by source line    callgrind_lines.c
 *     call graph              callgrind_graph.c
 *     estimated stacks        callgrind_estimate.c
 *
 * Source: Callgrind Format Specification, version 1 (in Valgrind's manual); for stacks, what
 * --separate-callers writes.
 */
#ifndef INGEST_CALLGRIND_INTERNAL_H
#define INGEST_CALLGRIND_INTERNAL_H

#include "base/allowance.h"
#include "base/buf.h"
#include "base/lines.h"
#include "base/map.h"
#include "base/strtab.h"
#include "base/text_map.h"
#include "ingest/ingest.h"
#include "profile/metric.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Lines: those of a callgrind file, each by itself.
 *
 *     fn=(12) name       a position: applies to the lines below
 *     calls=3 40         calls of the function of cfn=, to its line 40; the next line is their cost
 *     41 900             line 41 (or +1, -1, * for "as before"; 0x...), and the costs of its events
 *     events: Ir         a header line
 */

/* The kinds of names; each has numbers of its own. */
enum callgrind_name_kind {
	CALLGRIND_FUNCTION,
	CALLGRIND_SOURCE,
	CALLGRIND_OBJECT,
	CALLGRIND_NAME_KINDS
};

enum callgrind_line_kind {
	CALLGRIND_EMPTY, /* and comments, and assignments that say nothing of costs */
	CALLGRIND_COST,
	CALLGRIND_POSITION, /* value: what is after the '=' */
	CALLGRIND_CALLS,
	CALLGRIND_JUMP,   /* jump= and jcnd=: a line follows that has no costs */
	CALLGRIND_HEADER, /* value: what is after the colon, without the spaces there */
	CALLGRIND_OTHER,
};

/* The subject of a position: the costs below, or the target of a call or of a jump. */
enum callgrind_place {
	CALLGRIND_HERE,
	CALLGRIND_CALLED,   /* cfn=, cfi=, cfl= and cob= */
	CALLGRIND_JUMPED_TO /* jfn= and jfi= */
};

struct callgrind_line {
	enum callgrind_line_kind kind;
	enum callgrind_name_kind names; /* of CALLGRIND_POSITION */
	enum callgrind_place place;     /* of CALLGRIND_POSITION */
	bool begins_function;           /* fl=, not fi= and fe=: of code inlined from elsewhere */
	struct line key;                /* of a header line */
	struct line value;
};

/* Takes the line apart; it may end in a carriage return. */
struct callgrind_line callgrind_line_parse(struct line line);

/* Whether a header line's key is this one. */
bool callgrind_line_is(const struct callgrind_line *line, const char *key);
/* Whether it is one that the specification names, so that the file may be callgrind's. */
bool callgrind_line_is_known(const struct callgrind_line *line);

/* The words of a line of costs. */
struct callgrind_columns {
	size_t positions;
	size_t events;
	const struct event_sum *sum; /* of the events */
};

/*
 * The sum of the costs in a line; costs missing at its end are 0. False where a word is not a
 * number, or is one too many; *at is its start.
 */
bool callgrind_line_cost(
	struct line line, const struct callgrind_columns *columns, double *cost, const char **at);

/*
 * Names: those in a callgrind file, of functions, source files and ELF files, each written whole
 * once, "(12) name", and then as "(12)".
 *
 * Where callers were separated (--separate-callers), the name of a function is that of its stack,
 * innermost first: "f'2'g'main", or the numbers of the functions, "(7)'2'(5)'(1)", where
 * --compress-mangled was given. The number without parentheses is a level of recursion.
 */

struct callgrind_names {
	struct strtab texts;
	struct text_map numbered[CALLGRIND_NAME_KINDS]; /* "12" -> str_id of texts */
	struct allowance splitting; /* bytes of names that may still be split into stacks */
};

void callgrind_names_init(struct callgrind_names *names);
void callgrind_names_release(struct callgrind_names *names);

/*
 * Reads the text after "fn=" and the like: *id is that of the text in `texts`. False where a number
 * was given no name before.
 */
bool callgrind_names_take(struct callgrind_names *names, enum callgrind_name_kind kind,
	struct line value, str_id *id);

/* The frames of a stack, innermost first; zero it, and release with callgrind_stack_release(). */
struct callgrind_stack {
	str_id *frames; /* names in `texts` */
	size_t nframes;
	size_t capacity;
};

/* A stack of more frames than this is cut at its outer end. */
#define CALLGRIND_FRAMES_MAX 4096

void callgrind_stack_release(struct callgrind_stack *stack);

/*
 * The name of the innermost function, as far as the text alone shows: an apostrophe may also be
 * part of a name. To be called for all functions before callgrind_names_stack() is.
 */
str_id callgrind_names_leaf(struct callgrind_names *names, str_id function);

/*
 * Splits a function's name into its stack. `is_leaf`, by str_id below `nleaves`, says which texts
 * callgrind_names_leaf() has returned. Every function on a stack is also the leaf of one: any other
 * text after an apostrophe is part of the name.
 */
void callgrind_names_stack(struct callgrind_names *names, str_id function, const bool *is_leaf,
	size_t nleaves, struct callgrind_stack *stack);

/*
 * Parts: each has a header, with its process and the events that its costs count. A part is a
 * thread, or a time, of a run; concatenated files are read as parts, too.
 */

/* All zeros before the first. */
struct callgrind_part {
	size_t positions;     /* in each line of costs; where not stated, one: the line */
	size_t line_position; /* which of them is the source line; SIZE_MAX: none */
	size_t nevents;       /* 0: not stated */
	struct event_sum sum; /* what is read of each line of costs; empty if the selected event is
				 not among the file's */
	struct buf events;    /* the names of all */
	struct buf event;     /* the name of the one, or of the metric, that is read; set once */
	const struct metric *metric; /* that the file was captured for; NULL: not stated */
	struct buf command;
	struct buf program; /* the name of the file that the command starts */
	uint32_t pid;
	uint32_t thread; /* 0: not stated */
};

void callgrind_part_release(struct callgrind_part *part);

/* Forgets what another file stated. */
void callgrind_part_begin_file(struct callgrind_part *part);
/* Takes a header line; those that are not needed are ignored. */
void callgrind_part_take(struct callgrind_part *part, const struct callgrind_line *line,
	const struct ingest_options *options);
/* The node that its stacks stand below. */
node_id callgrind_part_root(const struct callgrind_part *part, const struct ingest_options *options,
	struct profile *profile);
/* Whether the options select it. */
bool callgrind_part_is_wanted(
	const struct callgrind_part *part, const struct ingest_options *options);

/*
 * Costs by source line: those of one function.
 */

/* Zero it and set `weights`. */
struct callgrind_lines {
	struct line_weights *weights; /* borrowed; NULL: not wanted */
	struct callgrind_names *names;
	str_id file;          /* of the lines that follow */
	str_id function_file; /* of the lines of each function that follows, at first */
	uint64_t line;        /* of the line of costs before: others are relative to it */
	bool inside;          /* the lines are the function's */
};

/* A file begins, whose names are its own: no position is known. */
void callgrind_lines_begin(struct callgrind_lines *lines);
/* A position was read: the function, or a source file, of the lines that follow. */
void callgrind_lines_position(
	struct callgrind_lines *lines, const struct callgrind_line *line, str_id id);
/* Moves to the source line that a line of costs is of, as those without costs do, too. */
void callgrind_lines_move(
	struct callgrind_lines *lines, const struct callgrind_part *part, struct line text);
/* Adds the cost of the line that it moved to; `callee`: of calls of that function, else 0. */
void callgrind_lines_add(struct callgrind_lines *lines, double cost, str_id callee);

/*
 * Call graph: that of one process in a callgrind file. It has functions, the self cost of each, and
 * the inclusive cost of calls, and is converted to stacks.
 *
 * Where callers were separated, a function's name is its stack, and its cost is exact. Stacks as
 * long as the longest are cut at their outer end, unless they begin where a shorter one does.
 *
 * A plain graph has callers, callees and costs, but no stacks: stacks are estimates. Each
 * function's cost is handed to its callers in proportion to what their calls of it cost, and so on
 * up to the functions without callers. Cycles are broken at the calls that lead back onto the path
 * of a depth-first search from there. A function's self cost is exact in the sum over its stacks;
 * the stacks beyond a bound are left out, and their cost is below FRAME_TRUNCATED.
 */

/* Strings are of callgrind_names' `texts`; 0: not stated. */
struct callgrind_function {
	str_id name; /* with its callers where those were separated */
	str_id object;
	str_id source;
	double self;
};

struct callgrind_call {
	uint32_t caller; /* indices of functions */
	uint32_t callee;
	double inclusive;
};

/* All zeros is an empty graph. */
struct callgrind_graph {
	struct callgrind_function *functions;
	size_t nfunctions;
	size_t functions_capacity;
	struct callgrind_call *calls; /* one for each pair of functions */
	size_t ncalls;
	size_t calls_capacity;
	struct key_map by_name; /* (name, object) */
	struct key_map by_ends; /* (caller, callee) */
};

void callgrind_graph_release(struct callgrind_graph *graph);

/* The function of this name in this object, added if new. */
uint32_t callgrind_graph_function(struct callgrind_graph *graph, str_id name, str_id object);
/* Adds to the cost of the calls between two functions. */
void callgrind_graph_call(
	struct callgrind_graph *graph, uint32_t caller, uint32_t callee, double inclusive);

/* Where stacks go. */
struct callgrind_target {
	struct profile *profile;
	size_t column;
	node_id root;
	bool no_marks;    /* no mark for the missing end of a stack */
	bool short_names; /* without parameters */
};

/* Returns whether the stacks are estimates. */
bool callgrind_put_stacks(const struct callgrind_graph *graph, struct callgrind_names *names,
	const struct callgrind_target *target);

/* The node below which stacks stand that are cut at their outer end. */
node_id callgrind_truncated_node(const struct callgrind_target *target);

/*
 * Estimated stacks: of a plain graph. frames[i] is function i's. Ties are broken by the order of
 * functions; `calls` is reordered.
 */
void callgrind_estimate_stacks(struct callgrind_graph *graph, const frame_id *frames,
	const struct callgrind_target *target);

#endif
