#include "profile/counters.h"

#include "unit.h"

void suite_profile_executions(void);

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
suite_profile_executions(void)
{
	static const struct unit_case cases[] = {
		{"runs_of_one_execution_are_runs", runs_of_one_execution_are_runs},
		{"runs_of_several_say_how_many", runs_of_several_say_how_many},
		{"a_part_of_the_runs_speaks_for_itself", a_part_of_the_runs_speaks_for_itself},
		{NULL, NULL},
	};

	unit_suite("profile/executions", cases);
}
