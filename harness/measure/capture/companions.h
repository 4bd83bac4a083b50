/*
 * The companions of a measured server (process/service.h): its driver, and the servers that it
 * needs.
 */
#ifndef CAPTURE_COMPANIONS_H
#define CAPTURE_COMPANIONS_H

#include "base/err.h"
#include "capture/backend.h"
#include "process/child.h"
#include "process/service.h"
#include "process/watch.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMPANIONS_NEEDS_MAX 8

struct companions {
	const struct service *service;
	struct child_spec beside; /* how the driver and the commands of the service are started */
	cpu_set_t cpus;           /* the companions' CPUs: those that the server is not pinned to */
	struct child needs[COMPANIONS_NEEDS_MAX];
	size_t nneeds; /* of them that were started */
	struct child driver;
	bool driving;     /* the driver was started */
	bool left;        /* the server ended before it was stopped */
	uint64_t took_ns; /* from when the server was ready until the driver's end */
	struct err stop;  /* why a server did not end in order */
};

/* Starts the servers that the request's service needs. On error nothing is left. */
int companions_start(
	struct companions *companions, const struct capture_request *request, struct err *err);

/*
 * Ends the server (NULL: it was not started) and all its companions: in order, by the signals that
 * the service names, only if `end` is WATCH_ENDED.
 */
void companions_end(struct companions *companions, struct child *server, enum watch_end end);

/* Judges the driver's end, and the server's: 0 if both are a success. */
int companions_judge(const struct companions *companions, const struct child *server,
	enum watch_end end, struct err *err);

#endif
