#include "profile/latency.h"

#include "base/sort.h"
#include "base/unit.h"
#include "profile/counters.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
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

const double latency_ratios[LATENCY_VALUES] = {
	[LATENCY_P50] = 0.5,
	[LATENCY_P90] = 0.9,
	[LATENCY_P99] = 0.99,
	[LATENCY_P99_9] = 0.999,
	[LATENCY_MAX] = 1,
};

/*
 * A listed quantile counts as a lower one, too, if at least this share of the operations that are
 * slower than the lower one are slower than it.
 */
#define SLOWER_LEAST 0.9
/* Shares are compared with this tolerance: tools write them with a few decimals. */
#define ROUNDING 1e-9
/* Quantiles may be out of order by this factor: tools round each figure by itself. */
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

/*
 * lines of names and values
 */

/* The value of this name; LATENCY_VALUES: there is none. */
static enum latency_value
find_value(const char *name)
{
	static const char *const names[] = {
		[LATENCY_OPERATIONS] = "operations",
		[LATENCY_MEAN] = "mean",
		[LATENCY_P50] = "p50",
		[LATENCY_P90] = "p90",
		[LATENCY_P99] = "p99",
		[LATENCY_P99_9] = "p99.9",
		[LATENCY_MAX] = "max",
	};
	size_t i = 0;

	while (i < LATENCY_VALUES && strcmp(names[i], name) != 0)
		i++;
	return (enum latency_value)i;
}

static int
refuse_report(struct latency_text *text, const char *problem)
{
	return err_set(text->err, ERR_MEASURE, "in the latencies, '%.80s' %s", text->line, problem);
}

/* Lines with other names are ignored: the program may print anything. */
static int
read_lines(struct latency_text *text)
{
	while (latency_next_line(text)) {
		char name[16];
		char value[32];
		char unit[16] = "";
		double number = NAN;
		int end = 0;

		if (sscanf(text->line, "%15s %31s %15s %n", name, value, unit, &end) < 2)
			continue;
		const enum latency_value found = find_value(name);

		if (found == LATENCY_VALUES)
			continue;
		if (unit[0] && text->line[end])
			return refuse_report(text, "has more than a name, a value and a unit");
		if (!isnan(text->latency->values[found]))
			return refuse_report(text, "comes twice");
		if (found == LATENCY_OPERATIONS)
			number = latency_number(value);
		else if (unit[0])
			number = latency_time(value, unit);
		if (isnan(number))
			return refuse_report(
				text, found == LATENCY_OPERATIONS
					      ? "is no 'operations NUMBER'"
					      : "is no 'NAME VALUE UNIT', in ns, us, ms or s");
		text->latency->values[found] = number;
	}
	return 0;
}

/*
 * percentiles of HdrHistogram
 */

/* For lines such as "#[Max     =        2.623, Total count    =       100000]". */
static void
read_footer(struct latency_text *text, const char *unit)
{
	char first[32];
	double count;

	if (sscanf(text->line, "#[Mean = %31[0-9.],", first) == 1)
		text->latency->values[LATENCY_MEAN] = latency_time(first, unit);
	if (sscanf(text->line, "#[Max = %31[0-9.], Total count = %lf", first, &count) == 2) {
		text->latency->values[LATENCY_MAX] = latency_time(first, unit);
		text->latency->values[LATENCY_OPERATIONS] = count;
	}
}

/* The number of all operations: the count of the table's last line. */
static double
count_of_table(struct latency_text text)
{
	double last = NAN;

	while (latency_next_line(&text) && text.line[0] != '#') {
		double count;

		if (sscanf(text.line, " %*[0-9.] %*[0-9.] %lf", &count) == 1)
			last = count;
	}
	return last;
}

/* Reads a log, or the one table of percentiles; other text may be before and behind it. */
static int
read_hdr(struct latency_text *text)
{
	const char *unit = latency_unit_names[text->source->unit];
	bool in_table = false;
	double all = NAN;

	if (hdr_log_is(text))
		return hdr_log_read(text);
	while (latency_next_line(text)) {
		struct latency_quantile quantile;
		char value[32];
		double count;

		if (strstr(text->line, "Value") && strstr(text->line, "Percentile")) {
			if (in_table || !isnan(text->latency->values[LATENCY_OPERATIONS]))
				return err_set(text->err, ERR_MEASURE,
					"the latencies have more than one table of percentiles");
			in_table = true;
			all = count_of_table(*text);
		} else if (in_table && text->line[0] == '#') {
			read_footer(text, unit);
			if (strncmp(text->line, "#[Max", 5) == 0)
				in_table = false;
		} else if (in_table && sscanf(text->line, " %31[0-9.] %lf %lf", value,
					       &quantile.listed, &count) == 3) {
			quantile.reached = count / all;
			quantile.ns = latency_time(value, unit);
			latency_set_quantile(text->latency, &quantile);
		}
	}
	return 0;
}

/*
 * Reading a text in the format of its source, and checking the result.
 */

static int (*const readers[])(struct latency_text *text) = {
	[LATENCY_LINES] = read_lines,
	[LATENCY_HDR] = read_hdr,
	[LATENCY_REDIS_BENCHMARK] = latency_read_redis_benchmark,
	[LATENCY_WRK] = latency_read_wrk,
	[LATENCY_PGBENCH] = latency_read_pgbench,
};

/* Refuses latencies that cannot be: no operation, no times, or quantiles that are not in order. */
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
