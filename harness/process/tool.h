/*
 * Running a program that answers a question (git, the compiler), and taking what it prints.
 *
 * No shell is involved. The program has no terminal and an empty standard input, so that it fails
 * rather than asks.
 */
#ifndef PROCESS_TOOL_H
#define PROCESS_TOOL_H

#include "base/buf.h"
#include "base/err.h"

/* Of each stream no more than so many bytes are kept: the first. */
#define TOOL_OUTPUT_MAX ((size_t)64 * 1024)

struct tool_output {
	int status; /* its exit status; 128 + the number of the signal that ended it */
	struct buf out;
	struct buf complaint; /* what it wrote to stderr */
};

/*
 * Runs argv[0], looked for along PATH, in `folder` (NULL: here) to its end, with what it started.
 * `env` is as in struct child_spec. -1 if it could not be run or was interrupted; how it ended is
 * in output->status. `output` is to be released in either case.
 */
int tool_run(struct tool_output *output, const char *const *argv, const char *const *env,
	const char *folder, struct err *err);
void tool_output_release(struct tool_output *output);

/* The output without the newline at its end; free() it. */
char *tool_line(const struct tool_output *output);
/* Notes with what it complained of: the first lines. */
void tool_note_complaint(const struct tool_output *output, struct err *err);

#endif
