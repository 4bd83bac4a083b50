/*
 * The parts of an event's name as perf writes it: "cpu_core/cycles/uP", "cycles:u", "cpu-clock",
 * "sched:sched_switch". Source: perf-list(1), section "EVENT MODIFIERS".
 */
#ifndef PROFILE_EVENT_PARTS_H
#define PROFILE_EVENT_PARTS_H

#include <stdbool.h>
#include <stddef.h>

/* A piece of the name, not terminated. */
struct text_part {
	const char *at;
	size_t len;
};

struct event_parts {
	struct text_part pmu;       /* "cpu_core"; empty where it is not stated */
	struct text_part term;      /* "cycles"; of a tracepoint all of it */
	struct text_part modifiers; /* "uP" */
};

struct event_parts event_parts_of(const char *name);

bool text_part_is(struct text_part a, struct text_part b);

/* Whether they count the same, whatever their precision (p, P), which perf adds by itself. */
bool event_parts_same_modifiers(struct text_part a, struct text_part b);

#endif
