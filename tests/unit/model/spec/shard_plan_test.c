#include "spec/shard_plan.h"

#include "base/mem.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

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

static const char *const VARIABLES[] = {"CI_NODE_INDEX", "CI_NODE_TOTAL", "BUILDKITE_PARALLEL_JOB",
	"BUILDKITE_PARALLEL_JOB_COUNT", "CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL"};

static void
clear_variables(void)
{
	for (size_t i = 0; i < sizeof(VARIABLES) / sizeof(VARIABLES[0]); i++)
		unsetenv(VARIABLES[i]);
}

/* What `--shard auto` makes of two variables, NULL: not set. */
static int
read_auto(size_t first, const char *index, const char *count, struct shard_plan *plan,
	struct err *err)
{
	*plan = (struct shard_plan){0};
	clear_variables();
	if (index)
		setenv(VARIABLES[first], index, 1);
	if (count)
		setenv(VARIABLES[first + 1], count, 1);
	int result = shard_plan_parse(plan, "auto", err);

	clear_variables();
	return result;
}

static void
the_variables_of_a_ci_name_the_shard_by_their_base(void)
{
	static const struct {
		size_t first;
		const char *index;
		unsigned shard;
	} cases[] = {{0, "1", 1}, {0, "3", 3}, {2, "0", 1}, {2, "2", 3}, {4, "0", 1}, {4, "2", 3}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct shard_plan plan;
		struct err err = {0};

		CU_ASSERT_EQUAL(read_auto(cases[i].first, cases[i].index, "3", &plan, &err), 0);
		CU_ASSERT_EQUAL(plan.index, cases[i].shard);
		CU_ASSERT_EQUAL(plan.count, 3);
	}
}

/* GitLab's index counts from 1; a number alone is of a job without parallel ones. */
static void
wrong_variables_are_errors_of_usage(void)
{
	static const struct {
		size_t first;
		const char *index, *count, *said;
	} cases[] = {
		{0, "0", "3", "CI_NODE_INDEX is '0', expected 1 or more"},
		{0, "4", "3", "by the variables CI_NODE_INDEX and CI_NODE_TOTAL"},
		{2, "3", "3", "the index counts from 1 to 3"},
		{0, NULL, "3", "CI_NODE_TOTAL is set, but CI_NODE_INDEX is not"},
		{2, "x", "3", "BUILDKITE_PARALLEL_JOB is 'x', expected a number"},
		{2, "-1", "3", "BUILDKITE_PARALLEL_JOB is '-1', expected a number"},
		{4, "1", "many", "expected INDEX/COUNT"},
		{4, "1", NULL, "no variable of a CI names the shard"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct shard_plan plan;
		struct err err = {0};

		CU_ASSERT_EQUAL(
			read_auto(cases[i].first, cases[i].index, cases[i].count, &plan, &err), -1);
		CU_ASSERT_EQUAL(err.kind, ERR_USAGE);
		UNIT_CONTAINS(err.text, cases[i].said);
	}
	struct shard_plan plan;
	struct err err = {0};

	CU_ASSERT_EQUAL(read_auto(0, NULL, "1", &plan, &err), 0);
	CU_ASSERT(plan.index == 1 && plan.count == 1);
}

static void
the_variables_count_only_where_they_are_asked_for(void)
{
	struct shard_plan plan = {0};
	struct err err = {0};

	setenv(VARIABLES[0], "1", 1);
	setenv(VARIABLES[1], "3", 1);
	CU_ASSERT_EQUAL(shard_plan_parse(&plan, "2/5", &err), 0);
	CU_ASSERT(plan.index == 2 && plan.count == 5);
	clear_variables();
}

/* Each shard is given its own list, and all of them together have each workload once. */
static void
the_shards_have_each_workload_once(void)
{
	size_t total = 0;

	for (unsigned index = 1; index <= 3; index++) {
		struct workload_list list = {
			.workloads = calloc(5, sizeof(struct workload)), .nworkloads = 5};
		struct shard_plan plan = {.index = index, .count = 3};
		const struct shard_durations none = {0};

		UNIT_NEED(list.workloads);
		for (size_t i = 0; i < 5; i++)
			list.workloads[i] = (struct workload){.name = NAMES[i]};
		shard_plan_choose(&plan, &none, &list);
		for (size_t i = 0; i < list.nworkloads; i++)
			CU_ASSERT_EQUAL(shard_plan_find(&plan, list.workloads[i].name), index);
		CU_ASSERT_EQUAL(plan.nentries, 5);
		total += list.nworkloads;
		workload_list_release(&list);
		shard_plan_release(&plan);
	}
	CU_ASSERT_EQUAL(total, 5);
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
		{"the_variables_of_a_ci_name_the_shard_by_their_base",
			the_variables_of_a_ci_name_the_shard_by_their_base},
		{"wrong_variables_are_errors_of_usage", wrong_variables_are_errors_of_usage},
		{"the_variables_count_only_where_they_are_asked_for",
			the_variables_count_only_where_they_are_asked_for},
		{"the_shards_have_each_workload_once", the_shards_have_each_workload_once},
		{NULL, NULL},
	};

	unit_suite("spec/shard_plan", cases);
}
