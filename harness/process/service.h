/*
 * A service: a server that is measured while another program, its driver, puts it under load.
 */
#ifndef PROCESS_SERVICE_H
#define PROCESS_SERVICE_H

#include "base/err.h"
#include "process/child.h"
#include "process/watch.h"

#include <stddef.h>

/* How it is seen that a server takes requests. */
enum ready_kind {
	READY_TCP,     /* a connection to host:port is accepted */
	READY_UNIX,    /* ... to the socket `text` */
	READY_HTTP,    /* GET `text` on host:port is answered with a status of 2xx or 3xx */
	READY_LOG,     /* `text` is in what it writes to stdout or stderr */
	READY_COMMAND, /* `argv` ends with status 0 */
};

struct service_ready {
	enum ready_kind kind;
	const char *host; /* an address: 127.0.0.1 or ::1 */
	const char *port; /* a number */
	const char *text;
	const char *const *argv; /* NULL-ended */
};

/* A server, all of it borrowed. */
struct service_server {
	const char *const *argv; /* NULL-ended */
	struct service_ready ready;
	int stop;         /* the signal that ends it in order */
	double timeout_s; /* to be ready, and again to end */
};

struct service {
	/* Run beside it, not measured: started before it in this order, ended after it. */
	const struct service_server *needs;
	size_t nneeds;
	struct service_server own;
	const char *const *driver; /* NULL-ended argv */
	const char *cwd;           /* the driver's and the needs'; NULL: here */
	const char *const *env;    /* as in struct child_spec, of the same */
};

/*
 * Waits until a server that was started takes requests. `spec` is how its companions are started
 * (READY_COMMAND): in its process group. An error if it ends before or takes longer than its
 * timeout; ERR_INTERRUPTED after a signal.
 */
int service_wait_ready(const struct service_server *server, struct child *child,
	const struct child_spec *beside, struct err *err);

/* Whether somebody takes requests in its place, before it is started. */
bool service_is_taken(const struct service_server *server, const struct child_spec *beside);

/*
 * Sends a server its signal and waits until it has ended. An error if it takes longer than its
 * timeout; child_end() is to be called in either case.
 */
int service_stop(const struct service_server *server, struct child *child, struct err *err);

/* What its child_spec needs, so that service_wait_ready() works. */
void service_prepare(const struct service_server *server, struct child_spec *spec);

#endif
