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

#endif
