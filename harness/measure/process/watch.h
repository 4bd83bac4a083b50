/*
 * Waiting for a process to end, while its output and the buffers that it fills are drained.
 */
#ifndef PROCESS_WATCH_H
#define PROCESS_WATCH_H

#include "base/err.h"
#include "process/child.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Why a wait ended. */
enum watch_end {
	WATCH_ENDED,
	WATCH_TIME_OVER,   /* the deadline came */
	WATCH_CPU_OVER,    /* the CPU time was used up */
	WATCH_INTERRUPTED, /* SIGINT, SIGTERM or SIGHUP came: signals_caught() */
	WATCH_LEFT,        /* the child `beside` it ended first */
};

struct watch {
	struct child *child;  /* NULL: `attached` is watched */
	struct child *beside; /* another child, whose end also ends the wait; NULL: none */
	pid_t attached;       /* 0: none, and only time or a signal ends the wait */
	const int *fds;       /* when one of them is readable, or hung up, drain() is called */
	size_t nfds;
	int (*drain)(void *context, struct err *err);
	void *context; /* for drain() and look() */
	/* Called before each sleep; returns the most milliseconds to sleep. NULL: not wanted. */
	unsigned (*look)(void *context);
	bool ahead;            /* this process runs with real-time priority meanwhile, where that is
				  permitted: drain() is urgent */
	uint64_t deadline_ns;  /* of clock_ns(); 0: none */
	uint64_t cpu_limit_ns; /* of all our descendants; 0: none; checked about every second */
};

/* Waits for one of the ends. -1 if drain() fails. */
int watch_wait(const struct watch *watch, enum watch_end *end, struct err *err);

#endif
