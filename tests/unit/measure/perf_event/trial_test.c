#include "perf_event/trial.h"

#include "unit.h"

void suite_perf_event_trial(void);

static void
half_of_the_samples_are_enough(void)
{
	struct trial trial = {.samples = 8, .expected = 15.0, .units_hz = 1e9};

	CU_ASSERT_TRUE(trial_delivers(&trial));
	trial.samples = 7;
	CU_ASSERT_FALSE(trial_delivers(&trial));
	/* More than were to come is no reason for doubt. */
	trial.samples = 100;
	CU_ASSERT_TRUE(trial_delivers(&trial));
}

static void
none_of_none_is_no_delivery(void)
{
	struct trial trial = {.samples = 0, .expected = 0.0};

	CU_ASSERT_FALSE(trial_delivers(&trial));
}

static void
what_could_not_be_opened_delivers_nothing(void)
{
	struct trial trial = {.errnum = 13, .samples = 15, .expected = 15.0};

	CU_ASSERT_FALSE(trial_delivers(&trial));
}

/* Neither a kernel that has no such event nor one that refuses them all opens it. */
static void
an_event_that_is_not_there_says_why(void)
{
	static const struct event_kind none = {
		.name = "none", .config = UINT64_MAX, .type = PERF_TYPE_HARDWARE};
	struct stack_trial stacks = {.samples = 7, .copies = 7};
	struct trial trial = {.samples = 7};

	trial_run(&none, &trial);
	CU_ASSERT_NOT_EQUAL(trial.errnum, 0);
	CU_ASSERT_EQUAL(trial.samples, 0);
	CU_ASSERT_FALSE(trial_delivers(&trial));
	trial_stacks(&none, &trial, &stacks);
	CU_ASSERT_NOT_EQUAL(stacks.errnum, 0);
	CU_ASSERT_EQUAL(stacks.copies, 0);
}

static void
a_clock_counts_nanoseconds(void)
{
	struct trial trial;

	trial_run(event_kind_find("cpu-clock"), &trial);
	if (trial.errnum != 0) {
		unit_skip("perf_event_open is refused here");
		return;
	}
	UNIT_NEAR(trial.units_hz, 1e9, 0);
	CU_ASSERT_TRUE(trial.expected > 0);
}

/* False, and the case skipped, where the kernel lets nobody look. */
static bool
choose(const char *wanted, struct capture_event *event)
{
	struct err err = {0};

	if (trial_choose_event(wanted, event, &err) == 0)
		return true;
	CU_ASSERT_EQUAL(err.kind, ERR_MEASURE);
	CU_ASSERT_NOT_EQUAL(err.len, 0);
	unit_skip("the event is refused, or counts nothing here");
	return false;
}

static void
an_event_that_is_asked_for_is_the_one(void)
{
	struct capture_event event;

	memset(&event, 0xff, sizeof(event));
	if (!choose("task-clock", &event))
		return;
	UNIT_STR_EQ(event.name, "task-clock");
	UNIT_STR_EQ(event.reason, "requested");
	CU_ASSERT_EQUAL(event.type, PERF_TYPE_SOFTWARE);
	CU_ASSERT_EQUAL(event.config, PERF_COUNT_SW_TASK_CLOCK);
	CU_ASSERT_TRUE(event.is_clock);
	UNIT_NEAR(event.rate_hz, 1e9, 0);
}

static void
auto_takes_cycles_or_says_why_not(void)
{
	struct capture_event event;

	if (!choose("auto", &event))
		return;
	if (strcmp(event.name, "cycles") == 0) {
		CU_ASSERT_FALSE(event.is_clock);
		UNIT_CONTAINS(event.reason, "samples arrived in a trial");
	} else {
		UNIT_STR_EQ(event.name, "cpu-clock");
		CU_ASSERT_TRUE(event.is_clock);
		UNIT_CONTAINS(event.reason, "cycle");
	}
	CU_ASSERT_TRUE(event.rate_hz > 0);
}

static const struct unit_case cases[] = {
	{"half_of_the_samples_are_enough", half_of_the_samples_are_enough},
	{"none_of_none_is_no_delivery", none_of_none_is_no_delivery},
	{"what_could_not_be_opened_delivers_nothing", what_could_not_be_opened_delivers_nothing},
	{"an_event_that_is_not_there_says_why", an_event_that_is_not_there_says_why},
	{"a_clock_counts_nanoseconds", a_clock_counts_nanoseconds},
	{"an_event_that_is_asked_for_is_the_one", an_event_that_is_asked_for_is_the_one},
	{"auto_takes_cycles_or_says_why_not", auto_takes_cycles_or_says_why_not},
	{NULL, NULL},
};

void
suite_perf_event_trial(void)
{
	unit_suite("perf_event/trial", cases);
}
