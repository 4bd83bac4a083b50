#include "output/counters_report.h"

#include "profile/counters.h"
#include "unit.h"

#include <math.h>

void suite_output_counters_report(void);

static void
add_run(struct profile *profile, double rss, double running)
{
	size_t column = profile_add_run(profile);
	struct run *run = &profile->runs[column];

	*run = (struct run){
		.measured = true, .executions = 1, .cpu_ns = 2000000, .wall_ns = 3000000};
	counter_set(run, COUNTER_USER_TIME, 1500000);
	counter_set(run, COUNTER_MAX_RSS, rss);
	counter_set(run, COUNTER_CYCLES, running > 0 ? 4e6 : NAN);
	counter_set(run, COUNTER_INSTRUCTIONS, running > 0 ? 6e6 : NAN);
	counter_set(run, COUNTER_PMU_RUNNING, running > 0 ? running : NAN);
}

static void
one_run_has_its_values_and_what_they_mean(void)
{
	struct profile profile;
	struct buf out = {0};

	profile_init(&profile);
	add_run(&profile, 2 << 20, 0);
	counters_put_text(&profile, "./a b", &out);
	UNIT_CONTAINS(buf_text(&out), "1 run of ./a b\n");
	UNIT_CONTAINS(buf_text(&out), "max_rss           2.00 MiB  largest resident memory");
	UNIT_CONTAINS(buf_text(&out), "cpu_time");
	UNIT_CONTAINS(buf_text(&out),
		"not counted: cycles, instructions, branches, branch_misses, cache_misses: this "
		"machine offers no hardware counters\n");
	UNIT_CONTAINS(buf_text(&out), "write_calls, storage_read_bytes, storage_write_bytes: this "
				      "kernel does not offer them\n");
	buf_release(&out);
	profile_release(&profile);
}

static void
several_runs_have_a_spread(void)
{
	struct profile profile;
	struct buf out = {0};

	profile_init(&profile);
	for (int i = 1; i <= 3; i++)
		add_run(&profile, i << 20, i < 3 ? 1 : 0.8);
	counters_put_text(&profile, "a", &out);
	UNIT_CONTAINS(buf_text(&out), "3 runs of a\n");
	/* SD of 1, 2, 3 is half of their mean. */
	UNIT_CONTAINS(buf_text(&out), "max_rss            2.00 MiB  50.0 %   1.00 MiB   3.00 MiB");
	UNIT_CONTAINS(buf_text(&out), "ipc");
	UNIT_CONTAINS(buf_text(&out), "were running for 80.0 % of the time");
	buf_release(&out);
	profile_release(&profile);
}

static void
unknown_values_are_null(void)
{
	struct profile profile;
	struct buf out = {0};

	profile_init(&profile);
	add_run(&profile, NAN, 0);
	counters_put_json(&profile, "a \"b\"", &out);
	UNIT_CONTAINS(buf_text(&out), "\"command\":\t\"a \\\"b\\\"\"");
	UNIT_CONTAINS(buf_text(&out), "\"max_rss\":\tnull");
	UNIT_CONTAINS(buf_text(&out), "\"ipc\":\tnull");
	UNIT_CONTAINS(buf_text(&out), "\"mean\":\t1500000");
	UNIT_CONTAINS(buf_text(&out), "\"sd\":\tnull");
	buf_release(&out);
	profile_release(&profile);
}

void
suite_output_counters_report(void)
{
	static const struct unit_case cases[] = {
		{"one_run_has_its_values_and_what_they_mean",
			one_run_has_its_values_and_what_they_mean},
		{"several_runs_have_a_spread", several_runs_have_a_spread},
		{"unknown_values_are_null", unknown_values_are_null},
		{NULL, NULL},
	};

	unit_suite("output/counters_report", cases);
}
