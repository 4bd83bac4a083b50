/*
 * Costs of callgrind's files: a weighted sum of the numbers in a line, one for each of the file's
 * events.
 *
 * Used where such a file is read, and where it is captured and only its total is needed.
 */
#ifndef PROFILE_EVENT_SUM_H
#define PROFILE_EVENT_SUM_H

#include "profile/metric.h"

#include <stdbool.h>
#include <stddef.h>

struct event_sum {
	struct {
		size_t place; /* of the number in a line: 0 is the first */
		double weight;
	} terms[METRIC_EVENTS_MAX]; /* by ascending place */
	size_t nterms;              /* 0: no event */
};

/*
 * A header line of callgrind's format, "desc: Metric: NAME", says for which metric of ours a file
 * was captured. This is the second word.
 */
#define EVENT_SUM_KEY "Metric:"

/* The sum of one event alone. */
struct event_sum event_sum_single(size_t place);

/*
 * The sum of `metric` over events of these names, which are separated by blanks. False, and no
 * term, where one of its events is not among them or where it is no such sum.
 */
bool event_sum_of_metric(
	struct event_sum *sum, const struct metric *metric, const char *names, size_t len);

#endif
