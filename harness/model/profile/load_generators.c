/* The readers of load generators' reports: redis-benchmark, wrk and pgbench. */
#include "profile/latency.h"

#include "base/buf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

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
	redis->requests = latency_number(number);
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
		latency_set_quantile(text->latency, &quantile);
	}
	if (sscanf(text->line, " %31[0-9.] %*[0-9.] %31[0-9.] %*[0-9.] %31[0-9.] %31[0-9.]", mean,
		    p50, p99, max) == 4) {
		set_ms(text, LATENCY_MEAN, mean);
		set_ms(text, LATENCY_P50, p50);
		set_ms(text, LATENCY_P99, p99);
		set_ms(text, LATENCY_MAX, max);
	}
}

int
latency_read_redis_benchmark(struct latency_text *text)
{
	struct redis_reading redis = {.text = text, .requests = NAN};

	while (latency_next_line(text)) {
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

int
latency_read_wrk(struct latency_text *text)
{
	double *values = text->latency->values;
	bool has_max = false; /* wrk2 has another column there */

	while (latency_next_line(text)) {
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

			latency_set_quantile(text->latency, &quantile);
		} else if (end = 0,
			sscanf(text->line, " %31[0-9] requests in%n", first, &end) == 1 &&
				end > 0) {
			values[LATENCY_OPERATIONS] = latency_number(first);
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

int
latency_read_pgbench(struct latency_text *text)
{
	static const char processed[] = "number of transactions actually processed:";
	double *values = text->latency->values;
	double operations = NAN;
	double mean = NAN;
	struct buf log = {0};

	while (latency_next_line(text)) {
		const double time = transaction_ns(text->line);
		const char *rest;
		char number[32];

		if (!isnan(time))
			buf_put(&log, &time, sizeof(time));
		else if ((rest = behind(text->line, processed)) &&
			 sscanf(rest, " %31[0-9]", number) == 1)
			operations = latency_number(number);
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
