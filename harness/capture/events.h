/*
 * The events that a program can be sampled on, how they are opened, and what a refusal means.
 */
#ifndef CAPTURE_EVENTS_H
#define CAPTURE_EVENTS_H

#include "base/err.h"
#include "capture/backend.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct event_kind {
	const char *name;
	uint64_t config;
	uint32_t type;
	bool is_clock;
};

/* Every event we know by name; ends with a NULL name. */
extern const struct event_kind event_kinds[];

/* NULL if there is none of that name. */
const struct event_kind *event_kind_find(const char *name);

/*
 * The attributes for sampling `event`: every `period` units, or if that is 0 `frequency_hz` times a
 * second. Nothing in it depends on whom it is opened for.
 */
void event_attr(struct perf_event_attr *attr, const struct capture_event *event, uint64_t period,
	double frequency_hz, bool callchain);
/*
 * Adds to them the registers of the user's code and a copy of `stack_bytes` of its stack, for
 * unwinding by DWARF; a multiple of 8, at most CAPTURE_STACK_MAX. False where the registers of this
 * kind of processor are not known.
 */
bool event_attr_add_stack(struct perf_event_attr *attr, uint32_t stack_bytes);

/* perf_event_open(2), close-on-exec; the descriptor, or -1 and errno. */
int event_open(const struct perf_event_attr *attr, pid_t pid, int cpu);

/* Sets `err` for a perf_event_open(2) of event `name` that failed with `errnum`: why, and how to
 * mend it. Returns -1. */
int event_refused(const char *name, int errnum, struct err *err);
/* The same for sampling all processes, which asks for more rights than one's own. */
int event_refused_everywhere(const char *name, int errnum, struct err *err);

/* /proc/sys/kernel/`name` as a number; `otherwise` if it cannot be read. */
long event_sysctl(const char *name, long otherwise);

#endif
