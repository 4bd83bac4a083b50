/*
 * Common parts of the readers of latencies. Internal to profile/latency*.c.
 */
#ifndef PROFILE_LATENCY_INTERNAL_H
#define PROFILE_LATENCY_INTERNAL_H

#include "profile/latency.h"

#include <stdbool.h>

/* Longer lines are cut: none that is looked for is as long. */
#define LATENCY_LINE_MAX 255

/* A text being read, line by line; '\r' ends one, too: progress is written so. */
struct latency_text {
	const struct latency_source *source;
	const char *at;
	const char *end;
	char line[LATENCY_LINE_MAX + 1]; /* the present one, terminated */
	struct latency *latency;         /* what is read, all NAN at first */
	struct err *err;
};

/* Takes the next line; false at the end. */
bool latency_next_line(struct latency_text *text);

/* "1.25ms", or "1.25" with `unit` "ms": ns; NAN if it is no time. */
double latency_time(const char *text, const char *unit);

/* A number, 0 or more, and nothing else; NAN if it is none. */
double latency_number(const char *text);

/* The quantile that each value is: 0.5, ..., 1; 0 for those that are none. */
extern const double latency_ratios[LATENCY_VALUES];

/* One of a list of quantiles: `listed` (0.5) of the operations take `ns` at most, ... */
struct latency_quantile {
	double listed;
	double reached; /* ... and so many of them do: no less than `listed` */
	double ns;
};

/* Sets each value that it is near enough to, unless that is known. Lists are in ascending order. */
void latency_set_quantile(struct latency *latency, const struct latency_quantile *quantile);

/* Each returns -1 on what cannot be; what reports nothing leaves all NAN. */
int latency_read_lines(struct latency_text *text);
int latency_read_hdr(struct latency_text *text);
int latency_read_redis_benchmark(struct latency_text *text);
int latency_read_wrk(struct latency_text *text);
int latency_read_pgbench(struct latency_text *text);

/* Whether the rest of the text has lines of HdrHistogram's logs. */
bool hdr_log_is(const struct latency_text *text);

/*
 * Reads the rest of the text: the histograms of all lines as one, whatever their tags. Quantiles
 * are the largest values that count as equal, as HdrHistogram gives them.
 */
int hdr_log_read(struct latency_text *text);

#endif
