#include "profile/latency.h"

#include "base/buf.h"
#include "base/sort.h"
#include "base/unit.h"
#include "profile/counters.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* Copies the next line to text->line; false at the end. */
static bool
next_line(struct latency_text *text)
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

/* A number, 0 or more, and nothing else; NAN if it is none. */
static double
read_number(const char *text)
{
	char *end;
	const double value = strtod(text, &end);

	return end > text && *end == '\0' && isfinite(value) && value >= 0 ? value : NAN;
}

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
static void
set_quantile(struct latency *latency, const struct latency_quantile *quantile)
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
 * The readers of the formats, in sections: redis-benchmark, wrk, pgbench, lines of names and
 * values, and percentiles of HdrHistogram (its logs: hdr_log.c).
 */

/* The rest of `line` behind leading blanks and `prefix`; NULL where it does not begin so. */
static const char *
behind(const char *line, const char *prefix)
{
	const size_t len = strlen(prefix);

	line += strspn(line, " ");
	return strncmp(line, prefix, len) == 0 ? line + len : NULL;
}

/*
 * redis-benchmark
 */

struct redis_reading {
	struct latency_text *text;
	bool wanted;          /* the present test is the one whose latencies are read */
	bool in_distribution; /* the lines are of the percentile distribution, not of fixed times */
	double requests;      /* of the present test */
	unsigned nwanted;     /* tests that match */
};

static void
set_ms(struct latency_text *text, enum latency_value value, const char *number)
{
	text->latency->values[value] = latency_time(number, "ms");
}

/* Begins a test, which `test` may call by its whole name or its first words: "LRANGE_100 (first".
 */
static void
begin_test(struct redis_reading *redis, const char *name, size_t len)
{
	const char *test = redis->text->source->test;
	const size_t test_len = test ? strlen(test) : 0;

	redis->wanted = !test || (test_len <= len && strncasecmp(name, test, test_len) == 0 &&
					 (test_len == len || name[test_len] == ' '));
	redis->nwanted += redis->wanted;
	redis->in_distribution = false;
}

/* "GET","79365.08","0.339","0.096","0.335","0.511","0.655","2.623": rates and times in ms. */
static bool
read_csv(struct redis_reading *redis)
{
	struct latency_text *text = redis->text;
	char name[64];
	char mean[32];
	char p50[32];
	char p99[32];
	char max[32];

	if (sscanf(text->line,
		    "\"%63[^\"]\",\"%*[^\"]\",\"%31[0-9.]\",\"%*[^\"]\",\"%31[0-9.]\",\"%*[^\"]\","
		    "\"%31[0-9.]\",\"%31[0-9.]\"",
		    name, mean, p50, p99, max) != 5)
		return false;
	begin_test(redis, name, strlen(name));
	if (redis->wanted) {
		set_ms(text, LATENCY_MEAN, mean);
		set_ms(text, LATENCY_P50, p50);
		set_ms(text, LATENCY_P99, p99);
		set_ms(text, LATENCY_MAX, max);
	}
	return true;
}

/* With -q: "GET: 79936.05 requests per second, p50=0.335 msec". */
static bool
read_quiet(struct redis_reading *redis)
{
	static const char rate[] = " requests per second, p50=";
	const char *found = strstr(redis->text->line, rate);
	const char *colon = strstr(redis->text->line, ": ");
	char p50[32];

	if (!found || !colon || colon > found ||
		sscanf(found + sizeof(rate) - 1, "%31[0-9.] msec", p50) != 1)
		return false;
	begin_test(redis, redis->text->line, (size_t)(colon - redis->text->line));
	if (redis->wanted)
		set_ms(redis->text, LATENCY_P50, p50);
	return true;
}

static bool
read_title(struct redis_reading *redis)
{
	static const char mark[] = "====== ";
	const char *name = behind(redis->text->line, mark);
	const char *end = name ? strstr(name, " ======") : NULL;

	if (end)
		begin_test(redis, name, (size_t)(end - name));
	return end;
}

/* Adds the requests of a test, whether it is the wanted one or not: all are work for the server. */
static void
add_requests(struct redis_reading *redis)
{
	double *operations = &redis->text->latency->values[LATENCY_OPERATIONS];
	char number[32];
	int end = 0;

	if (sscanf(redis->text->line, " %31[0-9] requests completed in%n", number, &end) != 1 ||
		end == 0)
		return;
	redis->requests = read_number(number);
	*operations = (isnan(*operations) ? 0 : *operations) + redis->requests;
}

/* "50.000% <= 0.351 milliseconds (cumulative count 50321)", and the columns of the summary. */
static void
read_details(struct redis_reading *redis)
{
	struct latency_text *text = redis->text;
	char mean[32];
	char p50[32];
	char p99[32];
	char max[32];
	struct latency_quantile quantile;
	double count;

	if (behind(text->line, "Latency by percentile distribution"))
		redis->in_distribution = true;
	else if (behind(text->line, "Cumulative distribution"))
		redis->in_distribution = false;
	if (redis->in_distribution &&
		sscanf(text->line, " %lf%% <= %31[0-9.] milliseconds (cumulative count %lf)",
			&quantile.listed, p50, &count) == 3) {
		quantile.listed /= 100;
		quantile.reached = count / redis->requests;
		quantile.ns = latency_time(p50, "ms");
		set_quantile(text->latency, &quantile);
	}
	if (sscanf(text->line, " %31[0-9.] %*[0-9.] %31[0-9.] %*[0-9.] %31[0-9.] %31[0-9.]", mean,
		    p50, p99, max) == 4) {
		set_ms(text, LATENCY_MEAN, mean);
		set_ms(text, LATENCY_P50, p50);
		set_ms(text, LATENCY_P99, p99);
		set_ms(text, LATENCY_MAX, max);
	}
}

