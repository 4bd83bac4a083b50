/*
 * Whether the weights of two profiles are of one quantity, so that they can be compared. Readers
 * have converted units of one quantity (base/unit.h); what is left are times, sizes, samples and
 * numbers of events, which no factor makes alike.
 */
#ifndef PROFILE_SAME_QUANTITY_H
#define PROFILE_SAME_QUANTITY_H

#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The parts of an event's name as perf writes it: "cpu_core/cycles/uP", "cycles:u", "cpu-clock",
 * "sched:sched_switch". Source: perf-list(1), section "EVENT MODIFIERS".
 */

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

/*
 * Weights without a unit are samples, and samples of an event that is not known may be of any. The
 * event decides what samples are of, all clocks and cycles being CPU time; of other units the
 * metric does, if both have one, else the event.
 */
bool quantity_is_same(const struct profile *a, const struct profile *b);

/*
 * An error that names both quantities if they differ; with `force` a warning. The names are those
 * of the files.
 */
int quantity_check(const struct profile *a, const char *a_name, const struct profile *b,
	const char *b_name, bool force, struct err *err);

#endif
