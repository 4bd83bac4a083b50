/*
 * The events of a file and how much each weighs: which of them are read, the same for perf.data and
 * for perf script's text.
 *
 * Events of one quantity are read together: those that a CPU with cores of several kinds has in
 * place of one, "cpu_core/cycles/P" and "cpu_atom/cycles/P". Without a wish they are those of the
 * largest weight. Source: tools/perf/Documentation/intel-hybrid.txt of the kernel.
 */
#ifndef INGEST_EVENT_TOTALS_H
#define INGEST_EVENT_TOTALS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_total {
	const char *name; /* borrowed */
	double weight;    /* sum of periods; 1 a sample where it has none */
	uint64_t samples;
	uint32_t pmu;     /* of events of one name, which kind of CPU it is of; 0: not known */
	bool secondary;   /* unless it is wanted, it is read only where there is no other */
	bool is_unlisted; /* ... and not named as one that can be wanted */
	bool chosen;      /* result */
};

/* Whether the event `name` is the one meant by `wanted`: exactly, or but for its modifiers. */
bool event_name_is(const char *wanted, const char *name);

/*
 * Sets `chosen` of the events that are read: those that `wanted` names, exactly or else without
 * modifiers or kind of CPU ("cycles" for "cycles:u" and "cpu_core/cycles/P"); where it is NULL,
 * those of the largest weight. *largest is the chosen one of most weight. An error if `wanted`
 * names none, or events of several quantities. `path` is for messages.
 */
int event_totals_choose(struct event_total *totals, size_t count, const char *path,
	const char *wanted, size_t *largest, struct err *err);

/* Warns that other events with samples than the chosen ones are there: names all, with totals. */
void event_totals_warn(const struct event_total *totals, size_t count, const char *path);

/*
 * The unit of an event's periods: its name without modifiers and without the kind of CPU, "cycles"
 * of "cpu_core/cycles/P". free() it.
 */
char *event_name_quantity(const char *name);

#endif
