#include "spec/suite.h"

#include "base/mem.h"
#include "spec_fixture.h"

void suite_spec_suite(void);

static const struct suite_preset *
preset_of(const char *name)
{
	for (size_t i = 0; suite_presets[i]; i++)
		if (strcmp(suite_presets[i]->name, name) == 0)
			return suite_presets[i];
	CU_FAIL_FATAL("no such preset");
	return NULL;
}

/* The names of a list, with '|' between them. */
static void
expect_list(const char *preset, const char *text, const char *expected)
{
	struct suite_listing listing = {0};
	struct buf names = {0};
	struct err err = {0};

	CU_ASSERT_EQUAL(preset_of(preset)->list(&listing, text, strlen(text), &err), 0);
	for (size_t i = 0; i < listing.count; i++)
		buf_printf(&names, "%s%s", i > 0 ? "|" : "", listing.names[i]);
	UNIT_STR_EQ(buf_text(&names), expected);
	buf_release(&names);
	suite_listing_release(&listing);
}

static void
lists_are_read(void)
{
	expect_list("google-benchmark", "BM_Mix\r\nBM_Sort<int, 8>/1024/threads:4\n\nBM_Mix\n",
		"BM_Mix|BM_Sort<int, 8>/1024/threads:4");
	expect_list("google-benchmark", "", "");
	expect_list("go",
		"goos: linux\nBenchmarkA    \t       1\t 1098 ns/op\t 7 B/op\n"
		"BenchmarkB/n=1 \t it prints 5 things\n 1\t 0.5 ns/op\nPASS\n"
		"--- FAIL: BenchmarkC\n    c.go:3: no data\n",
		"BenchmarkA|BenchmarkB/n=1|BenchmarkC");
}

static void
refuse_list(const char *text, size_t len, const char *expected)
{
	struct suite_listing listing = {0};
	struct err err = {0};

	CU_ASSERT_EQUAL(suite_list_lines(&listing, text, len, &err), -1);
	UNIT_CONTAINS(err.text, expected);
	suite_listing_release(&listing);
}

static void
hostile_names_are_refused(void)
{
	char *large = mem_zalloc(100001, 1);

	memset(large, 'x', 100000);
	refuse_list(large, 100000, "a name of 100000 bytes, at most 400");
	refuse_list("a\x1b[31m\n", 7, "control characters");
	refuse_list("a\0b\n", 4, "control characters");
	refuse_list("a\xff\n", 3, "invalid UTF-8");
	free(large);
}

/* Reads an output; -1: it is refused, with `expected` in the error. */
static double
read_with(const char *preset, const char *benchmark, const char *text, const char *expected)
{
	struct suite_report report = {0};
	struct err err = {0};
	const int result = preset_of(preset)->read(benchmark, text, strlen(text), &report, &err);

	if (expected)
		UNIT_CONTAINS(err.text, expected);
	CU_ASSERT_EQUAL(result, expected ? -1 : 0);
	return result == 0 ? report.iterations : -1;
}

static void
all_iterations_are_counted(void)
{
	const char *google = "-- LOG(2): Running BM_A/threads:2 for 1\n"
			     "-- LOG(2): Ran in 0.1/0.1\n"
			     "-- LOG(2): Running BM_A/threads:2 for 700\n"
			     "-- LOG(2): Running BM_AB for 9\n"
			     "BM_A/threads:2   213915 ns   194793 ns   1404\n";

	UNIT_NEAR(read_with("google-benchmark", "BM_A/threads:2", google, NULL), 1402, 0);
	UNIT_NEAR(read_with("google-benchmark", "BM_A",
			  "BM_A   0.5 ns   1 ns   1404 items_per_second=3/s\n", NULL),
		1404, 0);
	UNIT_NEAR(read_with("google-benchmark", "BM_A", "BM_AB 1 ns 1 ns 5\n", NULL), 0, 0);
	/* The first iteration is done by itself, ahead of the others. */
	UNIT_NEAR(read_with("go", "BenchmarkA", "BenchmarkA-8 \t 100\t 12 ns/op\nPASS\n", NULL),
		101, 0);
	UNIT_NEAR(read_with("go", "BenchmarkA", "BenchmarkA \t words\n   1\t 12 ns/op\n", NULL), 1,
		0);
	UNIT_NEAR(read_with("go", "BenchmarkA", "BenchmarkAB-8 \t 100\t 12 ns/op\n", NULL), 0, 0);
	UNIT_NEAR(read_with("go", "BenchmarkA", "BenchmarkA 99999999999999999999999999 1 ns/op\n",
			  NULL),
		0, 0);
}

