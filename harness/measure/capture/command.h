/*
 * The command of a capture request: how its program is started, how long it may run, and what its
 * end means. The same for every backend; each has its own way to measure meanwhile.
 */
#ifndef CAPTURE_COMMAND_H
#define CAPTURE_COMMAND_H

#include "base/err.h"
#include "capture/backend.h"
#include "capture/companions.h"
#include "process/child.h"
#include "process/watch.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* How a backend runs it; all borrowed. */
struct command {
	const struct capture_request *request;
	unsigned timeout_factor; /* the timeout is so many times the requested one; at least 1 */
	bool timeout_is_cpu;     /* of CPU time; wall time has another limit */
	const char *slowness;    /* the reason for a longer timeout, a clause: "under X programs are
				    slow"; NULL: none */
	/*
	 * Makes the capture once the program, which was process `pid`, has ended, and fills in
	 * `run`. Called by command_run() and command_conclude().
	 */
	int (*finish)(void *context, const struct child *child, pid_t pid, struct run *run,
		struct err *err);
	void *context;
	/* For a request with a service: called when the server takes requests; may be NULL. */
	int (*ready)(void *context, struct err *err);
	struct companions *companions; /* of a service; NULL: no service is allowed */
};

/* Whether measuring begins while the program runs, not with its exec. */
bool command_begins_later(const struct capture_request *request);

/* The child to start; its strings are borrowed from the request. */
struct child_spec command_spec(const struct command *command);

/*
 * When a run that started at `start_ns` (of clock_ns()) is over, whatever it does: the earlier
 * of its duration and its timeout, 0 if it has neither.
 */
uint64_t command_deadline_ns(const struct command *command, uint64_t start_ns);

/*
 * Whether command_deadline_ns() is the end of the duration, which was requested, and not of the
 * timeout. On a tie it is.
 */
bool command_has_duration(const struct command *command);

/*
 * Ends all that is left of the child and fills in the fields of a result that need no measuring:
 * wall time, exit status, last output and whether profile_run ended it.
 */
void command_end(const struct command *command, struct child *child, enum watch_end end,
	uint64_t start_ns, struct capture_result *result);

/*
 * Starts the child; before it, the servers that its service needs. On error nothing is left. Then
 * the child lives until command_end().
 */
int command_start(const struct command *command, struct child *child, const struct child_spec *spec,
	struct err *err);

/*
 * Waits for the child's end; of a service: until the server takes requests, and then for the end of
 * the driver. `watch` says what is drained meanwhile.
 */
int command_watch(const struct command *command, struct child *child, struct watch *watch,
	enum watch_end *end, struct err *err);

/* Judges the (ended) child by its end: 0 if it is a success. */
int command_judge(const struct command *command, const struct child *child, enum watch_end end,
	struct err *err);

/*
 * Whether the capture is kept though the program failed: that was requested (keep_failed), and the
 * program ended by itself or SIGINT came.
 */
bool command_keeps(const struct command *command, enum watch_end end);

/*
 * Judges the ended program and makes its capture. For a program that failed the error is the
 * program's, and the capture is made only where command_keeps().
 */
int command_conclude(const struct command *command, const struct child *child, pid_t pid,
	enum watch_end end, struct capture_result *result, struct err *err);

/* Runs the child to its end, and concludes. For backends that have nothing to do meanwhile. */
int command_run(const struct command *command, const struct child_spec *spec,
	struct capture_result *result, struct err *err);

#endif
