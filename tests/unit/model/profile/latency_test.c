/* What drivers print, shortened; redis-benchmark 7.0, pgbench 15 and wrk 4.1 wrote it. */
#include "profile/latency.h"

#include "base/mem.h"
#include "profile/counters.h"
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void suite_profile_latency(void);

/* Values in us, operations as they are; -1: not reported. */
struct expected {
	double operations;
	double mean;
	double p50;
	double p90;
	double p99;
	double p99_9;
	double max;
};

static void
expect(const struct latency_source *source, const char *text, struct expected expected)
{
	const double us[] = {expected.operations, expected.mean, expected.p50, expected.p90,
		expected.p99, expected.p99_9, expected.max};
	struct latency latency;
	struct err err = {.kind = ERR_NONE};
	int status = latency_read(source, text, strlen(text), &latency, &err);

	if (status < 0)
		printf("%s\n", err.text);
	CU_ASSERT_EQUAL_FATAL(status, 0);
	for (size_t i = 0; i < LATENCY_VALUES; i++) {
		const double value = latency.values[i] / (i == LATENCY_OPERATIONS ? 1 : 1e3);

		if (us[i] < 0) {
			CU_ASSERT(isnan(value));
		} else {
			UNIT_NEAR(value, us[i], 1e-6 * us[i]);
		}
	}
}

static void
refuse(const struct latency_source *source, const char *text, const char *problem)
{
	struct latency latency;
	struct err err = {.kind = ERR_NONE};

	CU_ASSERT_EQUAL(latency_read(source, text, strlen(text), &latency, &err), -1);
	CU_ASSERT_EQUAL(err.kind, ERR_MEASURE);
	UNIT_CONTAINS(err.text, problem);
}

static const struct latency_source lines = {.format = LATENCY_LINES};

static void
lines_are_found_among_others(void)
{
	expect(&lines,
		"starting\np50 250 us\r\n  p99   1.25 ms\np99.9 0.002 s\noperations 5000\n"
		"p95 7 lightyears\nmax 3000000 ns\n",
		(struct expected){5000, -1, 250, -1, 1250, 2000, 3000});
	expect(&lines, "operations 12 requests", (struct expected){12, -1, -1, -1, -1, -1, -1});
}

static void
lines_that_cannot_be_are_refused(void)
{
	refuse(&lines, "", "no latencies were found");
	refuse(&lines, "p50 of nothing\n", "'p50 of nothing' is no 'NAME VALUE UNIT'");
	refuse(&lines, "p50 5\n", "is no 'NAME VALUE UNIT'");
	refuse(&lines, "p50 -5 ms\n", "is no 'NAME VALUE UNIT'");
	refuse(&lines, "p50 nan ms\n", "is no 'NAME VALUE UNIT'");
	refuse(&lines, "p50 5 ms 7\n", "more than a name, a value and a unit");
	refuse(&lines, "p50 5 ms\np50 6 ms\n", "comes twice");
	refuse(&lines, "operations many\n", "is no 'operations NUMBER'");
	refuse(&lines, "operations 0\n", "there was no operation");
	refuse(&lines, "p50 5 ms\np99 4 ms\n", "not in order: latency_p99");
}

static const char hdr[] = "  Detailed Percentile spectrum:\n"
			  "       Value   Percentile   TotalCount 1/(1-Percentile)\n"
			  "\n"
			  "       0.038     0.000000            1         1.00\n"
			  "       0.055     0.500000          512         2.00\n"
			  "       0.061     0.750000          760         4.00\n"
			  "       0.070     0.893750          901         9.41\n"
			  "       0.080     0.937500          940        16.00\n"
			  "       0.123     0.984375          985        64.00\n"
			  "       0.150     0.990625          991       106.67\n"
			  "       1.200     0.999023          1000      1024.00\n"
			  "       1.200     1.000000         1000          inf\n"
			  "#[Mean    =        0.061, StdDeviation   =        0.052]\n"
			  "#[Max     =        1.199, Total count    =         1000]\n"
			  "#[Buckets =           27, SubBuckets     =         2048]\n"
			  "  4 requests in 10.00s, 2.40MB read\n";

