#include "cli/sharding.h"

#include "unit.h"

#include <stdlib.h>

void suite_cli_sharding(void);

static const char *const NAMES[] = {"CI_NODE_INDEX", "CI_NODE_TOTAL", "BUILDKITE_PARALLEL_JOB",
	"BUILDKITE_PARALLEL_JOB_COUNT", "CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL"};

static void
clear(void)
{
	for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++)
		unsetenv(NAMES[i]);
}

/* What `--shard auto` makes of two variables, NULL: not set. */
static int
read_auto(size_t first, const char *index, const char *count, struct sharding *sharding,
	struct err *err)
{
	*sharding = (struct sharding){.shard = "auto"};
	clear();
	if (index)
		setenv(NAMES[first], index, 1);
	if (count)
		setenv(NAMES[first + 1], count, 1);
	int result = sharding_parse(sharding, err);

	clear();
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
		struct sharding sharding;
		struct err err = {0};

		CU_ASSERT_EQUAL(read_auto(cases[i].first, cases[i].index, "3", &sharding, &err), 0);
		CU_ASSERT_EQUAL(sharding.plan.index, cases[i].shard);
		CU_ASSERT_EQUAL(sharding.plan.count, 3);
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
		struct sharding sharding;
		struct err err = {0};

		CU_ASSERT_EQUAL(
			read_auto(cases[i].first, cases[i].index, cases[i].count, &sharding, &err),
			-1);
		CU_ASSERT_EQUAL(err.kind, ERR_USAGE);
		UNIT_CONTAINS(err.text, cases[i].said);
	}
	struct sharding sharding;
	struct err err = {0};

	CU_ASSERT_EQUAL(read_auto(0, NULL, "1", &sharding, &err), 0);
	CU_ASSERT(sharding.plan.index == 1 && sharding.plan.count == 1);
}

static void
the_variables_count_only_where_they_are_asked_for(void)
{
	struct sharding sharding = {.shard = "2/5"};
	struct err err = {0};

	setenv(NAMES[0], "1", 1);
	setenv(NAMES[1], "3", 1);
	CU_ASSERT_EQUAL(sharding_parse(&sharding, &err), 0);
	CU_ASSERT(sharding.plan.index == 2 && sharding.plan.count == 5);
	sharding = (struct sharding){0};
	CU_ASSERT_EQUAL(sharding_parse(&sharding, &err), 0);
	CU_ASSERT_EQUAL(sharding.plan.count, 0);
	clear();
	sharding = (struct sharding){.durations = "reports/latest"};
	CU_ASSERT_EQUAL(sharding_parse(&sharding, &err), -1);
	UNIT_CONTAINS(err.text, "'--durations' is for '--shard'");
}

/* Each shard is given its own list, and all of them together have each workload once. */
static void
the_shards_have_each_workload_once(void)
{
	static const char *const names[] = {"a", "b", "c", "d", "e"};
	char settings[HASH_TEXT_SIZE] = "";
	size_t total = 0;

	for (unsigned index = 1; index <= 3; index++) {
		struct workload_list list = {
			.workloads = calloc(5, sizeof(struct workload)), .nworkloads = 5};
		struct sharding sharding = {.shard = "-", .plan = {.index = index, .count = 3}};
		struct err err = {0};

		UNIT_NEED(list.workloads);
		for (size_t i = 0; i < 5; i++)
			list.workloads[i] = (struct workload){
				.name = names[i], .path = "x.yaml", .gate = gate_policy_defaults()};
		CU_ASSERT_EQUAL(
			sharding_choose(&sharding, NULL, GATE_STORED, NULL, &list, &err), 0);
		for (size_t i = 0; i < list.nworkloads; i++)
			CU_ASSERT_EQUAL(
				shard_plan_find(&sharding.plan, list.workloads[i].name), index);
		CU_ASSERT_EQUAL(sharding.plan.nentries, 5);
		if (index > 1)
			UNIT_STR_EQ(sharding.settings, settings);
		memcpy(settings, sharding.settings, sizeof(settings));
		total += list.nworkloads;
		workload_list_release(&list);
		sharding_release(&sharding);
	}
	CU_ASSERT_EQUAL(total, 5);
}

void
suite_cli_sharding(void)
{
	static const struct unit_case cases[] = {
		{"the_variables_of_a_ci_name_the_shard_by_their_base",
			the_variables_of_a_ci_name_the_shard_by_their_base},
		{"wrong_variables_are_errors_of_usage", wrong_variables_are_errors_of_usage},
		{"the_variables_count_only_where_they_are_asked_for",
			the_variables_count_only_where_they_are_asked_for},
		{"the_shards_have_each_workload_once", the_shards_have_each_workload_once},
		{NULL, NULL},
	};

	unit_suite("cli/sharding", cases);
}
