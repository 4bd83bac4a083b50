#include "ingest/script_internal.h"
#include "unit.h"

#include <stdio.h>

void suite_ingest_script_sample(void);

static size_t
take(struct script_events *events, const char *name, double period)
{
	return script_events_take(events, (struct line){name, strlen(name)}, period);
}

static const char *
chosen(struct script_events *events)
{
	static struct err err;

	err = (struct err){0};
	return script_events_choose(events, "f", &err) < 0 ? err.text
							   : events->totals[events->chosen].name;
}

static void
the_largest_event_is_read_unless_one_is_wanted(void)
{
	struct script_events events = {.wanted = NULL};

	CU_ASSERT_EQUAL(take(&events, "page-faults", 1), 0);
	CU_ASSERT_EQUAL(take(&events, "cycles:u", 100), 1);
	CU_ASSERT_EQUAL(take(&events, "page-faults", 1), 0);
	CU_ASSERT_EQUAL(take(&events, "", 1), 2);
	UNIT_STR_EQ(chosen(&events), "cycles:u");
	UNIT_NEAR(events.totals[0].weight, 2, 0);
	CU_ASSERT_EQUAL(events.totals[0].samples, 2);
	script_events_release(&events);
}

/* Until the end an event may come that is meant exactly. */
static void
the_wanted_event_may_come_late(void)
{
	struct script_events events = {.wanted = "cycles"};

	CU_ASSERT_EQUAL(take(&events, "page-faults", 1), SCRIPT_EVENT_NONE);
	CU_ASSERT_EQUAL(take(&events, "cycles-ct", 1), SCRIPT_EVENT_NONE);
	CU_ASSERT_EQUAL(take(&events, "cycles:u", 9), 2);
	CU_ASSERT_EQUAL(take(&events, "cycles", 1), 3);
	UNIT_STR_EQ(chosen(&events), "cycles");
	script_events_release(&events);
}

static void
only_samples_of_the_first_event_are_entered_at_once(void)
{
	struct script_events events = {.wanted = NULL};
	const size_t first = take(&events, "a", 1);
	const size_t second = take(&events, "b", 5);
	const struct script_sample sample = {.node = 7, .event = (uint32_t)second};

	CU_ASSERT(script_events_are_first(&events, first));
	CU_ASSERT_FALSE(script_events_are_first(&events, second));
	script_events_keep(&events, &sample);
	UNIT_STR_EQ(chosen(&events), "b");
	CU_ASSERT_EQUAL(events.nlater, 1);
	CU_ASSERT_FALSE(script_events_are_all(&events));
	script_events_release(&events);
}

static void
an_event_that_is_not_there_is_an_error(void)
{
	struct script_events events = {.wanted = "cycles"};

	take(&events, "a", 1);
	take(&events, "b", 1);
	UNIT_STR_EQ(chosen(&events), "f: has no event 'cycles'\n  note: its events are: a, b");
	script_events_release(&events);
}

static void
text_of_any_number_of_events_is_bounded(void)
{
	struct script_events events = {.wanted = "wanted"};
	char name[16];

	for (unsigned i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "event%u", i);
		CU_ASSERT_EQUAL(take(&events, name, 1), SCRIPT_EVENT_NONE);
	}
	CU_ASSERT_EQUAL(events.count, 1024);
	CU_ASSERT_EQUAL(take(&events, "wanted", 1), 1024);
	CU_ASSERT_EQUAL(take(&events, "wanted", 1), 1024);
	CU_ASSERT_EQUAL(events.count, 1025);
	script_events_release(&events);
}

static const struct unit_case cases[] = {
	{"the_largest_event_is_read_unless_one_is_wanted",
		the_largest_event_is_read_unless_one_is_wanted},
	{"the_wanted_event_may_come_late", the_wanted_event_may_come_late},
	{"only_samples_of_the_first_event_are_entered_at_once",
		only_samples_of_the_first_event_are_entered_at_once},
	{"an_event_that_is_not_there_is_an_error", an_event_that_is_not_there_is_an_error},
	{"text_of_any_number_of_events_is_bounded", text_of_any_number_of_events_is_bounded},
	{NULL, NULL},
};

void
suite_ingest_script_sample(void)
{
	unit_suite("ingest/script_sample", cases);
}
