/*
 * The latencies of a program's operations, as the program that drives it reports them, or it does
 * itself: values of a run beside its profile (counters.h).
 *
 * To add a format: a line in enum latency_format and in latency_format_names[], and its reader in
 * latency_read.c.
 */
#ifndef PROFILE_LATENCY_H
#define PROFILE_LATENCY_H

#include "base/err.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/* A longer text is not read. */
#define LATENCY_TEXT_MAX ((size_t)64 << 20)

enum latency_value {
	LATENCY_OPERATIONS, /* how many there were */
	LATENCY_MEAN,       /* ns, as all that follow */
	LATENCY_P50,
	LATENCY_P90,
	LATENCY_P99,
	LATENCY_P99_9,
	LATENCY_MAX,
	LATENCY_VALUES,
};

/* By latency_value; NAN: not reported. */
struct latency {
	double values[LATENCY_VALUES];
};

enum latency_format {
	LATENCY_LINES,           /* lines "NAME VALUE UNIT" among others */
	LATENCY_HDR,             /* logs of HdrHistogram, or its percentiles as text */
	LATENCY_REDIS_BENCHMARK, /* its text, also with -q and --csv */
	LATENCY_WRK,             /* and wrk2 */
	LATENCY_PGBENCH,         /* its summary, and the lines of its log of transactions */
	LATENCY_FORMATS,
};

/* Names by latency_format and units by index, each NULL-ended. */
extern const char *const latency_format_names[];
extern const char *const latency_unit_names[];

/* Where a run reports its latencies; all borrowed. */
struct latency_source {
	enum latency_format format;
	int unit;         /* of LATENCY_HDR: an index of latency_unit_names; -1: not set */
	const char *file; /* that the driver writes; NULL: its standard output */
	const char *test; /* of several ones of LATENCY_REDIS_BENCHMARK; NULL: there is one */
};

/*
 * Reads what a driver wrote, of any content. An error if it reports nothing, something that cannot
 * be, such as a p50 above its p99, or that requests failed.
 */
int latency_read(const struct latency_source *source, const char *text, size_t len,
	struct latency *latency, struct err *err);

/* For these times of all operations, in ns, which are sorted: by rank, ceil(p n). */
void latency_of_times(double *times, size_t count, struct latency *latency);

/* Sets the counters of the run; only the number of operations where times mean nothing. */
void latency_put(const struct latency *latency, bool only_operations, struct run *run);

#endif
