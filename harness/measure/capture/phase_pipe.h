/*
 * The pipe that a program writes its phases to: each line is the name of a phase that begins; an
 * empty line ends the phase.
 */
#ifndef CAPTURE_PHASE_PIPE_H
#define CAPTURE_PHASE_PIPE_H

#include "base/err.h"
#include "capture/capture_phases.h"

#include <stddef.h>
#include <stdint.h>

/* The environment variable with its path. */
#define PHASES_PIPE_VARIABLE "PROFILE_RUN_PHASES"

/* The pipe of a run. */
struct phase_pipe {
	char *dir;                      /* the folder that it is in */
	char *path;                     /* absolute */
	char *variable;                 /* NAME=PATH, for the program's environment */
	int fd;                         /* readable when something was written */
	uint64_t taken_ns;              /* when phase_pipe_take() was called last */
	char line[PHASE_NAME_MAX + 24]; /* the unfinished line */
	size_t len;
};

/* Makes the pipe beside where the capture goes. phase_pipe_close() is needed after success. */
int phase_pipe_open(struct phase_pipe *pipe, const char *perfdata_path, struct err *err);
void phase_pipe_close(struct phase_pipe *pipe);

/* A phase that has begun. */
struct phase_begin {
	uint64_t time_ns; /* of clock_ns() */
	const char *name; /* not terminated */
	size_t len;       /* 0: no phase from here on */
};

/*
 * Reads what has been written and calls put() for each phase. A phase has begun now, or at the time
 * that its line states, in ns behind a tab, if that was since the last call.
 */
void phase_pipe_take(struct phase_pipe *pipe,
	void (*put)(void *context, const struct phase_begin *phase), void *context);
/* Drops what has been written and not read. */
void phase_pipe_clear(struct phase_pipe *pipe);

#endif
