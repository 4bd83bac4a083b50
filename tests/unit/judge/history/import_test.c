#include "history/import.h"

#include "unit.h"

#include <math.h>
#include <string.h>

void suite_history_import(void);

static int
read_text(
	struct history *history, const char *text, struct import_skipped *skipped, struct err *err)
{
	return history_import_text(history, "h", text, strlen(text), skipped, err);
}

/* The first entry of a text of one series. */
static void
check_one(const char *text, int64_t started, double cost, const char *unit)
{
	struct history history;
	struct import_skipped skipped;
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(read_text(&history, text, &skipped, &err), 0);
	CU_ASSERT_EQUAL_FATAL(history.nfiles, 1);
	CU_ASSERT_EQUAL(history.files[0].entries[0].started, started);
	CU_ASSERT_DOUBLE_EQUAL(history.files[0].entries[0].cost, cost, 1e-9 * cost);
	CU_ASSERT_STRING_EQUAL(history.files[0].entries[0].unit, unit);
	history_release(&history);
}

static void
check_refused(const char *text, const char *part)
{
	struct history history;
	struct import_skipped skipped;
	struct err err = {0};

	CU_ASSERT_EQUAL(read_text(&history, text, &skipped, &err), -1);
	CU_ASSERT_EQUAL(err.kind, ERR_INPUT);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, part));
}

static void
times_are_iso_8601_or_units_since_1970(void)
{
	static const char *const times[] = {"2026-01-31T12:00:00Z", "2026-01-31 12:00:00",
		"2026-01-31T14:00:00.25+02:00", "2026-01-31 06:30:00-0530", "2026-01-31 13:00+01",
		"2026-01-31 12:00:00 UTC", "1769860800", "1769860800.5", "1769860800000",
		"1769860800000000", "1769860800000000000"};
	struct buf text = {0};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		buf_clear(&text);
		buf_printf(&text, "time,series,value\n%s,a,2\n", times[i]);
		check_one(buf_text(&text), 1769860800, 2, "");
	}
	buf_release(&text);
	check_one("time,series,value\n2026-01-31,a,2\n", 1769817600, 2, "");
	check_refused("time,series,value\n2026-02-31,a,2\n", "h:2:1: error: expected a time");
	check_refused("time,series,value\nyesterday,a,2\n", "h:2:1: error: expected a time");
	check_refused("time,series,value\n2026-01-31T12:00:00+99,a,2\n", "expected a time");
}

static void
columns_stand_in_any_order_and_may_be_quoted(void)
{
	check_one("\xef\xbb\xbfSeries;UNIT;Value;other;Time\r\n\"a;\"\"b\"\"\";ms;1.5;x;1000\r\n",
		1000, 1.5, "ms");
	check_one("value\ttime\tseries\n3\t1000\ta\n\n", 1000, 3, "");
}

static void
rates_become_costs(void)
{
	check_one("time,series,value,unit\n1000,a,4,ops/s\n", 1000, 0.25, "s/ops");
	check_one("time,series,value,unit\n1000,a,4,operations / second (ops/sec)\n", 1000, 0.25,
		"s/ops");
	check_one("time,series,value,unit\n1000,a,4,s/op\n", 1000, 4, "s/op");
	check_one("{\"entries\":{\"s\":[{\"commit\":{\"id\":\"c\"},\"date\":1000000000000,"
		  "\"tool\":\"customBiggerIsBetter\",\"benches\":[{\"name\":\"a\",\"value\":4,"
		  "\"unit\":\"points\"}]}]}}",
		1000000000, 0.25, "1/points");
}

static void
values_of_one_measurement_are_averaged(void)
{
	struct history history;
	struct import_skipped skipped;
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(
		read_text(&history,
			"time,series,commit,value\n1000,a,c,2\n1000,a,c,4\n1000,a,d,9\n", &skipped,
			&err),
		0);
	CU_ASSERT_EQUAL_FATAL(history.files[0].nentries, 2);
	CU_ASSERT_DOUBLE_EQUAL(history.files[0].entries[0].cost, 3, 1e-12);
	/* SD sqrt(2), of two values, over the mean. */
	CU_ASSERT_DOUBLE_EQUAL(history.files[0].entries[0].error, 1.0 / 3, 1e-12);
	CU_ASSERT(isnan(history.files[0].entries[1].error));
	history_release(&history);
}

static void
values_without_logarithm_are_counted(void)
{
	struct history history;
	struct import_skipped skipped;
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(
		read_text(&history,
			"time,series,value\n1000,a,1\n2000,a,0\n3000,a,\n4000,a,null\n"
			"5000,a,-1\n",
			&skipped, &err),
		0);
	CU_ASSERT_EQUAL(skipped.values, 4);
	CU_ASSERT_EQUAL(skipped.line, 3);
	CU_ASSERT_EQUAL(history.files[0].nentries, 1);
	history_release(&history);
	check_refused("time,series,value\n1000,a,0\n", "no value above 0");
}