static int
read_redis_benchmark(struct latency_text *text)
{
	struct redis_reading redis = {.text = text, .requests = NAN};

	while (next_line(text)) {
		if (read_title(&redis) || read_csv(&redis) || read_quiet(&redis))
			continue;
		add_requests(&redis);
		if (redis.wanted)
			read_details(&redis);
	}
	if (redis.nwanted > 1)
		return err_set(text->err, ERR_MEASURE,
			"redis-benchmark ran %u tests%s%s%s: `test` says whose latencies count, "
			"as in {format: redis-benchmark, test: GET}",
			redis.nwanted, text->source->test ? " '" : "",
			text->source->test ? text->source->test : "",
			text->source->test ? "'" : "");
	return 0;
}

/*
 * wrk
 */

/* Refuses a report with failed requests: their latencies mean nothing. */
static int
refuse_errors(struct latency_text *text)
{
	static const char *const problems[] = {"Socket errors:", "Non-2xx or 3xx responses:"};

	for (size_t i = 0; i < sizeof(problems) / sizeof(problems[0]); i++)
		if (behind(text->line, problems[i]))
			return err_set(text->err, ERR_MEASURE,
				"wrk reports requests that failed: %s",
				text->line + strspn(text->line, " "));
	return 0;
}

static int
read_wrk(struct latency_text *text)
{
	double *values = text->latency->values;
	bool has_max = false; /* wrk2 has another column there */

	while (next_line(text)) {
		char first[32];
		char third[32];
		double percent;
		int end = 0;

		if (refuse_errors(text) < 0)
			return -1;
		if (behind(text->line, "Thread Stats"))
			has_max = strstr(text->line, " Max ");
		if (sscanf(text->line, " Latency %31[0-9.a-z] %*[0-9.a-z] %31[0-9.a-z]", first,
			    third) == 2) {
			values[LATENCY_MEAN] = latency_time(first, NULL);
			values[LATENCY_MAX] = has_max ? latency_time(third, NULL) : NAN;
		} else if (sscanf(text->line, " %lf%% %31[0-9.a-z] %n", &percent, first, &end) ==
				   2 &&
			   text->line[end] == '\0') {
			const struct latency_quantile quantile = {
				percent / 100, percent / 100, latency_time(first, NULL)};

			set_quantile(text->latency, &quantile);
		} else if (end = 0,
			sscanf(text->line, " %31[0-9] requests in%n", first, &end) == 1 &&
				end > 0) {
			values[LATENCY_OPERATIONS] = read_number(first);
		}
	}
	return 0;
}

/*
 * pgbench
 */

/*
 * The time of a line of the log: "CLIENT NUMBER TIME SCRIPT SECONDS MICROSECONDS ...", all numbers,
 * TIME in us. NAN where it is none, or of a transaction that was skipped or failed.
 */
static double
transaction_ns(const char *line)
{
	char time[32];
	int end = 0;

	if (sscanf(line, "%*[0-9] %*[0-9] %31[0-9] %*[0-9] %*[0-9] %*[0-9]%n", time, &end) != 1 ||
		end == 0 || line[end + (int)strspn(line + end, "0123456789. ")] != '\0')
		return NAN;
	return latency_time(time, "us");
}

static int
read_pgbench(struct latency_text *text)
{
	static const char processed[] = "number of transactions actually processed:";
	double *values = text->latency->values;
	double operations = NAN;
	double mean = NAN;
	struct buf log = {0};

	while (next_line(text)) {
		const double time = transaction_ns(text->line);
		const char *rest;
		char number[32];

		if (!isnan(time))
			buf_put(&log, &time, sizeof(time));
		else if ((rest = behind(text->line, processed)) &&
			 sscanf(rest, " %31[0-9]", number) == 1)
			operations = read_number(number);
		else if ((rest = behind(text->line, "latency average =")) &&
			 sscanf(rest, " %31[0-9.] ms", number) == 1)
			mean = latency_time(number, "ms");
	}
	latency_of_times((double *)(void *)log.data, log.len / sizeof(double), text->latency);
	buf_release(&log);
	/* The summary is of all transactions. */
	values[LATENCY_OPERATIONS] = isnan(operations) ? values[LATENCY_OPERATIONS] : operations;
	values[LATENCY_MEAN] = isnan(mean) ? values[LATENCY_MEAN] : mean;
	return 0;
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
	while (next_line(text)) {
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
			number = read_number(value);
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

	while (next_line(&text) && text.line[0] != '#') {
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
	while (next_line(text)) {
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
			set_quantile(text->latency, &quantile);
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
	[LATENCY_REDIS_BENCHMARK] = read_redis_benchmark,
	[LATENCY_WRK] = read_wrk,
	[LATENCY_PGBENCH] = read_pgbench,
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
