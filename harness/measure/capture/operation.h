/*
 * The operations and the phases of a program, as a capture records them: by the kernel's probes
 * (uprobes) at functions of the program or its libraries, or at its USDT probes. An operation is
 * work that the program does again and again, such as a request or a step: it begins and ends.
 */
#ifndef CAPTURE_OPERATION_H
#define CAPTURE_OPERATION_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A place in a program or library where the kernel records a thread that passes it. */
struct operation_probe {
	char *path;
	uint64_t offset;
	uint64_t semaphore; /* offset of the probe's semaphore; 0: it has none */
	bool at_return;     /* of the function that begins there */
	bool ends;          /* it ends the operation, else begins it */
};

/* All zeros has no probes. */
struct operation {
	char *begin_event; /* names of the events in the file (ingest/slow_operations.c) */
	char *end_event;
	struct operation_probe *probes;
	size_t count;
	size_t capacity;
};

/* The program of the operations: it tells where files are that are not named by path. */
struct operation_program {
	const char *const *argv; /* the command; NULL: none */
	const char *const *env;  /* additions to its environment, NULL-ended; NULL: none */
	const char *cwd;         /* where that is started; NULL: here */
	pid_t pid;               /* a running process; 0: none */
};

/*
 * Finds the probes of `marks`: "BEGIN,END[,END...]" or "FUNCTION", which is from its entry to its
 * return. Each is [FILE:]FUNCTION or [FILE:]PROVIDER:NAME, FILE a path or the name of a shared
 * library; without it they are the program's. operation_release() is needed in any case.
 */
int operation_find(struct operation *operation, const char *marks,
	const struct operation_program *program, struct err *err);
void operation_release(struct operation *operation);

/* Sets `err` for a probe that the kernel refused with `errnum`. Returns -1. */
int operation_refused(const struct operation_probe *probe, int errnum, struct err *err);

/* The type of the events of probes (perf_event_attr.type); 0 where this kernel has no uprobes. */
uint32_t operation_event_type(void);

/*
 * The phases of a program: what it does for a while, as it says itself while it is captured. It
 * writes the name of each phase, a line, to a pipe that the environment names, or it has functions
 * or USDT probes that mark the begin of each.
 */

#define PHASE_PROBES_MAX 8
/* Longer names are cut. */
#define PHASE_NAME_MAX 100

/* All zeros has none. */
struct capture_phases {
	bool pipe;
	struct operation probes[PHASE_PROBES_MAX]; /* a phase each, which begin_event names */
	size_t nprobes;
};

/*
 * Finds the phases of `text`: "pipe", or [NAME=]MARK for each phase, or both, separated by commas.
 * A mark is as operation_find() has it; without a name the phase has that of the function or probe.
 * `option` is for messages. capture_phases_release() is needed in any case.
 */
int capture_phases_find(struct capture_phases *phases, const char *text, const char *option,
	const struct operation_program *program, struct err *err);
void capture_phases_release(struct capture_phases *phases);

#endif