/* The p90 is exact: the line's percentile is below, and what it reached is above. */
static void
percentiles_of_a_histogram_are_the_listed_ones(void)
{
	struct latency_source source = {.format = LATENCY_HDR, .unit = 2};

	expect(&source, hdr, (struct expected){1000, 61, 55, 70, 150, 1200, 1199});
	source.unit = 1;
	expect(&source, hdr, (struct expected){1000, 0.061, 0.055, 0.07, 0.15, 1.2, 1.199});
	char *twice = mem_printf("%s%s", hdr, hdr);

	refuse(&source, twice, "more than one table");
	free(twice);
}

/*
 * The values i * 1000 + i * i % 977, and 7 * i * i, for i from 1 to 1000, as hdr-histogram-js
 * writes them, which also says the figures that are expected.
 */
#define HDR_FIRST                                                                          \
	"0.127,1.007,2.769,"                                                               \
	"HISTFAAAAaN4nI2STUoDQRCFa15NMYYQREJ2ioQhuPUGcQh6G88ggltX4koEj+E1xHO4FhFRpvqvqh3B" \
	"dHfVV++9DMzP4c3dkqg7I6KGiJjCryHii9PnJ0rzyz5e93G/h7cOjy3eedwfjAfgs8GX2d+6bxtcmXXd" \
	"hFLtDpcYsMUWg/Yhri0k0i7XHQQ7XYPWc53PcYJjrLEGaU2LK+6V+swj9ZElUg+JvVct9U2eA22UQu/Q" \
	"4wgHIBzoCp0npqRxVZcgLDN7ZZnVMo8kWR2PJVG3TIHETCtVVpH8kZgSrGKV3GsulM4MlA+7aQY2NPZC" \
	"7BJFs5SckeZG9VyUoqfqp+BzTrNL/jWnPq2I08S44tSSlYrHOo8szrdnkVkcLYzmq+0LN1v6WzGrTdT9" \
	"8oqir5f00VJZrZ0Y1PqE/1MOc1tC5pr5IlylYiJHo8252khqxnaW8a07WWKGYXS9jpNTz4niR4LZ5Kay" \
	"p1VrkBepQhsaX1hsxq5vohQNeo2CSvbuq0cYWki5WnlGT928WkiSku8SlK9gvigt5qO0ILX2a5gU/h0o" \
	"n/cPgrQ9YQ==\n"
#define HDR_SECOND                                                                         \
	"Tag=B,1.134,0.999,0.442,"                                                         \
	"HISTFAAAAdh4nJWNz2vTYBjH3+cTQiglSAljyCxFyigyRMcQKUNEhg4RkSIiIlJERESG7OCpJ1EQGTJk" \
	"hx1EFMSTBxERve3gYQcR8byDZ/EPEE9K3iTNmzdvmtpPv7+eBHLg4VakVPBHKSVKKU8lP1HKO3P000uV" \
	"7ZAeKwwZsS28F74Jv4RH8Ap2YA9+w5bHW48vHhvwV9iEZ/AGPsIu7ArvhA/CjvBZ+Cp8F/aEH8JP4Ykw" \
	"YsR94YHwWP83hacSf29beC68EF4L61zkEle4zFWuMWTIdW5wi5vc5g5rrHGXde4xoM8yJ7ROak6xknKa" \
	"Vc1Zzmmd11xgwIBVevQ4pFlgQfthrZgjWjGLWkssao85ZnBc06fPEnOatlbmbTqpd1LvcLCgmG7q3dS7" \
	"zI993qCnldGmRUSUesaM5TNjN5k1cnbsee5PM2m53MwVlBC/3yQk1J63DLMn7LNa7rkyz9NsMa1Szz2X" \
	"2VqFZhMVMrLUICAouVtmMy9m2r2KpnM1nV5siVyrWVpmm5bQamFphcYK8PHwU1yt2OuuRYLaW1Bq7rTd" \
	"tcurqKpV7faqa9WXehoTdqPUiunhoaZwO+3rpIvZ7FV84r5Mvv8v/tRP/MrlT9XcWb9yr7sm7R/fl2U4\n"