static void
failures_of_a_benchmark_are_told(void)
{
	read_with("google-benchmark", "BM_A", "BM_A    ERROR OCCURRED: 'no data'\n",
		"the benchmark failed: 'no data'");
	read_with("google-benchmark", "BM_A", "BM_A    SKIPPED: 'not here'\n", "skipped itself");
	read_with("go", "BenchmarkA", "--- FAIL: BenchmarkA-2\n", "the benchmark failed");
}

/* The command of a benchmark, with '|' between its words. */
static void
expect_run(const struct suite *suite, const char *const *run, const char *benchmark, bool older,
	const char *expected)
{
	struct arena arena = {0};
	struct suite_unit unit = {.suite = suite, .benchmark = benchmark};
	struct buf words = {0};

	for (const char *const *at = suite_run_command(run, older, &unit, &arena); *at; at++)
		buf_printf(&words, "%s%s", words.len > 0 ? "|" : "", *at);
	UNIT_STR_EQ(buf_text(&words), expected);
	buf_release(&words);
	arena_release(&arena);
}

static void
names_are_escaped_where_they_stand(void)
{
	const char *const run[] = {"./bench", NULL};
	const char *const own[] = {"./bench", "--filter=^{name}$", "--only={name}", NULL};
	const struct suite google = {.preset = preset_of("google-benchmark")};
	const struct suite go = {.preset = preset_of("go")};
	const struct suite by_hand = {.by_hand = true};

	expect_run(&google, run, "A<int, 8>/(x|y)*", false,
		"./bench|--benchmark_filter=^A<int, 8>/\\(x\\|y\\)\\*$|--benchmark_min_time=0.2s|"
		"--benchmark_color=false|--v=2");
	expect_run(&google, run, "A", true,
		"./bench|--benchmark_filter=^A$|--benchmark_min_time=0.2|"
		"--benchmark_color=false|--v=2");
	expect_run(&go, run, "BenchmarkA/n=1.5", false,
		"./bench|-test.run=^$|-test.bench=^BenchmarkA$/^n=1\\.5$|-test.benchtime=0.2s");
	expect_run(&by_hand, own, "A.{name}", false,
		"./bench|--filter=^A\\.\\{name\\}$|--only=A.{name}");
}

static void
expect_folder(const char *name, const char *expected)
{
	struct arena arena = {0};

	UNIT_STR_EQ(unit_folder(name, &arena), expected);
	arena_release(&arena);
}

static void
folders_are_safe_and_of_one_name(void)
{
	struct arena arena = {0};
	char *large = mem_zalloc(SUITE_NAME_MAX + 3, 1);

	expect_folder("zstd.instructions", "zstd.instructions");
	expect_folder("b/BM_Mix", "b@BM_Mix");
	expect_folder("b/BM_Sort<int, 8>/1024/threads:4",
		"b@BM_Sort_int__8__1024_threads_4-f05c07efb0ef692d");
	CU_ASSERT_NOT_EQUAL(strcmp(unit_folder("b/x/y", &arena), unit_folder("b/x:y", &arena)), 0);
	memset(large, '.', SUITE_NAME_MAX);
	memcpy(large, "b/", 2);
	CU_ASSERT(strlen(unit_folder(large, &arena)) < 100);
	CU_ASSERT_PTR_NULL(strchr(unit_folder("b/../../x", &arena), '/'));
	free(large);
	arena_release(&arena);
}

static void
names_of_units_are_checked(void)
{
	CU_ASSERT_TRUE(unit_is_name("zstd"));
	CU_ASSERT_TRUE(unit_is_name("b/A<int, 8>/'x'.instructions"));
	CU_ASSERT_FALSE(unit_is_name("b/"));
	CU_ASSERT_FALSE(unit_is_name("/x"));
	CU_ASSERT_FALSE(unit_is_name("../x"));
	CU_ASSERT_FALSE(unit_is_name("b/x\ny"));
}

static void
iterations_are_rounded_so_that_sessions_agree(void)
{
	CU_ASSERT_EQUAL(suite_round_iterations(0.2), 1);
	CU_ASSERT_EQUAL(suite_round_iterations(4.9), 2);
	CU_ASSERT_EQUAL(suite_round_iterations(9999), 5000);
	CU_ASSERT_EQUAL(suite_round_iterations(10000), 10000);
}

