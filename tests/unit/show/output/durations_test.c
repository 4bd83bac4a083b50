#include "output/durations.h"

#include "unit.h"

void suite_output_durations(void);

static int
parse(const char *text, struct shard_durations *durations, struct err *err)
{
	return durations_parse(durations, "verdict.json", text, strlen(text), err);
}

static void
build_and_runs_are_a_workloads_duration(void)
{
	struct shard_durations durations;
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(
		parse("{\"workloads\": [{\"name\": \"a\", \"build_s\": 1.5, \"measure_s\": 2},"
		      " {\"name\": \"b\", \"build_s\": null, \"measure_s\": 3}]}",
			&durations, &err),
		0);
	CU_ASSERT_EQUAL_FATAL(durations.count, 2);
	UNIT_STR_EQ(durations.items[0].workload, "a");
	CU_ASSERT_EQUAL(durations.items[0].seconds, 3.5);
	CU_ASSERT_EQUAL(durations.items[1].seconds, 3);
	durations_release(&durations);
}

static void
a_workload_that_was_not_measured_has_no_duration(void)
{
	struct shard_durations durations;
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(
		parse("{\"workloads\": [{\"name\": \"a\", \"measure_s\": 0}, 7,"
		      " {\"name\": \"b\"}, {\"name\": \"../c\", \"measure_s\": 1},"
		      " {\"name\": \"d\", \"measure_s\": 1e300}, {\"measure_s\": 1},"
		      " {\"name\": \"e\", \"measure_s\": -1}, {\"name\": 4, \"measure_s\": 1}]}",
			&durations, &err),
		0);
	CU_ASSERT_EQUAL(durations.count, 0);
	durations_release(&durations);
}

static void
another_file_is_refused_with_its_place(void)
{
	static const struct {
		const char *text, *said;
	} cases[] = {
		{"", "verdict.json:1:1: error: not JSON"},
		{"{\n\"workloads\": [}", "verdict.json:2:15: error: not JSON"},
		{"[1]", "verdict.json: it has no list of 'workloads'"},
		{"{\"workloads\": {}}", "verdict.json: it has no list of 'workloads'"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct shard_durations durations;
		struct err err = {0};

		CU_ASSERT_EQUAL(parse(cases[i].text, &durations, &err), -1);
		CU_ASSERT_EQUAL(err.kind, ERR_INPUT);
		UNIT_CONTAINS(err.text, cases[i].said);
		UNIT_CONTAINS(err.text, "expected the verdict.json of a report");
	}
}

void
suite_output_durations(void)
{
	static const struct unit_case cases[] = {
		{"build_and_runs_are_a_workloads_duration",
			build_and_runs_are_a_workloads_duration},
		{"a_workload_that_was_not_measured_has_no_duration",
			a_workload_that_was_not_measured_has_no_duration},
		{"another_file_is_refused_with_its_place", another_file_is_refused_with_its_place},
		{NULL, NULL},
	};

	unit_suite("output/durations", cases);
}