static void
histograms_of_a_log_are_one(void)
{
	const struct latency_source source = {.format = LATENCY_HDR, .unit = 0};

	expect(&source, "#[Histogram log format version 1.3]\n" HDR_FIRST,
		(struct expected){1000, 500.981763, 500.991, 900.095, 990.207, 999.935, 1000.959});
	expect(&source,
		"#[Histogram log format version 1.3]\n"
		"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
		"\"Interval_Compressed_Histogram\"\n" HDR_FIRST HDR_SECOND,
		(struct expected){
			2000, 1418.8969515, 687.103, 4481.023, 6725.631, 6975.487, 7000.063});
	refuse(&source, HDR_FIRST "1,1,1,HISTFAAAAA==\n", "histogram 2 of the log is damaged");
	refuse(&source, "1,1,1,HISTEwAAAAMAAAAA\n", "histogram 1 of the log is damaged");
	/* The values 0, 1 and 1; and the same without the last byte of a count. */
	expect(&source, "1,1,1,HISTFAAAACJ4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DRICJBQBaNgSP\n",
		(struct expected){3, 0.002 / 3, 0.001, 0.001, 0.001, 0.001, 0.001});
	refuse(&source, "1,1,1,HISTFAAAACJ4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DRICpBQBatgUP\n",
		"histogram 1 of the log is damaged");
}

/* The next listed is 93.75 %: that is no p90. */
static void
a_percentile_that_is_not_listed_is_not_known(void)
{
	const struct latency_source source = {.format = LATENCY_HDR, .unit = 2};

	expect(&source,
		"Value Percentile TotalCount\n1.0 0.875 8800\n2.0 0.9375 9400\n3.0 0.99 9900\n"
		"4.0 1.0 10000\n",
		(struct expected){-1, -1, -1, -1, 3000, -1, 4000});
}

static const struct latency_source redis = {.format = LATENCY_REDIS_BENCHMARK};

#define REDIS_PROGRESS "GET: rps=0.0 (overall: 0.0) avg_msec=-nan (overall: -nan)\r"

#define REDIS_TEST(name)                                                    \
	"====== " name " ======\n"                                          \
	"  20000 requests completed in 0.30 seconds\n"                      \
	"  4 parallel clients\n"                                            \
	"  3 bytes payload\n"                                               \
	"\n"                                                                \
	"Latency by percentile distribution:\n"                             \
	"0.000% <= 0.015 milliseconds (cumulative count 57)\n"              \
	"50.000% <= 0.039 milliseconds (cumulative count 11146)\n"          \
	"75.000% <= 0.055 milliseconds (cumulative count 17727)\n"          \
	"93.750% <= 0.071 milliseconds (cumulative count 19535)\n"          \
	"98.438% <= 0.079 milliseconds (cumulative count 19736)\n"          \
	"99.805% <= 0.191 milliseconds (cumulative count 19963)\n"          \
	"99.902% <= 0.335 milliseconds (cumulative count 19981)\n"          \
	"99.997% <= 2.615 milliseconds (cumulative count 20000)\n"          \
	"100.000% <= 2.615 milliseconds (cumulative count 20000)\n"         \
	"\n"                                                                \
	"Cumulative distribution of latencies:\n"                           \
	"99.275% <= 0.103 milliseconds (cumulative count 19855)\n"          \
	"100.000% <= 3.103 milliseconds (cumulative count 20000)\n"         \
	"\n"                                                                \
	"Summary:\n"                                                        \
	"  throughput summary: 67340.07 requests per second\n"              \
	"  latency summary (msec):\n"                                       \
	"          avg       min       p50       p95       p99       max\n" \
	"        0.042     0.008     0.039     0.071     0.095     2.615\n"

