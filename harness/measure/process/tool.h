/*
 * Running a tool (git, the compiler) and capturing its output. No shell is involved. The tool has
 * no terminal and an empty standard input, so that it fails instead of prompting.
 */
#ifndef PROCESS_TOOL_H
#define PROCESS_TOOL_H

#include "base/buf.h"
#include "base/err.h"

#include <stddef.h>

/* Only the first so many bytes of each stream are kept. */
#define TOOL_OUTPUT_MAX ((size_t)64 * 1024)

struct tool_output {
	int status; /* the exit status; 128 + the number of the signal that ended the tool */
	struct buf out;
	struct buf complaint; /* its stderr */
};

/*
 * Runs argv[0], looked up in PATH, in `folder` (NULL: here) to its end, with everything it started.
 * `env` is as in struct child_spec. -1 if it could not be run or was interrupted; how it ended is
 * in output->status. `output` is to be released in either case.
 */
int tool_run(struct tool_output *output, const char *const *argv, const char *const *env,
	const char *folder, struct err *err);
/* The same, with so many bytes of its standard output kept. */
int tool_run_up_to(struct tool_output *output, size_t most_bytes, const char *const *argv,
	const char *const *env, const char *folder, struct err *err);
void tool_output_release(struct tool_output *output);

/* The output without the newline at its end; free() it. */
char *tool_line(const struct tool_output *output);
/* Adds notes: the first lines of the tool's stderr. */
void tool_note_complaint(const struct tool_output *output, struct err *err);

#endif
