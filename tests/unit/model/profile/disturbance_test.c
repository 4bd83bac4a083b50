#include "profile/disturbance.h"

#include "unit.h"

void suite_profile_disturbance(void);

#define SECOND 1000000000U

/* `n` runs of 10 s that were watched and not disturbed. */
static void
make_runs(struct profile *profile, size_t n)
{
	profile_init(profile);
	for (size_t i = 0; i < n; i++) {
		profile_add_run(profile);
		profile->runs[i].measured = true;
		profile->runs[i].wall_ns = 10 * (uint64_t)SECOND;
		profile->runs[i].program_cpus = 1;
		profile->runs[i].sibling_cpus = 1;
		profile->runs[i].outside_cpus = 6;
	}
}

static void
expect(struct profile *profile, const char *text)
{
	struct buf out = {0};

	disturbance_put(profile, &out);
	UNIT_STR_EQ(buf_text(&out), text);
	buf_release(&out);
	profile_release(profile);
}

static void
little_is_not_reported(void)
{
	struct profile profile;

	make_runs(&profile, 3);
	profile.runs[0].others_ns = SECOND / 4;
	profile.runs[1].steal_ns = SECOND / 20;
	profile.runs[2].sibling_ns = SECOND / 2;
	profile.runs[1].outside_ns = 25 * (uint64_t)SECOND;
	profile.runs[0].end_mhz = 3400;
	profile.runs[1].end_mhz = 3300;
	expect(&profile, "");
}

static void
what_is_counted_is_not_disturbed(void)
{
	struct profile profile;

	make_runs(&profile, 3);
	for (size_t i = 0; i < 3; i++)
		profile.runs[i].others_ns = 5 * (uint64_t)SECOND;
	CU_ASSERT(disturbance_is_large(&profile, 0.1));
	profile.metric = strtab_intern_str(&profile.strings, "syscalls");
	profile.unit = strtab_intern_str(&profile.strings, "calls");
	CU_ASSERT(!disturbance_is_large(&profile, 0.1));
	expect(&profile, "");
}

static void
each_that_disturbed_is_named(void)
{
	struct profile profile;

	make_runs(&profile, 20);
	for (size_t i = 0; i < 7; i++)
		profile.runs[i].others_ns = (3 + i) * (SECOND / 10);
	profile.runs[3].steal_ns = 2 * (uint64_t)(SECOND / 5);
	profile.runs[5].sibling_ns = 6 * (uint64_t)SECOND;
	profile.runs[6].outside_ns = 54 * (uint64_t)SECOND;
	profile.runs[0].end_mhz = 2100;
	profile.runs[19].end_mhz = 3400;
	expect(&profile,
		"7 of 20 runs were disturbed: other processes took 3 to 9 % of the program's "
		"CPU; the hypervisor took up to 4 %; the other thread of its core was up to "
		"60 % busy; the rest of the machine was up to 90 % busy; the clock went from "
		"2.1 to 3.4 GHz");
}

static void
one_run_and_several_cpus_are_reported_as_such(void)
{
	struct profile profile;

	make_runs(&profile, 1);
	profile.runs[0].program_cpus = 2;
	profile.runs[0].sibling_cpus = 2;
	profile.runs[0].others_ns = 2 * (uint64_t)SECOND;
	profile.runs[0].sibling_ns = 5 * (uint64_t)SECOND;
	expect(&profile,
		"1 of 1 runs was disturbed: other processes took 10 % of the program's CPUs; "
		"the other threads of its cores were 25 % busy");
}

static void
a_clock_alone_is_reported(void)
{
	struct profile profile;

	make_runs(&profile, 2);
	profile.runs[0].end_mhz = 2100;
	profile.runs[1].end_mhz = 3400;
	expect(&profile, "2 runs ended with a clock of 2.1 to 3.4 GHz");
}

