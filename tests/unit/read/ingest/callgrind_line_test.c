#include "ingest/callgrind_internal.h"

#include "base/mem.h"
#include "unit.h"

#include <stdio.h>

void suite_ingest_callgrind_line(void);

static struct line
line_of(const char *text)
{
	return (struct line){text, strlen(text)};
}

static enum callgrind_line_kind
kind_of(const char *text)
{
	return callgrind_line_parse(line_of(text)).kind;
}

static double
cost_of(const char *text, size_t positions, size_t which)
{
	double cost;
	const char *at;

	const struct event_sum sum = event_sum_single(which);
	const struct callgrind_columns columns = {positions, 4, &sum};

	return callgrind_line_cost(line_of(text), &columns, &cost, &at) ? cost : -1;
}

static void
kinds_are_reported_by_how_a_line_begins(void)
{
	CU_ASSERT_EQUAL(kind_of(""), CALLGRIND_EMPTY);
	CU_ASSERT_EQUAL(kind_of("# fn=x"), CALLGRIND_EMPTY);
	CU_ASSERT_EQUAL(kind_of("12 3\r"), CALLGRIND_COST);
	CU_ASSERT_EQUAL(kind_of("+1 3"), CALLGRIND_COST);
	CU_ASSERT_EQUAL(kind_of("-1 3"), CALLGRIND_COST);
	CU_ASSERT_EQUAL(kind_of("* 3"), CALLGRIND_COST);
	CU_ASSERT_EQUAL(kind_of("0x1f 3 4"), CALLGRIND_COST);
	CU_ASSERT_EQUAL(kind_of("calls=1 2"), CALLGRIND_CALLS);
	CU_ASSERT_EQUAL(kind_of("jcnd=1 2 +3"), CALLGRIND_JUMP);
	CU_ASSERT_EQUAL(kind_of("fn=(1) a:b=c"), CALLGRIND_POSITION);
	CU_ASSERT_EQUAL(kind_of("events: Ir"), CALLGRIND_HEADER);
	CU_ASSERT_EQUAL(kind_of("cmd: a=b"), CALLGRIND_HEADER);
	CU_ASSERT_EQUAL(kind_of("what"), CALLGRIND_OTHER);
}

static void
every_key_of_the_writers_is_known(void)
{
	/* valgrind's callgrind/dump.c, and what KCachegrind's libcore/cachegrindloader.cpp reads.
	 */
	static const char *const positions[] = {
		"fl", "fi", "fe", "fn", "ob", "cfl", "cfi", "cfn", "cob", "jfi", "jfn"};
	static const char *const headers[] = {"version: 1", "creator: x", "pid: 1", "cmd: a",
		"part: 1", "thread: 1", "desc: Trigger: x", "positions: instr bb line",
		"event: a : b", "events: a", "summary: 1", "totals: 1", "arch: arm",
		"timeframe (BB): 1 - 2"};
	char text[32];

	for (size_t i = 0; i < sizeof(positions) / sizeof(positions[0]); i++) {
		snprintf(text, sizeof(text), "%s=(1) x", positions[i]);
		CU_ASSERT_EQUAL(kind_of(text), CALLGRIND_POSITION);
	}
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		const struct callgrind_line line = callgrind_line_parse(line_of(headers[i]));

		CU_ASSERT_TRUE(callgrind_line_is_known(&line));
	}
	CU_ASSERT_EQUAL(kind_of("rcalls=1 2"), CALLGRIND_CALLS);
	CU_ASSERT_EQUAL(kind_of("jump=1 2"), CALLGRIND_JUMP);
	CU_ASSERT_EQUAL(kind_of("jcnd=1/2 3"), CALLGRIND_JUMP);
	CU_ASSERT_EQUAL(kind_of("bb=0x109030 1 1"), CALLGRIND_EMPTY);
	CU_ASSERT_EQUAL(kind_of("ln=3"), CALLGRIND_EMPTY);
	CU_ASSERT_EQUAL(kind_of("cfni=f"), CALLGRIND_EMPTY);
	CU_ASSERT_EQUAL(kind_of("cfnx=f"), CALLGRIND_OTHER);
}

