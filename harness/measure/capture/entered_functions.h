/*
 * Which functions of a program a run enters: a breakpoint at the first instruction of each stops
 * the run there once, and profile_run, its tracer by ptrace(2), notes it and takes the breakpoint
 * away. That is exact, other than samples are, and costs some 10 us for each function that runs.
 */
#ifndef CAPTURE_ENTERED_FUNCTIONS_H
#define CAPTURE_ENTERED_FUNCTIONS_H

#include "base/err.h"
#include "capture/backend.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct entered_functions {
	/* Set by the caller, borrowed. */
	const char *path;        /* of the program, without links */
	const uint64_t *offsets; /* of the functions' first instructions in its file, rising */
	const bool *begins; /* by function: with the first of these the part begins that counts;
			       NULL: all of the run counts */
	size_t count;

	/* By function; the caller's, all false. */
	bool *before;        /* it was entered ahead of that part */
	bool *within;        /* in it */
	size_t first;        /* function of that part; SIZE_MAX: it was not reached */
	const char *problem; /* why not all is known: another program was executed; NULL: all is */
	bool threads;        /* the program had several threads or processes */
};

/*
 * Runs the command of a request once, and watches which files it uses (request->file_watch). An
 * error as of capture_backend.run(), and where tracing is refused or there is none for this
 * processor.
 */
int entered_functions_run(
	const struct capture_request *request, struct entered_functions *entered, struct err *err);

#endif