/* For a run of a tenth of a second, two ticks are no news. */
static void
ticks_are_no_disturbance(void)
{
	struct profile profile;

	make_runs(&profile, 2);
	profile.runs[0].wall_ns = SECOND / 10;
	profile.runs[0].others_ns = SECOND / 50;
	expect(&profile, "");
}

static void
nothing_is_said_of_runs_nobody_watched(void)
{
	struct profile profile;

	make_runs(&profile, 2);
	profile.runs[0].program_cpus = 0;
	profile.runs[0].others_ns = 5 * (uint64_t)SECOND;
	profile.runs[1].measured = false;
	profile.runs[1].others_ns = 5 * (uint64_t)SECOND;
	CU_ASSERT_TRUE(isnan(disturbance_share(&profile.runs[0], DISTURBANCE_OTHERS)));
	CU_ASSERT_TRUE(isnan(disturbance_share(&profile.runs[0], DISTURBANCE_STEAL)));
	expect(&profile, "");
}

/* Ticks may add up to more than the run took. */
static void
no_share_is_more_than_all(void)
{
	const struct run run = {.measured = true,
		.wall_ns = SECOND,
		.program_cpus = 1,
		.others_ns = 2 * (uint64_t)SECOND};

	CU_ASSERT_EQUAL(disturbance_share(&run, DISTURBANCE_OTHERS), 1);
	CU_ASSERT_EQUAL(disturbance_share(&run, DISTURBANCE_STEAL), 0);
}

static void
runs_that_lost_too_much_are_counted(void)
{
	struct profile profile;

	make_runs(&profile, 4);
	profile.runs[0].others_ns = 2 * (uint64_t)SECOND;
	profile.runs[1].steal_ns = profile.runs[1].others_ns = 6 * (uint64_t)SECOND / 10;
	profile.runs[2].others_ns = 9 * (uint64_t)SECOND / 10;
	CU_ASSERT_EQUAL(disturbance_count(&profile, 0.1), 2);
	CU_ASSERT_EQUAL(disturbance_count(&profile, 0.05), 3);
	CU_ASSERT(disturbance_is_of_run(&profile.runs[1], 0.1));
	CU_ASSERT_FALSE(disturbance_is_of_run(&profile.runs[2], 0.1));
	/* It was not watched, so nothing is known. */
	profile.runs[0].program_cpus = 0;
	CU_ASSERT_FALSE(disturbance_is_of_run(&profile.runs[0], 0.1));
	/* So little time may be rounding. */
	profile.runs[1].wall_ns = 50000000;
	profile.runs[1].steal_ns = profile.runs[1].others_ns = 10000000;
	CU_ASSERT_EQUAL(disturbance_count(&profile, 0.1), 0);
	/* Load is excluded only where runs were watched. */
	CU_ASSERT(disturbance_is_excluded(&profile, 0.1));
	CU_ASSERT_FALSE(disturbance_is_excluded(&profile, 0.05));
	for (size_t i = 0; i < profile.nruns; i++)
		profile.runs[i].program_cpus = 0;
	CU_ASSERT_FALSE(disturbance_is_excluded(&profile, 0.1));
	profile_release(&profile);
}

void
suite_profile_disturbance(void)
{
	static const struct unit_case cases[] = {
		{"runs_that_lost_too_much_are_counted", runs_that_lost_too_much_are_counted},
		{"little_is_not_reported", little_is_not_reported},
		{"what_is_counted_is_not_disturbed", what_is_counted_is_not_disturbed},
		{"each_that_disturbed_is_named", each_that_disturbed_is_named},
		{"one_run_and_several_cpus_are_reported_as_such",
			one_run_and_several_cpus_are_reported_as_such},
		{"a_clock_alone_is_reported", a_clock_alone_is_reported},
		{"ticks_are_no_disturbance", ticks_are_no_disturbance},
		{"nothing_is_said_of_runs_nobody_watched", nothing_is_said_of_runs_nobody_watched},
		{"no_share_is_more_than_all", no_share_is_more_than_all},
		{NULL, NULL},
	};

	unit_suite("profile/disturbance", cases);
}