static void
ranges_are_standard_errors(void)
{
	static const struct {
		const char *range;
		double error;
	} cases[] = {{"\"± 12.5\"", 0.0125}, {"\"+/- 1,250\"", 1.25}, {"\"±0.32%\"", 0.0032},
		{"12.5", 0.0125}, {"\"stddev: 2.5\"", 0.0025}, {"\"unknown\"", NAN}};
	struct buf text = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct history history;
		struct import_skipped skipped;
		struct err err = {0};

		buf_clear(&text);
		buf_printf(&text,
			"window.BENCHMARK_DATA = {\"entries\":{\"s\":[{\"commit\":{\"id\":\"c\","
			"\"timestamp\":\"2026-01-31T12:00:00Z\"},\"benches\":[{\"name\":\"a\","
			"\"value\":1000,\"unit\":\"ns\",\"range\":%s}]}]}};\n",
			cases[i].range);
		CU_ASSERT_EQUAL_FATAL(read_text(&history, buf_text(&text), &skipped, &err), 0);
		const double error = history.files[0].entries[0].error;

		CU_ASSERT(isnan(cases[i].error) ? isnan(error)
						: fabs(error - cases[i].error) < 1e-12);
		history_release(&history);
	}
	buf_release(&text);
}

static void
equal_names_of_a_build_are_two_series(void)
{
	struct history history;
	struct import_skipped skipped;
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(
		read_text(&history,
			"{\"entries\":{\"s\":[{\"commit\":{\"id\":\"c\",\"url\":\"javascript:x\"},\"date\":"
			"1000000000000,\"benches\":[{\"name\":\"a\",\"value\":1},{\"name\":\"a\","
			"\"value\":2}]}],\"t\":[]}}",
			&skipped, &err),
		0);
	CU_ASSERT_EQUAL_FATAL(history.nfiles, 2);
	CU_ASSERT_STRING_EQUAL(history.files[0].workload, "s/a");
	CU_ASSERT_STRING_EQUAL(history.files[1].workload, "s/a (2)");
	CU_ASSERT_STRING_EQUAL(history.files[0].entries[0].report, "");
	history_release(&history);
}

static void
benchers_answer_has_testbeds_branches_and_parameters(void)
{
	static const char text[] =
		"{\"results\":[{\"branch\":{\"name\":\"main\"},\"testbed\":{\"name\":\"ci\"},"
		"\"benchmark\":{\"name\":\"a\"},\"measure\":{\"slug\":\"latency\",\"units\":"
		"\"nanoseconds (ns)\"},\"metrics\":[{\"start_time\":\"2026-01-31T12:00:00Z\","
		"\"version\":{\"hash\":\"c0\"},\"metric\":{\"value\":5}}]},"
		"{\"branch\":{\"name\":\"dev\"},\"testbed\":{\"name\":\"ci\"},\"benchmark\":{\"name\":"
		"\"a\"},\"parameter\":{\"set\":{\"size\":16}},\"measure\":{\"slug\":\"latency\"},"
		"\"metrics\":[{\"start_time\":\"2026-01-31T12:00:00Z\",\"version\":{\"hash\":null},"
		"\"metrics\":{\"value\":{\"value\":6}}}]}]}";
	struct history history;
	struct import_skipped skipped;
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(read_text(&history, text, &skipped, &err), 0);
	CU_ASSERT_EQUAL_FATAL(history.nfiles, 2);
	CU_ASSERT_STRING_EQUAL(history.files[0].machine_class, "ci, branch main");
	CU_ASSERT_STRING_EQUAL(history.files[0].entries[0].commit, "c0");
	CU_ASSERT_STRING_EQUAL(history.files[0].entries[0].metric, "latency");
	CU_ASSERT_STRING_EQUAL(history.files[1].workload, "a {\"size\":16}");
	CU_ASSERT_EQUAL(history.files[1].entries[0].cost, 6);
	history_release(&history);
}

static void
errors_name_the_place(void)
{
	check_refused("", "h:1:1: error: expected a column 'time'");
	check_refused("time,value\n", "expected a column 'series'");
	check_refused("time,series\n", "expected a column 'value'");
	check_refused("time,series,cost,value\n", "h:1:18: error: expected one column");
	check_refused("time,series,value\n1000,a\n", "h:2:1: error: expected 3 fields");
	check_refused("time,series,value\n1000,a,fast\n", "h:2:8: error: expected a number");
	check_refused("time,series,value\n1000,a,0x10\n", "h:2:8: error: expected a number");
	check_refused("time,series,value\n1000,\"a,1\n", "h:2:6: error: expected a '\"'");
	check_refused("time,series,value\n1000,,1\n", "expected the name of a series");
	check_refused("{\"a\":1}", "expected data.js");
	check_refused("{\"entries\":{", "this is not JSON");
	check_refused("{\"entries\":{}} x", "h:1:16: error: the object ends before this");
	check_refused("{\"entries\":{\"s\":[{}]}}", "number 1 of 's': expected a list 'benches'");
	check_refused(
		"{\"entries\":{\"s\":[{\"benches\":[]}]}}", "number 1 of 's': expected a 'date'");
}

void
suite_history_import(void)
{
	static const struct unit_case cases[] = {
		{"times_are_iso_8601_or_units_since_1970", times_are_iso_8601_or_units_since_1970},
		{"columns_stand_in_any_order_and_may_be_quoted",
			columns_stand_in_any_order_and_may_be_quoted},
		{"rates_become_costs", rates_become_costs},
		{"values_of_one_measurement_are_averaged", values_of_one_measurement_are_averaged},
		{"values_without_logarithm_are_counted", values_without_logarithm_are_counted},
		{"ranges_are_standard_errors", ranges_are_standard_errors},
		{"equal_names_of_a_build_are_two_series", equal_names_of_a_build_are_two_series},
		{"benchers_answer_has_testbeds_branches_and_parameters",
			benchers_answer_has_testbeds_branches_and_parameters},
		{"errors_name_the_place", errors_name_the_place},
		{NULL, NULL},
	};

	unit_suite("history/import", cases);
}
