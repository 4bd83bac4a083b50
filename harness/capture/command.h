/*
 * The program of a capture request: how it is started, how long it may run and what its end means.
 * The same for every backend; what is measured meanwhile is the backend's own.
 */
#ifndef CAPTURE_COMMAND_H
#define CAPTURE_COMMAND_H

#include "base/clock.h"
#include "base/err.h"
#include "capture/backend.h"
#include "process/child.h"
#include "process/watch.h"

#include <stdbool.h>
#include <stdint.h>

/* How a backend runs it; all borrowed. */
struct command {
	const struct capture_request *request;
	unsigned timeout_factor; /* how many times longer than asked for the timeout is; at least 1
				  */
	const char *slowness; /* what makes it longer, a clause: "under X programs are slow"; NULL
				 where nothing does */
};

/* What to start, its words borrowed from the request. */
struct child_spec command_spec(const struct command *command);

/*
 * When a run that started at `start_ns` (of clock_ns()) is over, whatever it does: the earlier
 * of its duration and its timeout, 0 if it has neither.
 */
uint64_t command_deadline_ns(const struct command *command, uint64_t start_ns);

/* Whether that is the duration's: such an end was asked for. They tie as the duration. */
bool command_has_duration(const struct command *command);

/*
 * Ends all that is left of the child and fills in what is known of a run without any measuring:
 * wall time, exit status, tail and whether we ended it.
 */
void command_end(const struct command *command, struct child *child, enum watch_end end,
	uint64_t start_ns, struct capture_result *result);

/* What the end of the (ended) child means; 0 if it is a success. */
int command_judge(const struct command *command, const struct child *child, enum watch_end end,
	struct err *err);

#endif
