/*
 * One run of a command as a tracer by ptrace(2): the loop that waits for stops of its threads and
 * lets them go on, for those that note something at each stop (call_tracer.c,
 * entered_functions.c). Processes that the command leaves behind are killed: a traced process
 * cannot end in order without its tracer.
 */
#ifndef CAPTURE_TRACING_H
#define CAPTURE_TRACING_H

#include "base/err.h"
#include "capture/backend.h"
#include "capture/capture_internal.h"
#include "process/process.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The work at the stops, which continue when a hook returns; all get command.context. */
struct tracing_hooks {
	/*
	 * An event of ptrace(2) of thread `tid`: PTRACE_EVENT_EXEC, FORK, VFORK or CLONE, and
	 * SECCOMP where `stops_at_calls` is set.
	 */
	int (*event)(void *context, pid_t tid, int event, struct err *err);
	/* Whether a SIGTRAP is of a breakpoint, and no signal for the program; NULL: none is. */
	bool (*breakpoint)(void *context, pid_t tid);
	/* Whether a new thread stays stopped, until tracing_continue(); NULL: none does. */
	bool (*holds)(void *context, pid_t tid);
	/* The thread has ended; may be NULL. */
	void (*ended)(void *context, pid_t tid);
};

struct tracing {
	/* Set by the caller. */
	const struct tracing_hooks *hooks;
	struct command command;
	bool stops_at_calls; /* at each system call, by a seccomp filter */

	struct child_spec spec;
	struct child child;
	pid_t pid;    /* of the child, also when it has ended */
	bool started; /* the exec of the command is over */
	uint64_t start_ns;
	enum watch_end end;
};

/*
 * Runs the command to its end; *result as command_end() fills it in. The run is then judged by
 * tracing_conclude(). An error where tracing is refused or a hook failed.
 */
int tracing_run(struct tracing *tracing, struct capture_result *result, struct err *err);
/* As command_conclude(). */
int tracing_conclude(const struct tracing *tracing, struct capture_result *result, struct err *err);
/* Lets a thread go on that a hook held. */
void tracing_continue(pid_t tid);

#endif
