/* Refusals, and names that are not known, are in events_test.c. */
#include "capture/choose.h"

#include "perf_event/events.h"
#include "unit.h"

void suite_capture_choose(void);

/* False, and the case skipped, where the kernel lets nobody look. */
static bool
choose(const char *wanted, struct capture_event *event)
{
	struct err err = {0};

	if (choose_event(wanted, event, &err) == 0)
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
	UNIT_STR_EQ(event.reason, "asked for");
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
		UNIT_CONTAINS(event.reason, "samples came in a trial");
	} else {
		UNIT_STR_EQ(event.name, "cpu-clock");
		CU_ASSERT_TRUE(event.is_clock);
		UNIT_CONTAINS(event.reason, "cycle");
	}
	CU_ASSERT_TRUE(event.rate_hz > 0);
}

static const struct unit_case cases[] = {
	{"an_event_that_is_asked_for_is_the_one", an_event_that_is_asked_for_is_the_one},
	{"auto_takes_cycles_or_says_why_not", auto_takes_cycles_or_says_why_not},
	{NULL, NULL},
};

void
suite_capture_choose(void)
{
	unit_suite("capture/choose", cases);
}
