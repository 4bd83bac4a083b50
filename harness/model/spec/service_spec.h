/*
 * A service: a server that is measured while another program, its driver, puts it under load.
 */
#ifndef SPEC_SERVICE_SPEC_H
#define SPEC_SERVICE_SPEC_H

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

#endif
