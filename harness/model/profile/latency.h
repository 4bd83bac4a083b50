/*
 * The latencies of a program's operations, as a load generator or the program itself reports them:
 * values of a run beside its profile (counters.h).
 *
 * To add a format: a line in enum latency_format and in latency_format_names[], and its reader:
 * that of a load generator in load_generators.c, any other in latency.c.
 */
#ifndef PROFILE_LATENCY_H
#define PROFILE_LATENCY_H

#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest text that is read. */
#define LATENCY_TEXT_MAX ((size_t)64 << 20)

enum latency_value {
	LATENCY_OPERATIONS, /* how many there were */
	LATENCY_MEAN,       /* in ns, like all values below */
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
	int unit;         /* for LATENCY_HDR: an index of latency_unit_names; -1: not set */
	const char *file; /* where the driver writes them; NULL: its standard output */
	const char *test; /* for LATENCY_REDIS_BENCHMARK with several tests; NULL: there is one */
};

/*
 * Reads what a driver wrote, of any content. An error if it reports nothing, something that cannot
 * be, such as a p50 above its p99, or that requests failed.
 */
int latency_read(const struct latency_source *source, const char *text, size_t len,
	struct latency *latency, struct err *err);

/* Computes the values from the times of all operations, in ns, which it sorts: rank ceil(p n). */
void latency_of_times(double *times, size_t count, struct latency *latency);

/* Sets the counters of the run: all, or with `only_operations` only the number of operations. */
void latency_put(const struct latency *latency, bool only_operations, struct run *run);

/*
 * Logs of HdrHistogram (hdr_log.c): lines that end in a whole histogram, compressed.
 *
 * Source: AbstractHistogram.java (V2 encoding, ZigZagEncoding.java) and HistogramLogReader.java of
 * github.com/HdrHistogram/HdrHistogram, in the public domain.
 */

/* The beginning of a line's payload, in base64; the payload is a compressed histogram. */
#define HDR_LOG_MARK "HIST"
#define HDR_COMPRESSED_COOKIE UINT32_C(0x1c849314)
#define HDR_PLAIN_COOKIE UINT32_C(0x1c849313)
#define HDR_HEADER_BYTES 40

/* The period of time that a log covers. */
struct hdr_interval {
	int64_t started; /* seconds since 1970 UTC; 0: not known */
	double length_s;
};

/*
 * Appends a log of one line: the histogram of these times in ns, which it sorts, to three digits.
 */
void hdr_log_put(double *times, size_t count, const struct hdr_interval *interval, struct buf *out);

/*
 * Shared by the readers of formats: latency.c, load_generators.c, and hdr_log.c for the logs of
 * HdrHistogram.
 */

/* Longer lines are cut; those that matter are shorter. */
#define LATENCY_LINE_MAX 255

/* A text that is read line by line. '\r' ends a line, too: tools write progress so. */
struct latency_text {
	const struct latency_source *source;
	const char *at;
	const char *end;
	char line[LATENCY_LINE_MAX + 1]; /* the present line, terminated */
	struct latency *latency;         /* the values read so far, all NAN at first */
	struct err *err;
};

/* Copies the next line to text->line; false at the end. */
bool latency_next_line(struct latency_text *text);
/* A number, 0 or more, and nothing else; NAN if it is none. */
double latency_number(const char *text);
/* The time "1.25ms", or "1.25" with `unit` "ms", in ns; NAN if it is no time. */
double latency_time(const char *text, const char *unit);

/* The quantile of each value: 0.5, ..., 1; 0 for values that are no quantiles. */
extern const double latency_ratios[LATENCY_VALUES];

/* A line of a list of quantiles. */
struct latency_quantile {
	double listed; /* this share of the operations (0.5) takes `ns` at most, as the list says */
	double reached; /* the share that does by the list's counts: no less than `listed` */
	double ns;
};

/*
 * Sets each value that the quantile is near enough to, unless the value is known from a line
 * before: lists are in ascending order.
 */
void latency_set_quantile(struct latency *latency, const struct latency_quantile *quantile);

/* Each reads a load generator's report (load_generators.c). */
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
