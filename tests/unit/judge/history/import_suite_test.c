#include "history/import_suite.h"

#include "unit.h"

#include <math.h>
#include <string.h>

void suite_history_import_suite(void);

/* Reads the output of a suite that has one benchmark, and returns its first entry. */
static struct history_entry
read_one(const char *format, const char *text, const char *benchmark)
{
	const struct import_suite suite = {
		.format = format,
		.name = "s",
		.machine_class = "m",
		.else_commit = "c",
		.else_started = 1000,
		.link = "",
	};
	struct history history;
	struct import_skipped skipped;
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(
		import_suite_text(&history, &suite, text, strlen(text), &skipped, &err), 0);
	CU_ASSERT_EQUAL_FATAL(history.nfiles, 1);
	UNIT_STR_EQ(history.files[0].workload, benchmark);
	struct history_entry entry = history.files[0].entries[0];

	CU_ASSERT_EQUAL(entry.started, 1000);
	UNIT_STR_EQ(entry.unit, "ns");
	history_release(&history);
	return entry;
}

#define RUN(real, cpu)                                                                                \
	"{\"run_name\": \"a\", \"run_type\": \"iteration\", \"repetitions\": 3, \"real_time\": " real \
	", \"cpu_time\": " cpu ", \"time_unit\": \"us\"}"
#define AGGREGATE(name, real, cpu)                                                      \
	"{\"run_name\": \"a\", \"run_type\": \"aggregate\", \"repetitions\": 3, "       \
	"\"aggregate_name\": \"" name "\", \"real_time\": " real ", \"cpu_time\": " cpu \
	", \"time_unit\": \"us\"}"

static void
repetitions_have_the_mean_and_error_of_their_aggregates(void)
{
	/* Of 2, 3 and 7: the mean is 4, the standard deviation sqrt(7). */
	static const char *const texts[] = {
		"{\"benchmarks\": [" RUN("9", "2") "," RUN("9", "3") "," RUN("9", "7") "]}",
		"{\"benchmarks\": [" AGGREGATE("stddev", "0", "2.6457513110645907") "," AGGREGATE(
			"mean", "9", "4") "]}",
		"{\"benchmarks\": [" RUN("9", "2") "," RUN("9", "3") "," RUN("9",
			"7") "," AGGREGATE("mean", "5", "5") "," AGGREGATE("BigO", "1", "1") "]}",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const struct history_entry entry = read_one("google-benchmark", texts[i], "a");

		CU_ASSERT_DOUBLE_EQUAL(entry.cost, 4000, 1e-9);
		CU_ASSERT_DOUBLE_EQUAL(entry.error, sqrt(7.0 / 3) / 4, 1e-12);
	}
}

static void
rates_become_the_time_of_one_operation(void)
{
	struct history_entry entry = read_one("jmh",
		"[{\"benchmark\": \"a\", \"mode\": \"thrpt\", \"primaryMetric\": {\"scoreUnit\": "
		"\"ops/ms\", \"score\": 4, \"rawData\": [[3], [5]]}}]",
		"a");

	CU_ASSERT_DOUBLE_EQUAL(entry.cost, 250000, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(entry.error, 0.25, 1e-12);
	entry = read_one("bencher", "{\"a\": {\"throughput\": {\"value\": 8}}}", "a");
	CU_ASSERT_DOUBLE_EQUAL(entry.cost, 125000000, 1e-6);
	CU_ASSERT(isnan(entry.error));
}

static void
units_of_time_are_converted(void)
{
	CU_ASSERT_EQUAL(
		read_one("hyperfine", "{\"results\": [{\"command\": \"a\", \"mean\": 0.25}]}", "a")
			.cost,
		250000000);
	CU_ASSERT_EQUAL(
		read_one("criterion", "test a ... bench: 1,234.5 us/iter (+/- 2)\n", "a").cost,
		1234500);
	CU_ASSERT_EQUAL(read_one("go", "BenchmarkA\t10\t1.5 ns/op\r\n", "BenchmarkA").cost, 1.5);
	CU_ASSERT_EQUAL(
		read_one("pytest-benchmark",
			"{\"benchmarks\": [{\"fullname\": \"a\", \"stats\": {\"mean\": 1e-6}}]}",
			"a")
			.cost,
		1000);
}

static void
names_are_those_of_the_suite(void)
{
	read_one("bencher",
		"{\"../a \\\"b\\\"\\n<c, 8>\\ud83d\\ude00\": {\"latency\": {\"value\": 1}}}",
		"../a \"b\"\n<c, 8>\xf0\x9f\x98\x80");
	read_one("criterion", "test  a ... b.rs - x (line 3) ... bench: 5 ns/iter (+/- 2)\n",
		"a ... b.rs - x (line 3)");
	read_one("go", "pkg: example.com/p\nBenchmarkA/x=\xff-8 10 5 ns/op\n",
		"example.com/p.BenchmarkA/x=\xff-8");
	read_one("jmh",
		"[{\"benchmark\": \"a\", \"mode\": \"avgt\", \"params\": {\"n\": \"1\", \"k\": "
		"\"(\"}, \"primaryMetric\": {\"score\": 4, \"scoreUnit\": \"ns/op\"}}]",
		"a (n=1, k=()");
}

void
suite_history_import_suite(void)
{
	static const struct unit_case cases[] = {
		{"repetitions_have_the_mean_and_error_of_their_aggregates",
			repetitions_have_the_mean_and_error_of_their_aggregates},
		{"rates_become_the_time_of_one_operation", rates_become_the_time_of_one_operation},
		{"units_of_time_are_converted", units_of_time_are_converted},
		{"names_are_those_of_the_suite", names_are_those_of_the_suite},
		{NULL, NULL},
	};

	unit_suite("history/import_suite", cases);
}
