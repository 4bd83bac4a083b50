#include "profile/latency.h"

#include "base/mem.h"
#include "latency_check.h"
#include "profile/counters.h"
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void suite_profile_latency(void);

static const struct latency_source lines = {.format = LATENCY_LINES};

static void
lines_are_found_among_others(void)
{
	latency_expect(&lines,
		"starting\np50 250 us\r\n  p99   1.25 ms\np99.9 0.002 s\noperations 5000\n"
		"p95 7 lightyears\nmax 3000000 ns\n",
		(struct expected_latency){5000, -1, 250, -1, 1250, 2000, 3000});
	latency_expect(&lines, "operations 12 requests",
		(struct expected_latency){12, -1, -1, -1, -1, -1, -1});
}

static void
lines_that_cannot_be_are_refused(void)
{
	latency_refuse(&lines, "", "no latencies were found");
	latency_refuse(&lines, "p50 of nothing\n", "'p50 of nothing' is no 'NAME VALUE UNIT'");
	latency_refuse(&lines, "p50 5\n", "is no 'NAME VALUE UNIT'");
	latency_refuse(&lines, "p50 -5 ms\n", "is no 'NAME VALUE UNIT'");
	latency_refuse(&lines, "p50 nan ms\n", "is no 'NAME VALUE UNIT'");
	latency_refuse(&lines, "p50 5 ms 7\n", "more than a name, a value and a unit");
	latency_refuse(&lines, "p50 5 ms\np50 6 ms\n", "comes twice");
	latency_refuse(&lines, "operations many\n", "is no 'operations NUMBER'");
	latency_refuse(&lines, "operations 0\n", "there was no operation");
	latency_refuse(&lines, "p50 5 ms\np99 4 ms\n", "not in order: latency_p99");
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

	latency_expect(&source, hdr, (struct expected_latency){1000, 61, 55, 70, 150, 1200, 1199});
	source.unit = 1;
	latency_expect(&source, hdr,
		(struct expected_latency){1000, 0.061, 0.055, 0.07, 0.15, 1.2, 1.199});
	char *twice = mem_printf("%s%s", hdr, hdr);

	latency_refuse(&source, twice, "more than one table");
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

	latency_expect(&source, "#[Histogram log format version 1.3]\n" HDR_FIRST,
		(struct expected_latency){
			1000, 500.981763, 500.991, 900.095, 990.207, 999.935, 1000.959});
	latency_expect(&source,
		"#[Histogram log format version 1.3]\n"
		"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
		"\"Interval_Compressed_Histogram\"\n" HDR_FIRST HDR_SECOND,
		(struct expected_latency){
			2000, 1418.8969515, 687.103, 4481.023, 6725.631, 6975.487, 7000.063});
	latency_refuse(
		&source, HDR_FIRST "1,1,1,HISTFAAAAA==\n", "histogram 2 of the log is damaged");
	latency_refuse(&source, "1,1,1,HISTEwAAAAMAAAAA\n", "histogram 1 of the log is damaged");
	/* The values 0, 1 and 1; and the same without the last byte of a count. */
	latency_expect(&source, "1,1,1,HISTFAAAACJ4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DRICJBQBaNgSP\n",
		(struct expected_latency){3, 0.002 / 3, 0.001, 0.001, 0.001, 0.001, 0.001});
	latency_refuse(&source, "1,1,1,HISTFAAAACJ4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DRICpBQBatgUP\n",
		"histogram 1 of the log is damaged");
}

/* The next listed is 93.75 %: that is no p90. */
static void
a_percentile_that_is_not_listed_is_not_known(void)
{
	const struct latency_source source = {.format = LATENCY_HDR, .unit = 2};

	latency_expect(&source,
		"Value Percentile TotalCount\n1.0 0.875 8800\n2.0 0.9375 9400\n3.0 0.99 9900\n"
		"4.0 1.0 10000\n",
		(struct expected_latency){-1, -1, -1, -1, 3000, -1, 4000});
}

static void
any_format_refuses_what_reports_nothing(void)
{
	for (enum latency_format format = 0; format < LATENCY_FORMATS; format++) {
		const struct latency_source source = {.format = format};
		char *problem = mem_printf("no latencies were found in it, read as those of '%s'",
			latency_format_names[format]);

		latency_refuse(&source, "", problem);
		latency_refuse(&source, "3 errors\n\n", problem);
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
		{"any_format_refuses_what_reports_nothing",
			any_format_refuses_what_reports_nothing},
		{"values_become_counters_of_the_run", values_become_counters_of_the_run},
		{"written_times_are_read_with_their_percentiles", test_round_trip},
		{"a_log_says_when_it_begins_and_how_long_it_is", test_text},
		{NULL, NULL},
	};

	unit_suite("profile/latency", cases);
}
