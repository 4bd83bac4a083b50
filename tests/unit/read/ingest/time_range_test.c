#include "ingest/time_range.h"

#include "unit.h"

void suite_ingest_time_range(void);

static const struct ingest_options middle = {.from_ns = 100, .to_ns = 200};

static void
a_range_counts_from_the_captures_start(void)
{
	const struct time_range range = time_range_at(&middle, 1000);
	const struct ingest_options rest = {.from_ns = 100};
	const struct time_range open = time_range_at(&rest, 1000);

	CU_ASSERT_FALSE(time_range_has(&range, 1099));
	CU_ASSERT_TRUE(time_range_has(&range, 1100));
	CU_ASSERT_TRUE(time_range_has(&range, 1199));
	CU_ASSERT_FALSE(time_range_has(&range, 1200));
	CU_ASSERT_TRUE(time_range_has(&open, UINT64_MAX - 1));
}

static void
a_wait_counts_as_far_as_it_is_in_the_range(void)
{
	const struct time_range range = time_range_at(&middle, 1000);
	struct timeline_entry wait = {.ns = 80, .kind = WAIT_FOR_EVENT, .queued_ns = 90};

	/* From 1050 to 1130, then for a CPU until 1220. */
	CU_ASSERT_EQUAL(time_range_clip(&range, 1050, &wait), 1100);
	CU_ASSERT_EQUAL(wait.ns, 30);
	CU_ASSERT_EQUAL(wait.queued_ns, 70);
}

static void
time_on_the_cpu_ends_with_its_record(void)
{
	const struct time_range range = time_range_at(&middle, 1000);
	struct timeline_entry ran = {.ns = 80, .kind = WAIT_NONE};

	CU_ASSERT_EQUAL(time_range_clip(&range, 1110, &ran), 1100);
	CU_ASSERT_EQUAL(ran.ns, 10);
	ran = (struct timeline_entry){.ns = 80, .kind = WAIT_NONE};
	time_range_clip(&range, 1090, &ran);
	CU_ASSERT_EQUAL(ran.ns, 0);
}

static const struct unit_case cases[] = {
	{"a_range_counts_from_the_captures_start", a_range_counts_from_the_captures_start},
	{"a_wait_counts_as_far_as_it_is_in_the_range", a_wait_counts_as_far_as_it_is_in_the_range},
	{"time_on_the_cpu_ends_with_its_record", time_on_the_cpu_ends_with_its_record},
	{NULL, NULL},
};

void
suite_ingest_time_range(void)
{
	unit_suite("ingest/time_range", cases);
}
