#include "profile/counters.h"

#include "profile/profile.h"
#include "unit.h"

#include <math.h>
#include <string.h>

void suite_profile_counters(void);

static void
every_kind_has_a_name_of_its_own_and_says_what_it_is(void)
{
	for (int id = 0; id < NCOUNTERS; id++) {
		const struct counter_kind *kind = &counter_kinds[id];

		UNIT_NEED(kind->name);
		UNIT_NEED(kind->help);
		CU_ASSERT_EQUAL(strspn(kind->name, "abcdefghijklmnopqrstuvwxyz_0123456789."),
			strlen(kind->name));
		CU_ASSERT_EQUAL(counter_find(kind->name), id);
		CU_ASSERT(strlen(kind->help) > 0 && kind->help[strlen(kind->help) - 1] != '.');
	}
	CU_ASSERT_EQUAL(counter_find("max_rs"), -1);
	CU_ASSERT_EQUAL(counter_find(""), -1);
}

static void
nothing_is_known_of_a_run_of_zeros(void)
{
	struct run run = {.measured = true, .cpu_ns = 5, .context_switches = 3};

	for (enum counter_id id = 0; id < NCOUNTERS; id++)
		CU_ASSERT(isnan(counter_value(&run, id)));
}

static void
zero_is_a_value_and_no_number_is_none(void)
{
	struct run run = {.measured = true};

	counter_set(&run, COUNTER_MAJOR_FAULTS, 0);
	UNIT_NEAR(counter_value(&run, COUNTER_MAJOR_FAULTS), 0, 0);
	CU_ASSERT(isnan(counter_value(&run, COUNTER_PAGE_FAULTS)));
	counter_set(&run, COUNTER_MINOR_FAULTS, 12);
	UNIT_NEAR(counter_value(&run, COUNTER_PAGE_FAULTS), 12, 0);
	counter_set(&run, COUNTER_MINOR_FAULTS, NAN);
	CU_ASSERT(isnan(counter_value(&run, COUNTER_MINOR_FAULTS)));
	counter_set(&run, COUNTER_MINOR_FAULTS, -1);
	counter_set(&run, COUNTER_MAX_RSS, INFINITY);
	CU_ASSERT(isnan(counter_value(&run, COUNTER_MINOR_FAULTS)));
	CU_ASSERT(isnan(counter_value(&run, COUNTER_MAX_RSS)));
}

static void
executions_have_a_mean_and_of_memory_the_largest(void)
{
	struct run run = {.measured = true, .executions = 3, .cpu_ns = 30};
	const double values[] = {4, 1, 7};

	for (unsigned i = 0; i < 3; i++) {
		counter_add(&run, COUNTER_WRITE_CALLS, values[i], i + 1);
		counter_add(&run, COUNTER_MAX_RSS, values[i], i + 1);
		counter_add(&run, COUNTER_READ_CALLS, i == 1 ? NAN : 5, i + 1);
		counter_add(&run, COUNTER_USER_TIME, 8, i + 1);
	}
	UNIT_NEAR(counter_value(&run, COUNTER_WRITE_CALLS), 4, 1e-12);
	UNIT_NEAR(counter_value(&run, COUNTER_MAX_RSS), 7, 0);
	CU_ASSERT(isnan(counter_value(&run, COUNTER_READ_CALLS)));
	/* The fields of the run are of all executions. */
	UNIT_NEAR(counter_value(&run, COUNTER_CPU_TIME), 10, 0);
	UNIT_NEAR(counter_value(&run, COUNTER_USER_TIME), 8, 0);
}

static void
quotients_need_both_of_their_counts(void)
{
	struct run run = {.measured = true};

	counter_set(&run, COUNTER_INSTRUCTIONS, 3000);
	CU_ASSERT(isnan(counter_value(&run, COUNTER_IPC)));
	counter_set(&run, COUNTER_CYCLES, 0);
	CU_ASSERT(isnan(counter_value(&run, COUNTER_IPC)));
	counter_set(&run, COUNTER_CYCLES, 1500);
	counter_set(&run, COUNTER_CACHE_MISSES, 6);
	UNIT_NEAR(counter_value(&run, COUNTER_IPC), 2, 0);
	UNIT_NEAR(counter_value(&run, COUNTER_CACHE_MPKI), 2, 1e-12);
	CU_ASSERT(isnan(counter_value(&run, COUNTER_BRANCH_MPKI)));
}

/* A profile with a run of each number of executions, ended by -1. */
static void
fill(struct profile *profile, const int *executions)
{
	profile_init(profile);
	for (; *executions >= 0; executions++) {
		size_t run = profile_add_run(profile);

		profile->runs[run].executions = (uint64_t)*executions;
	}
}

static void
expect(const int *executions, const char *runs, const char *basis)
{
	struct profile profile;
	struct buf out = {0};

	fill(&profile, executions);
	executions_put_runs(&profile, 0, profile.nruns, &out);
	UNIT_STR_EQ(buf_text(&out), runs);
	UNIT_STR_EQ(executions_basis(&profile), basis);
	profile_release(&profile);
	buf_release(&out);
}

static void
runs_of_one_execution_are_runs(void)
{
	expect((int[]){-1}, "0 runs", "run");
	expect((int[]){1, -1}, "1 run", "run");
	/* What is not known, as of a folded file, is one. */
	expect((int[]){1, 0, 1, -1}, "3 runs", "run");
}

static void
runs_of_several_say_how_many(void)
{
	expect((int[]){60, -1}, "1 run of 60 executions", "execution");
	expect((int[]){1200, 1200, -1}, "2 runs of 1,200 executions each", "execution");
	expect((int[]){60, 40, 50, -1}, "3 runs of 40 to 60 executions", "execution");
	expect((int[]){0, 60, -1}, "2 runs of 1 to 60 executions", "execution");
}

static void
a_part_of_the_runs_speaks_for_itself(void)
{
	struct profile profile;
	struct buf out = {0};

	fill(&profile, (int[]){1, 1, 60, -1});
	executions_put_runs(&profile, 0, 2, &out);
	UNIT_STR_EQ(buf_text(&out), "2 runs");
	UNIT_NEAR(executions_of_run(&profile.runs[2]), 60, 0);
	profile_release(&profile);
	buf_release(&out);
}

void
suite_profile_counters(void)
{
	static const struct unit_case cases[] = {
		{"every_kind_has_a_name_of_its_own_and_says_what_it_is",
			every_kind_has_a_name_of_its_own_and_says_what_it_is},
		{"nothing_is_known_of_a_run_of_zeros", nothing_is_known_of_a_run_of_zeros},
		{"zero_is_a_value_and_no_number_is_none", zero_is_a_value_and_no_number_is_none},
		{"executions_have_a_mean_and_of_memory_the_largest",
			executions_have_a_mean_and_of_memory_the_largest},
		{"quotients_need_both_of_their_counts", quotients_need_both_of_their_counts},
		{"runs_of_one_execution_are_runs", runs_of_one_execution_are_runs},
		{"runs_of_several_say_how_many", runs_of_several_say_how_many},
		{"a_part_of_the_runs_speaks_for_itself", a_part_of_the_runs_speaks_for_itself},
		{NULL, NULL},
	};

	unit_suite("profile/counters", cases);
}
