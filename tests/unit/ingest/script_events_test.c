#include "ingest/script_internal.h"

#include "unit.h"

#include <stdio.h>

void suite_ingest_script_events(void);

static bool
take(struct script_events *events, const char *name)
{
	return script_events_take(events, (struct line){name, strlen(name)});
}

static void
expect_names(const struct script_events *events, bool others_only, const char *expected)
{
	struct buf out = {0};

	script_events_put(events, others_only, &out);
	UNIT_STR_EQ(buf_text(&out), expected);
	buf_release(&out);
}

static void
the_first_event_is_read_unless_one_is_wanted(void)
{
	struct script_events events = {.wanted = NULL};

	CU_ASSERT(take(&events, "cycles:u"));
	CU_ASSERT_FALSE(take(&events, "page-faults"));
	CU_ASSERT(take(&events, "cycles:u"));
	CU_ASSERT_FALSE(take(&events, "page-faults"));
	expect_names(&events, true, "page-faults");
	script_events_release(&events);
}

static void
the_wanted_event_may_come_late(void)
{
	struct script_events events = {.wanted = "cycles"};

	CU_ASSERT_FALSE(take(&events, "page-faults"));
	CU_ASSERT_FALSE(take(&events, "cycles-ct"));
	CU_ASSERT(take(&events, "cycles:u"));
	CU_ASSERT_FALSE(take(&events, "page-faults"));
	expect_names(&events, false, "page-faults, cycles-ct, cycles:u");
	expect_names(&events, true, "page-faults, cycles-ct");
	script_events_release(&events);
}

/* Their periods differ: one sum of both would be of neither. */
static void
a_second_event_of_the_wanted_name_is_another(void)
{
	struct script_events events = {.wanted = "cycles"};

	CU_ASSERT(take(&events, "cycles:u"));
	CU_ASSERT_FALSE(take(&events, "cycles:k"));
	CU_ASSERT_FALSE(take(&events, "cycles"));
	script_events_release(&events);
}

static void
a_name_that_begins_like_another_is_another(void)
{
	struct script_events events = {.wanted = NULL};

	CU_ASSERT(take(&events, "cycles"));
	CU_ASSERT_FALSE(take(&events, "cycles:u"));
	CU_ASSERT_FALSE(take(&events, "cycle"));
	CU_ASSERT_FALSE(take(&events, ""));
	expect_names(&events, false, "cycles, cycles:u, cycle, (unnamed)");
	script_events_release(&events);
}

static void
without_a_wanted_one_all_events_are_others(void)
{
	struct script_events events = {.wanted = "cycles"};

	CU_ASSERT_FALSE(take(&events, "a"));
	CU_ASSERT_FALSE(take(&events, "b"));
	expect_names(&events, true, "a, b");
	script_events_release(&events);
}

static void
text_of_any_number_of_events_is_bounded(void)
{
	struct script_events events = {.wanted = "wanted"};
	char name[16];

	for (unsigned i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "event%u", i);
		CU_ASSERT_FALSE(take(&events, name));
	}
	CU_ASSERT_EQUAL(events.names.nentries, 256);
	CU_ASSERT(take(&events, "wanted"));
	CU_ASSERT(take(&events, "wanted"));
	CU_ASSERT_EQUAL(events.names.nentries, 257);
	script_events_release(&events);
}

void
suite_ingest_script_events(void)
{
	static const struct unit_case cases[] = {
		{"the_first_event_is_read_unless_one_is_wanted",
			the_first_event_is_read_unless_one_is_wanted},
		{"the_wanted_event_may_come_late", the_wanted_event_may_come_late},
		{"a_second_event_of_the_wanted_name_is_another",
			a_second_event_of_the_wanted_name_is_another},
		{"a_name_that_begins_like_another_is_another",
			a_name_that_begins_like_another_is_another},
		{"without_a_wanted_one_all_events_are_others",
			without_a_wanted_one_all_events_are_others},
		{"text_of_any_number_of_events_is_bounded",
			text_of_any_number_of_events_is_bounded},
		{NULL, NULL},
	};

	unit_suite("ingest/script_events", cases);
}