static void
only_fl_names_the_file_of_a_function(void)
{
	struct callgrind_line own = callgrind_line_parse(line_of("fl=a.c"));
	struct callgrind_line inlined = callgrind_line_parse(line_of("fi=a.h"));

	CU_ASSERT_EQUAL(own.names, CALLGRIND_SOURCE);
	CU_ASSERT_TRUE(own.begins_function);
	CU_ASSERT_EQUAL(inlined.names, CALLGRIND_SOURCE);
	CU_ASSERT_FALSE(inlined.begins_function);
}

static void
values_are_without_the_spaces_around_them(void)
{
	struct callgrind_line line = callgrind_line_parse(line_of("cmd:  ls -l \r"));

	CU_ASSERT_TRUE(callgrind_line_is(&line, "cmd"));
	CU_ASSERT_TRUE(callgrind_line_is_known(&line));
	CU_ASSERT_EQUAL(line.value.len, 5);
	CU_ASSERT_EQUAL(memcmp(line.value.at, "ls -l", 5), 0);
	line = callgrind_line_parse(line_of("colour: red"));
	CU_ASSERT_FALSE(callgrind_line_is_known(&line));
}

static void
the_cost_of_each_event_is_found(void)
{
	CU_ASSERT_EQUAL(cost_of("15 90 14 2", 1, 0), 90);
	CU_ASSERT_EQUAL(cost_of("15 90 14 2", 1, 2), 2);
	CU_ASSERT_EQUAL(cost_of("0x80001234 90 1", 2, 0), 1);
	CU_ASSERT_EQUAL(cost_of("+3 * 5", 2, 0), 5);
	CU_ASSERT_EQUAL(cost_of("* 0xff", 1, 0), 255);
	CU_ASSERT_EQUAL(cost_of("+1\t7\r", 1, 0), 7);
}

static void
costs_of_a_sum_are_weighted(void)
{
	const struct event_sum sum = {.terms = {{0, 1}, {2, 10}, {3, 100}}, .nterms = 3};
	const struct callgrind_columns columns = {1, 5, &sum};
	const char *at;
	double cost;

	CU_ASSERT_TRUE(callgrind_line_cost(line_of("15 90 7 2 3 5"), &columns, &cost, &at));
	CU_ASSERT_EQUAL(cost, 410);
	CU_ASSERT_TRUE(callgrind_line_cost(line_of("15 90 7 2"), &columns, &cost, &at));
	CU_ASSERT_EQUAL(cost, 110);
	CU_ASSERT_FALSE(callgrind_line_cost(line_of("15 90 7 2 x"), &columns, &cost, &at));
}

static void
costs_that_are_not_stated_are_0(void)
{
	CU_ASSERT_EQUAL(cost_of("16 20 12", 1, 2), 0);
	CU_ASSERT_EQUAL(cost_of("16", 1, 0), 0);
}

static void
what_is_no_number_is_refused_where_it_is(void)
{
	static const char text[] = "16 2o";
	const struct event_sum first = event_sum_single(0);
	const struct callgrind_columns columns = {1, 4, &first};
	double cost;
	const char *at;

	CU_ASSERT_FALSE(callgrind_line_cost(line_of(text), &columns, &cost, &at));
	CU_ASSERT_EQUAL(at - text, 3);
	CU_ASSERT_EQUAL(cost_of("+ 2", 1, 0), -1);
	CU_ASSERT_EQUAL(cost_of("0x 2", 1, 0), -1);
	CU_ASSERT_EQUAL(cost_of("1 -2", 1, 0), -1);
	CU_ASSERT_EQUAL(cost_of("1 123456789012345678901", 1, 0), -1);
	CU_ASSERT_EQUAL(cost_of("1", 2, 0), -1);
}

static const struct unit_case cases[] = {
	{"kinds_are_reported_by_how_a_line_begins", kinds_are_reported_by_how_a_line_begins},
	{"every_key_of_the_writers_is_known", every_key_of_the_writers_is_known},
	{"only_fl_names_the_file_of_a_function", only_fl_names_the_file_of_a_function},
	{"values_are_without_the_spaces_around_them", values_are_without_the_spaces_around_them},
	{"the_cost_of_each_event_is_found", the_cost_of_each_event_is_found},
	{"costs_of_a_sum_are_weighted", costs_of_a_sum_are_weighted},
	{"costs_that_are_not_stated_are_0", costs_that_are_not_stated_are_0},
	{"what_is_no_number_is_refused_where_it_is", what_is_no_number_is_refused_where_it_is},
	{NULL, NULL},
};

void
suite_ingest_callgrind_line(void)
{
	unit_suite("ingest/callgrind_line", cases);
}
