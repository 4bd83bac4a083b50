/*
 * The metrics: what the cost of a run is made of. metrics[] (metric.c) is the one list of them, and
 * says how to add one.
 */
#ifndef PROFILE_METRIC_H
#define PROFILE_METRIC_H

#include <stdbool.h>

/* How people write a cost. */
enum metric_kind {
	METRIC_TIME,  /* in ns; written "2ms" */
	METRIC_COUNT, /* "250k" */
	METRIC_BYTES, /* "64KiB" */
};

struct metric {
	const char *name;    /* in YAML, in baselines and reports: "cpu" */
	const char *unit;    /* of costs: "ns", "instructions" */
	const char *summary; /* a phrase */
	enum metric_kind kind;
	/*
	 * Every single event is counted, so that the same program on the same input has the same
	 * cost: `gate.counted` holds. The weights of such profiles are in `unit`, those of others
	 * in samples.
	 */
	bool counted;
	const char *number_unit; /* of weights that are numbers of events of it, where a capture
				    has those, too; NULL: it has none */
};

/* Ends with a NULL name. */
extern const struct metric metrics[];

/* NULL if there is none of that name. */
const struct metric *metric_find(const char *name);

/* Whether weights in this unit are of a counted metric. */
bool metric_is_counted_unit(const char *unit);

#endif
