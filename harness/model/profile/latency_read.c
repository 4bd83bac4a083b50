#include "profile/latency.h"

#include "base/sort.h"
#include "base/unit.h"
#include "profile/counters.h"
#include "profile/latency_internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static_assert((int)COUNTER_LATENCY_MAX - (int)COUNTER_OPERATIONS == (int)LATENCY_MAX,
	"a counter for each value, in the same order");

const char *const latency_format_names[] = {
	[LATENCY_LINES] = "lines",
	[LATENCY_HDR] = "hdr",
	[LATENCY_REDIS_BENCHMARK] = "redis-benchmark",
	[LATENCY_WRK] = "wrk",
	[LATENCY_PGBENCH] = "pgbench",
	[LATENCY_FORMATS] = NULL,
};

const char *const latency_unit_names[] = {"ns", "us", "ms", "s", "m", "h", NULL};

void
latency_put(const struct latency *latency, bool only_operations, struct run *run)
{
	for (size_t i = 0; i < LATENCY_VALUES; i++)
		counter_set(run, (enum counter_id)(COUNTER_OPERATIONS + i),
			only_operations && i != LATENCY_OPERATIONS ? NAN : latency->values[i]);
}

static int (*const readers[])(struct latency_text *text) = {
	[LATENCY_LINES] = latency_read_lines,
	[LATENCY_HDR] = latency_read_hdr,
	[LATENCY_REDIS_BENCHMARK] = latency_read_redis_benchmark,
	[LATENCY_WRK] = latency_read_wrk,
	[LATENCY_PGBENCH] = latency_read_pgbench,
};

const double latency_ratios[LATENCY_VALUES] = {
	[LATENCY_P50] = 0.5,
	[LATENCY_P90] = 0.9,
	[LATENCY_P99] = 0.99,
	[LATENCY_P99_9] = 0.999,
	[LATENCY_MAX] = 1,
};

/* A listed quantile counts for one below it while as much of the operations is slower. */
#define SLOWER_LEAST 0.9
/* For shares that are written with a few decimals. */
#define ROUNDING 1e-9
/* Tools round each figure by itself. */
#define ORDER_TOLERANCE 1.01

bool
latency_next_line(struct latency_text *text)
{
	if (text->at >= text->end)
		return false;
	size_t len = 0;

	while (text->at + len < text->end && !strchr("\r\n", text->at[len]))
		len++;
	size_t kept = len < LATENCY_LINE_MAX ? len : LATENCY_LINE_MAX;

	memcpy(text->line, text->at, kept);
	text->line[kept] = '\0';
	text->at += len + (text->at + len < text->end);
	return true;
}

double
latency_time(const char *text, const char *unit)
{
	char *end;
	const double value = strtod(text, &end);

	if (end == text || !isfinite(value) || value < 0)
		return NAN;
	const char *name = *end ? end : unit;

	const struct unit *known = name ? unit_of_setting(name, strlen(name)) : NULL;

	return known && strcmp(known->base, UNIT_NS) == 0 ? value * known->scale : NAN;
}

double
latency_number(const char *text)
{
	char *end;
	const double value = strtod(text, &end);

	return end > text && *end == '\0' && isfinite(value) && value >= 0 ? value : NAN;
}

void
latency_set_quantile(struct latency *latency, const struct latency_quantile *quantile)
{
	const double reached = fmax(quantile->reached, quantile->listed);

	for (size_t i = LATENCY_P50; i < LATENCY_VALUES; i++)
		if (isnan(latency->values[i]) && reached >= latency_ratios[i] - ROUNDING &&
			1 - quantile->listed >= SLOWER_LEAST * (1 - latency_ratios[i]) - ROUNDING)
			latency->values[i] = quantile->ns;
}

static int
check_latency(const struct latency *latency, const char *name, struct err *err)
{
	double before = 0;
	bool any = false;

	if (!(latency->values[LATENCY_OPERATIONS] > 0 ||
		    isnan(latency->values[LATENCY_OPERATIONS])))
		return err_set(err, ERR_MEASURE, "there was no operation: '%s' reports none", name);
	for (size_t i = 0; i < LATENCY_VALUES; i++) {
		const double value = latency->values[i];

		if (isnan(value))
			continue;
		any = true;
		if (!isfinite(value) || value < 0)
			return err_set(err, ERR_MEASURE,
				"the latencies, read as those of '%s', are no times", name);
		if (i < LATENCY_P50)
			continue;
		if (value * ORDER_TOLERANCE < before)
			return err_set(err, ERR_MEASURE,
				"the latencies, read as those of '%s', are not in order: %s is %g ns, "
				"a lower percentile %g ns",
				name, counter_kinds[COUNTER_OPERATIONS + i].name, value, before);
		before = value;
	}
	if (any)
		return 0;
	return err_set(
		err, ERR_MEASURE, "no latencies were found in it, read as those of '%s'", name);
}

int
latency_read(const struct latency_source *source, const char *text, size_t len,
	struct latency *latency, struct err *err)
{
	struct latency_text reading = {
		.source = source, .at = text, .end = text + len, .latency = latency, .err = err};

	for (size_t i = 0; i < LATENCY_VALUES; i++)
		latency->values[i] = NAN;
	if (readers[source->format](&reading) < 0)
		return -1;
	return check_latency(latency, latency_format_names[source->format], err);
}

void
latency_of_times(double *times, size_t count, struct latency *latency)
{
	double sum = 0;

	if (count == 0)
		return;
	sort_numbers(times, count);
	for (size_t i = 0; i < count; i++)
		sum += times[i];
	latency->values[LATENCY_OPERATIONS] = (double)count;
	latency->values[LATENCY_MEAN] = sum / (double)count;
	for (size_t i = LATENCY_P50; i < LATENCY_VALUES; i++) {
		const double rank = ceil(latency_ratios[i] * (double)count - 1e-6);

		latency->values[i] = times[rank > 1 ? (size_t)rank - 1 : 0];
	}
}