static const struct expected redis_values = {20000, 42, 39, -1, 95, 335, 2615};

static void
redis_benchmark_is_read_in_each_of_its_forms(void)
{
	expect(&redis, REDIS_PROGRESS REDIS_TEST("GET"), redis_values);
	expect(&redis,
		"\"test\",\"rps\",\"avg_latency_ms\",\"min_latency_ms\",\"p50_latency_ms\","
		"\"p95_latency_ms\",\"p99_latency_ms\",\"max_latency_ms\"\n"
		"\"GET\",\"66006.60\",\"0.044\",\"0.008\",\"0.047\",\"0.063\",\"0.087\",\"0.335\"\n",
		(struct expected){-1, 44, 47, -1, 87, -1, 335});
	expect(&redis,
		REDIS_PROGRESS "        \r"
			       "GET: 66225.17 requests per second, p50=0.039 msec \n",
		(struct expected){-1, -1, 39, -1, -1, -1, -1});
}

/* All are work for the server. */
static void
of_several_tests_one_has_the_latency(void)
{
	static const char both[] = REDIS_TEST("SET") REDIS_TEST("LRANGE_100 (first 100 elements)");
	struct latency_source source = redis;
	struct expected expected = redis_values;

	expected.operations = 40000;
	refuse(&source, both, "redis-benchmark ran 2 tests: `test` says");
	source.test = "set";
	expect(&source, both, expected);
	source.test = "LRANGE_100";
	expect(&source, both, expected);
	source.test = "LRANGE_100 (first 100 elements)";
	expect(&source, both, expected);
	source.test = "LRANGE_10";
	expect(&source, both, (struct expected){40000, -1, -1, -1, -1, -1, -1});
}

static const struct latency_source wrk = {.format = LATENCY_WRK};

#define WRK_HEAD(column)                                               \
	"Running 1s test @ http://127.0.0.1:8099/\n"                   \
	"  1 threads and 2 connections\n"                              \
	"  Thread Stats   Avg      Stdev     " column "   +/- Stdev\n" \
	"    Latency   657.07us  359.83us   5.43ms   88.90%\n"         \
	"    Req/Sec     2.92k   177.12     3.12k    63.64%\n"
#define WRK_LATENCY                \
	"  Latency Distribution\n" \
	"     50%  586.00us\n"     \
	"     75%  757.00us\n"     \
	"     90%    0.94ms\n"     \
	"     99%    2.08ms\n"
#define WRK_REQUESTS "  3193 requests in 1.10s, 1.58MB read\n"
#define WRK_RATES "Requests/sec:   2902.60\nTransfer/sec:      1.44MB\n"

static void
wrk_has_percentiles_with_its_option(void)
{
	expect(&wrk, WRK_HEAD("Max") WRK_LATENCY WRK_REQUESTS WRK_RATES,
		(struct expected){3193, 657.07, 586, 940, 2080, -1, 5430});
	expect(&wrk, WRK_HEAD("Max") WRK_REQUESTS WRK_RATES,
		(struct expected){3193, 657.07, -1, -1, -1, -1, 5430});
	/* wrk2 has a percentile in place of the maximum, and more percentiles. */
	expect(&wrk,
		WRK_HEAD("99%") "  Latency Distribution (HdrHistogram - Recorded Latency)\n"
				" 50.000%  586.00us\n 99.000%    5.43ms\n 99.900%    6.01ms\n"
				"100.000%    1.56s \n" WRK_REQUESTS,
		(struct expected){3193, 657.07, 586, -1, 5430, 6010, 1.56e6});
}

static void
requests_that_fail_have_no_latency(void)
{
	refuse(&wrk, WRK_HEAD("Max") WRK_REQUESTS "  Non-2xx or 3xx responses: 3193\n",
		"requests that failed: Non-2xx or 3xx responses: 3193");
	refuse(&wrk,
		WRK_HEAD("Max") WRK_REQUESTS
		"  Socket errors: connect 0, read 0, write 0, timeout 1\n",
		"requests that failed: Socket errors: connect 0, read 0, write 0, timeout 1");
	refuse(&wrk, "    Latency     0.00us    0.00us   0.00us    -nan%\n  0 requests in 5.00s\n",
		"there was no operation");
}

