/*
 * The order of time of a file's records.
 *
 * perf.data is written a CPU's buffer at a time: each stretch is ordered, the whole is not.
 */
#ifndef PERFDATA_TIMELINE_H
#define PERFDATA_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

struct moment {
	uint64_t time_ns;
	const char *record; /* borrowed */
};

/*
 * Sorts by time; records of the same time keep their order. A merge sort of the stretches that are
 * in order already, so that one stretch costs one pass.
 */
void timeline_sort(struct moment *moments, size_t count);

#endif