static void
a_suite_becomes_its_benchmarks(void)
{
	struct spec_fixture f;
	struct workload_list list;
	struct suite_listing listing = {0};
	const char *names = "b/2\nskip/1\na 1\n";

	spec_fixture_init(&f);
	const char *path = spec_fixture_write(&f, "s.yaml",
		"name: s\nsuite: google-benchmark\nrun: [./b]\nexclude: [\"skip/*\"]\n"
		"measure: [cpu, instructions]\n");

	CU_ASSERT_EQUAL_FATAL(workload_list_read(&list, &path, 1, &f.config, &f.err), 0);
	CU_ASSERT_EQUAL_FATAL(list.nworkloads, 2);
	suite_list_lines(&listing, names, strlen(names), &f.err);
	CU_ASSERT_EQUAL(workload_list_expand(&list, 1, &listing, false, &f.err), 0);
	CU_ASSERT_EQUAL(workload_list_expand(&list, 0, &listing, false, &f.err), 0);
	CU_ASSERT_EQUAL_FATAL(list.nworkloads, 4);
	UNIT_STR_EQ(list.workloads[0].name, "s/a 1");
	UNIT_STR_EQ(list.workloads[1].name, "s/a 1.instructions");
	UNIT_STR_EQ(list.workloads[3].name, "s/b/2.instructions");
	UNIT_STR_EQ(list.workloads[2].stored_name, list.workloads[3].stored_name);
	UNIT_STR_EQ(list.workloads[2].file_name, "s");
	CU_ASSERT_NOT_EQUAL(strcmp(list.workloads[0].hash, list.workloads[2].hash), 0);
	workload_list_release(&list);
	suite_listing_release(&listing);
	spec_fixture_release(&f);
}

static void
a_suite_of_none_or_too_many_is_refused(void)
{
	struct spec_fixture f;
	struct workload_list list;
	struct suite_listing listing = {0};
	struct buf names = {0};

	spec_fixture_init(&f);
	const char *path = spec_fixture_write(
		&f, "s.yaml", "name: s\nsuite: go\nrun: [./b]\ninclude: [\"x*\"]\n");

	CU_ASSERT_EQUAL_FATAL(workload_list_read(&list, &path, 1, &f.config, &f.err), 0);
	CU_ASSERT_EQUAL(workload_list_expand(&list, 0, &listing, false, &f.err), -1);
	UNIT_CONTAINS(f.err.text, "lists no benchmark");
	for (int i = 0; i < 100000; i++)
		buf_printf(&names, "x%d\n", i);
	suite_list_lines(&listing, buf_text(&names), names.len, &f.err);
	CU_ASSERT_EQUAL(listing.count, 100000);
	CU_ASSERT_EQUAL(workload_list_expand(&list, 0, &listing, false, &f.err), -1);
	UNIT_CONTAINS(f.err.text, "has 100000 benchmarks, at most 2000");
	CU_ASSERT_EQUAL(list.nworkloads, 1);
	buf_release(&names);
	workload_list_release(&list);
	suite_listing_release(&listing);
	spec_fixture_release(&f);
}

static void
each_kind_is_found_by_an_option_in_its_help(void)
{
	for (size_t i = 0; suite_presets[i]; i++)
		CU_ASSERT(suite_presets[i]->help && suite_presets[i]->help[0] == '-');
}

static const struct unit_case cases[] = {
	{"each_kind_is_found_by_an_option_in_its_help",
		each_kind_is_found_by_an_option_in_its_help},
	{"lists_are_read", lists_are_read},
	{"hostile_names_are_refused", hostile_names_are_refused},
	{"all_iterations_are_counted", all_iterations_are_counted},
	{"failures_of_a_benchmark_are_told", failures_of_a_benchmark_are_told},
	{"names_are_escaped_where_they_stand", names_are_escaped_where_they_stand},
	{"folders_are_safe_and_of_one_name", folders_are_safe_and_of_one_name},
	{"names_of_units_are_checked", names_of_units_are_checked},
	{"iterations_are_rounded_so_that_sessions_agree",
		iterations_are_rounded_so_that_sessions_agree},
	{"a_suite_becomes_its_benchmarks", a_suite_becomes_its_benchmarks},
	{"a_suite_of_none_or_too_many_is_refused", a_suite_of_none_or_too_many_is_refused},
	{NULL, NULL},
};

void
suite_spec_suite(void)
{
	unit_suite("spec/suite", cases);
}