static const struct latency_source pgbench = {.format = LATENCY_PGBENCH};

#define PGBENCH_SUMMARY                                      \
	"pgbench (15.18 (Debian 15.18-0+deb12u1))\n"         \
	"transaction type: <builtin: TPC-B (sort of)>\n"     \
	"number of transactions per client: 6\n"             \
	"number of transactions actually processed: 12/12\n" \
	"number of failed transactions: 0 (0.000%)\n"        \
	"latency average = 1.272 ms\n"                       \
	"initial connection time = 5.474 ms\n"               \
	"tps = 1572.739187 (without initial connection time)\n"
#define PGBENCH_LOG                                                   \
	"0 1 1488 0 1795484782 833017\n0 2 408 0 1795484782 833440\n" \
	"0 3 380 0 1795484782 833826\n0 4 599 0 1795484782 834429\n"  \
	"1 1 3597 0 1795484782 835145\n0 5 736 0 1795484782 835175\n" \
	"0 6 381 0 1795484782 835557\n1 2 2609 0 1795484782 837758\n" \
	"1 3 334 0 1795484782 838095\n1 4 451 0 1795484782 838549\n"  \
	"1 5 289 0 1795484782 838841\n1 6 287 0 1795484782 839130\n"

/* By rank: the 6th, 11th and 12th of 12. */
static void
pgbench_has_percentiles_where_its_log_is(void)
{
	expect(&pgbench, PGBENCH_SUMMARY, (struct expected){12, 1272, -1, -1, -1, -1, -1});
	expect(&pgbench, PGBENCH_LOG,
		(struct expected){12, 11559.0 / 12, 408, 2609, 3597, 3597, 3597});
	expect(&pgbench, PGBENCH_SUMMARY PGBENCH_LOG,
		(struct expected){12, 1272, 408, 2609, 3597, 3597, 3597});
	expect(&pgbench,
		"0 1 1237 0 1795484783 907300 93\n0 2 skipped 0 1795484783 907301 93\n"
		"0 3 failed 0 1795484783 907302 93\n",
		(struct expected){1, 1237, 1237, 1237, 1237, 1237, 1237});
}

static void
any_format_refuses_what_reports_nothing(void)
{
	for (enum latency_format format = 0; format < LATENCY_FORMATS; format++) {
		const struct latency_source source = {.format = format};
		char *problem = mem_printf("no latencies were found in it, read as those of '%s'",
			latency_format_names[format]);

		refuse(&source, "", problem);
		refuse(&source, "3 errors\n\n", problem);
		free(problem);
	}
}

static void
values_become_counters_of_the_run(void)
{
	struct latency latency;
	struct err err = {.kind = ERR_NONE};
	struct run run = {.measured = true, .cost_total = 5e6};
	static const char text[] = "operations 1000\np50 2 ms\n";

	CU_ASSERT_EQUAL_FATAL(latency_read(&lines, text, strlen(text), &latency, &err), 0);
	latency_put(&latency, false, &run);
	counter_set_per_op(&run, "cpu");
	counter_set_per_op(&run, "l1_misses");
	UNIT_NEAR(counter_value(&run, COUNTER_OPERATIONS), 1000, 0);
	UNIT_NEAR(counter_value(&run, COUNTER_LATENCY_P50), 2e6, 0);
	UNIT_NEAR(counter_value(&run, COUNTER_CPU_PER_OP), 5000, 1e-9);
	CU_ASSERT(isnan(counter_value(&run, COUNTER_LATENCY_P99)));
	CU_ASSERT(isnan(counter_value(&run, COUNTER_ALLOC_PER_OP)));
	latency_put(&latency, true, &run);
	UNIT_NEAR(counter_value(&run, COUNTER_OPERATIONS), 1000, 0);
	CU_ASSERT(isnan(counter_value(&run, COUNTER_LATENCY_P50)));
	run = (struct run){.measured = true, .cost_total = 5e6};
	counter_set_per_op(&run, "cpu");
	CU_ASSERT(isnan(counter_value(&run, COUNTER_CPU_PER_OP)));
}

