/* What load generators print, shortened; redis-benchmark 7.0, pgbench 15 and wrk 4.1 wrote it. */
#include "profile/latency.h"

#include "latency_check.h"
#include "unit.h"

void suite_profile_load_generators(void);

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

static const struct expected_latency redis_values = {20000, 42, 39, -1, 95, 335, 2615};

static void
redis_benchmark_is_read_in_each_of_its_forms(void)
{
	latency_expect(&redis, REDIS_PROGRESS REDIS_TEST("GET"), redis_values);
	latency_expect(&redis,
		"\"test\",\"rps\",\"avg_latency_ms\",\"min_latency_ms\",\"p50_latency_ms\","
		"\"p95_latency_ms\",\"p99_latency_ms\",\"max_latency_ms\"\n"
		"\"GET\",\"66006.60\",\"0.044\",\"0.008\",\"0.047\",\"0.063\",\"0.087\",\"0.335\"\n",
		(struct expected_latency){-1, 44, 47, -1, 87, -1, 335});
	latency_expect(&redis,
		REDIS_PROGRESS "        \r"
			       "GET: 66225.17 requests per second, p50=0.039 msec \n",
		(struct expected_latency){-1, -1, 39, -1, -1, -1, -1});
}

/* All are work for the server. */
static void
of_several_tests_one_has_the_latency(void)
{
	static const char both[] = REDIS_TEST("SET") REDIS_TEST("LRANGE_100 (first 100 elements)");
	struct latency_source source = redis;
	struct expected_latency expected = redis_values;

	expected.operations = 40000;
	latency_refuse(&source, both, "redis-benchmark ran 2 tests: `test` says");
	source.test = "set";
	latency_expect(&source, both, expected);
	source.test = "LRANGE_100";
	latency_expect(&source, both, expected);
	source.test = "LRANGE_100 (first 100 elements)";
	latency_expect(&source, both, expected);
	source.test = "LRANGE_10";
	latency_expect(&source, both, (struct expected_latency){40000, -1, -1, -1, -1, -1, -1});
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
	latency_expect(&wrk, WRK_HEAD("Max") WRK_LATENCY WRK_REQUESTS WRK_RATES,
		(struct expected_latency){3193, 657.07, 586, 940, 2080, -1, 5430});
	latency_expect(&wrk, WRK_HEAD("Max") WRK_REQUESTS WRK_RATES,
		(struct expected_latency){3193, 657.07, -1, -1, -1, -1, 5430});
	/* wrk2 has a percentile in place of the maximum, and more percentiles. */
	latency_expect(&wrk,
		WRK_HEAD("99%") "  Latency Distribution (HdrHistogram - Recorded Latency)\n"
				" 50.000%  586.00us\n 99.000%    5.43ms\n 99.900%    6.01ms\n"
				"100.000%    1.56s \n" WRK_REQUESTS,
		(struct expected_latency){3193, 657.07, 586, -1, 5430, 6010, 1.56e6});
}

static void
requests_that_fail_have_no_latency(void)
{
	latency_refuse(&wrk, WRK_HEAD("Max") WRK_REQUESTS "  Non-2xx or 3xx responses: 3193\n",
		"requests that failed: Non-2xx or 3xx responses: 3193");
	latency_refuse(&wrk,
		WRK_HEAD("Max") WRK_REQUESTS
		"  Socket errors: connect 0, read 0, write 0, timeout 1\n",
		"requests that failed: Socket errors: connect 0, read 0, write 0, timeout 1");
	latency_refuse(&wrk,
		"    Latency     0.00us    0.00us   0.00us    -nan%\n  0 requests in 5.00s\n",
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
	latency_expect(
		&pgbench, PGBENCH_SUMMARY, (struct expected_latency){12, 1272, -1, -1, -1, -1, -1});
	latency_expect(&pgbench, PGBENCH_LOG,
		(struct expected_latency){12, 11559.0 / 12, 408, 2609, 3597, 3597, 3597});
	latency_expect(&pgbench, PGBENCH_SUMMARY PGBENCH_LOG,
		(struct expected_latency){12, 1272, 408, 2609, 3597, 3597, 3597});
	latency_expect(&pgbench,
		"0 1 1237 0 1795484783 907300 93\n0 2 skipped 0 1795484783 907301 93\n"
		"0 3 failed 0 1795484783 907302 93\n",
		(struct expected_latency){1, 1237, 1237, 1237, 1237, 1237, 1237});
}

void
suite_profile_load_generators(void)
{
	static const struct unit_case cases[] = {
		{"redis_benchmark_is_read_in_each_of_its_forms",
			redis_benchmark_is_read_in_each_of_its_forms},
		{"of_several_tests_one_has_the_latency", of_several_tests_one_has_the_latency},
		{"wrk_has_percentiles_with_its_option", wrk_has_percentiles_with_its_option},
		{"requests_that_fail_have_no_latency", requests_that_fail_have_no_latency},
		{"pgbench_has_percentiles_where_its_log_is",
			pgbench_has_percentiles_where_its_log_is},
		{NULL, NULL},
	};

	unit_suite("profile/load_generators", cases);
}
