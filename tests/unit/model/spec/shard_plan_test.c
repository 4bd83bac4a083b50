#include "spec/shard_plan.h"

#include "base/mem.h"
#include "unit.h"

#include <stdio.h>

void suite_spec_shard_plan(void);

static const char *const NAMES[] = {"a", "b", "c", "d", "e", "f"};

static struct shard_plan
plan_of(const char *shard, size_t n, struct shard_duration *items, size_t ndurations)
{
	struct shard_plan plan = {0};
	const struct shard_durations durations = {.items = items, .count = ndurations};
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(shard_plan_parse(&plan, shard, &err), 0);
	shard_plan_make(&plan, NAMES, n, &durations);
	return plan;
}

static void
an_index_and_a_count_are_read(void)
{
	static const char *const wrong[] = {"", "1", "1/", "/2", "0/2", "3/2", "1/0", "1/2/3",
		"-1/2", "+1/2", " 1/2", "1/ 2", "1/2 ", "1/99999", "123456/123457", "a/b"};
	struct shard_plan plan = {0};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct err err = {0};

		CU_ASSERT_EQUAL(shard_plan_parse(&plan, wrong[i], &err), -1);
		CU_ASSERT_EQUAL(err.kind, ERR_USAGE);
	}
	struct err err = {0};

	CU_ASSERT_EQUAL(shard_plan_parse(&plan, "2/10000", &err), 0);
	CU_ASSERT(plan.index == 2 && plan.count == 10000);
}

static void
the_longest_goes_to_the_shard_that_has_least(void)
{
	struct shard_duration items[] = {
		{"f", 1}, {"a", 7}, {"b", 9}, {"c", 6}, {"d", 3}, {"gone", 100}};
	struct shard_plan plan = plan_of("1/2", 4, items, 6);

	/* b 9 | a 7; c 6 to the second: 13; d 3 to the first: 12. */
	CU_ASSERT_EQUAL(shard_plan_find(&plan, "b"), 1);
	CU_ASSERT_EQUAL(shard_plan_find(&plan, "a"), 2);
	CU_ASSERT_EQUAL(shard_plan_find(&plan, "c"), 2);
	CU_ASSERT_EQUAL(shard_plan_find(&plan, "d"), 1);
	CU_ASSERT_EQUAL(shard_plan_find(&plan, "gone"), 0);
	shard_plan_release(&plan);
}

static void
equal_durations_go_by_name(void)
{
	struct shard_duration items[] = {{"c", 2}, {"b", 2}, {"a", 2}};
	struct shard_plan plan = plan_of("3/3", 3, items, 3);

	for (unsigned i = 0; i < 3; i++)
		CU_ASSERT_EQUAL(plan.entries[i].shard, i + 1);
	shard_plan_release(&plan);
}

/* SHA-256 of "a" begins ca978112, of "b" 3e23e816: both by sha256sum. */
static void
without_durations_the_hash_of_the_name_decides(void)
{
	struct shard_plan plan = plan_of("1/7", 2, NULL, 0);
	struct shard_plan more = plan_of("5/7", 6, NULL, 0);

	CU_ASSERT_EQUAL(shard_plan_find(&plan, "a"), 0xca978112U % 7 + 1);
	CU_ASSERT_EQUAL(shard_plan_find(&plan, "b"), 0x3e23e816U % 7 + 1);
	CU_ASSERT_EQUAL(shard_plan_find(&more, "a"), shard_plan_find(&plan, "a"));
	shard_plan_release(&plan);
	shard_plan_release(&more);
}

/* It counts as long as the mean of the others, 4, in the shard of its hash. */
static void
what_has_no_duration_is_placed_first(void)
{
	struct shard_duration items[] = {{"b", 5}, {"c", 3}};
	struct shard_plan plan = plan_of("1/2", 3, items, 2);
	unsigned hashed = 0xca978112U % 2 + 1;

	CU_ASSERT_EQUAL(shard_plan_find(&plan, "a"), hashed);
	CU_ASSERT_EQUAL(shard_plan_find(&plan, "b"), 3 - hashed);
	CU_ASSERT_EQUAL(shard_plan_find(&plan, "c"), hashed);
	shard_plan_release(&plan);
}

/* A good plan is no accident: at most 4/3 of the mean where no single workload is longer. */
static void
many_workloads_are_shared_out_evenly(void)
{
	enum { N = 200, SHARDS = 7 };
	char names[N][8];
	const char *sorted[N];
	struct shard_duration items[N];
	double load[SHARDS] = {0};
	double sum = 0;
	struct shard_plan plan = {.index = 1, .count = SHARDS};

	for (size_t i = 0; i < N; i++) {
		snprintf(names[i], sizeof(names[i]), "w%03zu", i);
		sorted[i] = names[i];
		items[i] = (struct shard_duration){names[i], 1 + (double)(i * 37 % 101)};
		sum += items[i].seconds;
	}
	const struct shard_durations durations = {.items = items, .count = N};

	shard_plan_make(&plan, sorted, N, &durations);
	for (size_t i = 0; i < N; i++)
		load[plan.entries[i].shard - 1] += items[i].seconds;
	for (size_t i = 0; i < SHARDS; i++)
		CU_ASSERT(load[i] > 0.9 * sum / SHARDS && load[i] < 1.1 * sum / SHARDS);
	shard_plan_release(&plan);
}

static void
more_shards_than_workloads_leave_some_empty(void)
{
	struct shard_duration items[] = {{"a", 1}, {"b", 2}};
	struct shard_plan plan = plan_of("4/4", 2, items, 2);

	CU_ASSERT_EQUAL(shard_plan_find(&plan, "b"), 1);
	CU_ASSERT_EQUAL(shard_plan_find(&plan, "a"), 2);
	shard_plan_release(&plan);
}

void
suite_spec_shard_plan(void)
{
	static const struct unit_case cases[] = {
		{"an_index_and_a_count_are_read", an_index_and_a_count_are_read},
		{"the_longest_goes_to_the_shard_that_has_least",
			the_longest_goes_to_the_shard_that_has_least},
		{"equal_durations_go_by_name", equal_durations_go_by_name},
		{"without_durations_the_hash_of_the_name_decides",
			without_durations_the_hash_of_the_name_decides},
		{"what_has_no_duration_is_placed_first", what_has_no_duration_is_placed_first},
		{"many_workloads_are_shared_out_evenly", many_workloads_are_shared_out_evenly},
		{"more_shards_than_workloads_leave_some_empty",
			more_shards_than_workloads_leave_some_empty},
		{NULL, NULL},
	};

	unit_suite("spec/shard_plan", cases);
}