/* Logs that are written: hdr-histogram-js reads the same figures from them as we do. */

static const struct latency_source source = {.format = LATENCY_HDR, .unit = 0};

/* Written and read again, percentiles are those of the times, to three digits. */
static void
expect_same(double *times, size_t count)
{
	struct latency expected = {.values = {0}};
	struct latency found;
	struct buf out = {0};
	struct err err = {.kind = ERR_NONE};

	hdr_log_put(times, count, &(struct hdr_interval){.length_s = 1}, &out);
	latency_of_times(times, count, &expected);
	CU_ASSERT_EQUAL_FATAL(latency_read(&source, buf_text(&out), out.len, &found, &err), 0);
	for (size_t i = 0; i < LATENCY_VALUES; i++)
		UNIT_NEAR(found.values[i], expected.values[i], 1e-3 * expected.values[i]);
	buf_release(&out);
}

static void
test_round_trip(void)
{
	const size_t count = 100000;
	double *times = mem_zalloc(count, sizeof(*times));
	uint64_t state = 1;

	/* Over nine powers of ten. */
	for (size_t i = 0; i < count; i++) {
		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		times[i] = floor(exp((double)(state >> 40) / (double)(1 << 24) * 21));
	}
	expect_same(times, count);
	expect_same((double[]){7}, 1);
	expect_same((double[]){0, 0, 0}, 3);
	expect_same((double[]){2047, 2048, 2049, 1, 1e12}, 5);
	/* Counts that take up to nine bytes do not occur, but two. */
	for (size_t i = 0; i < count; i++)
		times[i] = 5;
	expect_same(times, count);
	free(times);
}

static void
test_text(void)
{
	double times[] = {3e6, 1e6, 2e6};
	struct buf out = {0};

	hdr_log_put(times, 3, &(struct hdr_interval){.started = 1700000000, .length_s = 2.5}, &out);
	UNIT_CONTAINS(buf_text(&out),
		"#[Histogram log format version 1.3]\n"
		"#[StartTime: 1700000000.000 (seconds since epoch), 2023-11-14T22:13:20Z]\n"
		"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_"
		"Histogram\"\n"
		"0.000,2.500,3.000,HISTFAAA");
	buf_release(&out);
}

void
suite_profile_latency(void)
{
	static const struct unit_case cases[] = {
		{"lines_are_found_among_others", lines_are_found_among_others},
		{"lines_that_cannot_be_are_refused", lines_that_cannot_be_are_refused},
		{"percentiles_of_a_histogram_are_the_listed_ones",
			percentiles_of_a_histogram_are_the_listed_ones},
		{"histograms_of_a_log_are_one", histograms_of_a_log_are_one},
		{"a_percentile_that_is_not_listed_is_not_known",
			a_percentile_that_is_not_listed_is_not_known},
		{"redis_benchmark_is_read_in_each_of_its_forms",
			redis_benchmark_is_read_in_each_of_its_forms},
		{"of_several_tests_one_has_the_latency", of_several_tests_one_has_the_latency},
		{"wrk_has_percentiles_with_its_option", wrk_has_percentiles_with_its_option},
		{"requests_that_fail_have_no_latency", requests_that_fail_have_no_latency},
		{"pgbench_has_percentiles_where_its_log_is",
			pgbench_has_percentiles_where_its_log_is},
		{"any_format_refuses_what_reports_nothing",
			any_format_refuses_what_reports_nothing},
		{"values_become_counters_of_the_run", values_become_counters_of_the_run},
		{"written_times_are_read_with_their_percentiles", test_round_trip},
		{"a_log_says_when_it_begins_and_how_long_it_is", test_text},
		{NULL, NULL},
	};

	unit_suite("profile/latency", cases);
}
