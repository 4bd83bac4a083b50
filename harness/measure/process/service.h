/*
 * The servers of a service (spec/workload.h): waiting until each takes requests, and ending it.
 */
#ifndef PROCESS_SERVICE_H
#define PROCESS_SERVICE_H

#include "base/err.h"
#include "process/child.h"
#include "spec/workload.h"

#include <stdbool.h>

/*
 * Waits until a server that was started takes requests. `beside` is how the command of
 * READY_COMMAND is started: in the server's process group. An error if it ends before or takes
 * longer than its timeout; ERR_INTERRUPTED after a signal.
 */
int service_wait_ready(const struct service_server *server, struct child *child,
	const struct child_spec *beside, struct err *err);

/* Whether another process takes requests in the server's place, before the server is started. */
bool service_is_taken(const struct service_server *server, const struct child_spec *beside);

/*
 * Sends a server its signal and waits until it has ended. An error if it takes longer than its
 * timeout; child_end() is to be called in either case.
 */
int service_stop(const struct service_server *server, struct child *child, struct err *err);

/* Adds to the server's child_spec what service_wait_ready() needs. */
void service_prepare(const struct service_server *server, struct child_spec *spec);

#endif
