#include "ingest/group_reads.h"

#include "base/mem.h"
#include "unit.h"

void suite_ingest_group_reads(void);

enum { MEMBER = 7, ON_OTHER_CPU = 8, LEADER = 9 };

/* What a sample weighs with these values: each total, its id and how many were lost. */
static uint64_t
take(struct group_reads *reads, uint64_t leader, uint64_t id, uint64_t value)
{
	const uint64_t values[] = {leader, LEADER, 0, value, id, 0};
	const struct record_sample sample = {.values = values, .nvalues = 2, .value_words = 3};

	return group_reads_take(reads, &sample);
}

static void
a_sample_weighs_what_was_counted_since_the_one_before(void)
{
	struct group_reads reads = {0};

	key_map_add(&reads.ids, MEMBER);
	key_map_add(&reads.ids, ON_OTHER_CPU);
	reads.last = mem_zalloc(2, sizeof(*reads.last));
	CU_ASSERT_EQUAL(take(&reads, 1000, MEMBER, 5), 5);
	CU_ASSERT_EQUAL(take(&reads, 1000, ON_OTHER_CPU, 100), 100);
	CU_ASSERT_EQUAL(take(&reads, 2000, MEMBER, 5), 0);
	CU_ASSERT_EQUAL(take(&reads, 3000, MEMBER, 12), 7);
	CU_ASSERT_EQUAL(take(&reads, 3000, ON_OTHER_CPU, 101), 1);
	/* A value that shrinks is of a damaged file. */
	CU_ASSERT_EQUAL(take(&reads, 4000, MEMBER, 2), 0);
	group_reads_release(&reads);
}

static void
values_of_threads_and_those_without_ids_are_not_used(void)
{
	struct perfdata_event event = {
		.attr = {.sample_type = PERF_SAMPLE_READ, .read_format = PERF_FORMAT_GROUP}};

	CU_ASSERT_TRUE(event_is_group_read(&event));
	CU_ASSERT_FALSE(event_group_is_usable(&event));
	event.attr.read_format |= PERF_FORMAT_ID;
	CU_ASSERT_TRUE(event_group_is_usable(&event));
	event.attr.inherit = 1;
	CU_ASSERT_FALSE(event_group_is_usable(&event));
	event.attr.sample_type = PERF_SAMPLE_IP;
	CU_ASSERT_FALSE(event_is_group_read(&event));
}

static const struct unit_case cases[] = {
	{"a_sample_weighs_what_was_counted_since_the_one_before",
		a_sample_weighs_what_was_counted_since_the_one_before},
	{"values_of_threads_and_those_without_ids_are_not_used",
		values_of_threads_and_those_without_ids_are_not_used},
	{NULL, NULL},
};

void
suite_ingest_group_reads(void)
{
	unit_suite("ingest/group_reads", cases);
}
