/*
 * The folded format: one line a stack, frames from root to leaf joined by ';', a space and the
 * weight. Ours may hold several weights a line, one a run, and starts with `# key: value` lines:
 *
 *     # runs: 3
 *     # event: cpu-clock
 *     main;parse_value;parse_string 12 11 14
 *
 * Without "# runs:" there is one weight a line, so any folded file reads, but one that ends in two
 * weights on every line, as those of difffolded.pl do ("main;parse 10 12": before and after): that
 * is a difference, which folded_read_pair() reads and the others refuse.
 *
 * A line is one of these, or an error: a header field or a comment, which begins with '#' and a
 * blank; an empty line; a stack with its weights; a message that bcc's tools print among their
 * stacks, which is skipped and counted. A stack whose first name begins like a comment is written
 * behind a ';'. Source: FlameGraph, stackcollapse-perf.pl and flamegraph.pl; austin, src/logging.h,
 * for comments.
 */
#ifndef PROFILE_FOLDED_H
#define PROFILE_FOLDED_H

#include "base/buf.h"
#include "base/err.h"
#include "base/file_view.h"
#include "base/lines.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

enum folded_line_kind {
	FOLDED_EMPTY,
	FOLDED_COMMENT, /* or a header field */
	FOLDED_MESSAGE,
	FOLDED_STACK, /* if it is not an error */
};

enum folded_line_kind folded_line_kind(struct line line);

/*
 * Reads `text` as columns added to `profile` (one for each run named in the header, else one).
 * `file` is for errors only. Empty lines are passed over; a line without weight, with a weight that
 * is negative or not a number, or with too few weights is an error with its location, and so is a
 * file without any stack.
 */
int folded_read(
	struct profile *profile, const char *file, const char *text, size_t len, struct err *err);
/* The same of a file, or of a pipe while it is written; releases the memory of text once read. */
int folded_read_view(
	struct profile *profile, const char *file, const struct file_view *view, struct err *err);

/*
 * Reads a difference, two weights a line, as two columns: before, after. An error if a line has
 * only one.
 */
int folded_read_pair(
	struct profile *profile, const char *file, const struct file_view *view, struct err *err);

enum folded_columns {
	FOLDED_SUM,  /* one weight a line: the sum over the runs; no header */
	FOLDED_FILE, /* the same for any tool: a header says what weights are, unless samples */
	FOLDED_RUNS, /* one weight a run, with the header */
};

/*
 * Appends the profile, sorted by stack frame by frame (profile_sort() must have been called).
 * Stacks of zero weight are left out.
 */
void folded_write(const struct profile *profile, enum folded_columns columns, struct buf *out);
/*
 * The same to a file, as file_write() does, in pieces: memory is bounded by one piece, whatever the
 * size of the text. On standard output no line is a command to a CI system (escape_commands()).
 */
int folded_write_file(const struct profile *profile, enum folded_columns columns, const char *path,
	struct err *err);

/*
 * The lines "# key: value" ahead of stacks: how many runs there are, the fields of the profile that
 * fields.h has for folded files, and, where weights are periods, the numbers of samples. Folded
 * text (folded.h) and tables of stacks (stack_table.h) begin with them.
 */

/* More runs than any gate takes; bounds what a header can make us allocate. */
#define FOLDED_RUNS_MAX 10000
/* Each run keeps a weight for each node of the tree: this many take 1 GiB. */
#define FOLDED_WEIGHTS_MAX ((size_t)1 << 27)
/* Deeper than any stack of a program; bounds what one line can make us allocate and draw. */
#define FOLDED_FRAMES_MAX 1000000

struct folded_header {
	struct profile *profile; /* borrowed; gets the fields */
	size_t nruns;            /* before a line says how many: that of the caller */
	bool has_runs;           /* a line says how many: it is one of ours */
	bool has_field;          /* that, or a field: no other text has that */
	bool pair;               /* a difference is wanted: two runs */
	bool ended;              /* stacks have begun: only what is the same may follow */
	/* By run; NULL: no line has them. */
	double *samples;
	double *effective_samples;
};

void folded_header_release(struct folded_header *header);

/*
 * Takes a line that begins with '#'; a comment changes nothing. Returns what is wrong with it, and
 * sets *at to the place in the line; NULL: nothing is.
 */
const char *folded_header_take(struct folded_header *header, struct line line, const char **at);

/* Adds the runs to the profile, and returns the first. */
size_t folded_header_add_runs(const struct folded_header *header);
/* Sets the samples of the runs from `first` on, whose weights add up to `totals`. */
void folded_header_set_samples(
	const struct folded_header *header, size_t first, const double *totals);

/* A number as weights are written: decimal, finite and not negative; false if it is none. */
bool folded_number(const char *text, size_t len, double *number);

/* Appends the lines for all runs of a profile. */
void folded_header_write(const struct profile *profile, struct buf *out);

#endif
