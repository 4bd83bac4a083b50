#include "history/trend.h"

#include "trend_live.h"
#include "unit.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

void suite_history_trend(void);

#define DAY_S INT64_C(86400)
#define NIGHTS 40

struct scene {
	struct history history;
	struct history_file files[2];
	struct history_entry entries[2][NIGHTS];
};

/* Stored nights of one function; the machine is as fast as `speed` says. */
static void
fill(struct scene *scene, size_t file, const char *machine_class, size_t first, size_t n,
	double cost)
{
	for (size_t i = 0; i < n; i++) {
		bool odd = i % 2;

		scene->entries[file][i] = (struct history_entry){
			.started = (int64_t)(first + i + 1) * DAY_S,
			.commit = "c",
			.metric = "cpu",
			.unit = "ns",
			.cost = cost * (odd ? 1.01 : 1),
			.error = NAN,
			.against = "",
			.ratio = NAN,
			.ratio_error = NAN,
			.version = "1",
			.report = "r",
			.work = "",
			.function = "f",
		};
	}
	scene->files[file] = (struct history_file){
		.machine_class = machine_class,
		.workload = "w",
		.entries = scene->entries[file],
		.nentries = n,
	};
}

static void
pair(struct scene *scene, size_t file, size_t night, const char *against, double ratio)
{
	scene->entries[file][night].paired = true;
	scene->entries[file][night].against = against;
	scene->entries[file][night].ratio = ratio * (night % 2 ? 1.01 : 1);
}

static void
find(struct trend *trend, struct scene *scene, size_t nfiles)
{
	scene->history = (struct history){.files = scene->files, .nfiles = nfiles};
	trend_init(trend, &scene->history, &change_search_default, NULL, 0);
}

/* The classes have no nights beside each other, by which their levels could be compared. */
static void
another_cpu_is_another_series(void)
{
	struct scene scene;
	struct trend trend;

	fill(&scene, 0, "fast", 0, 20, 100);
	fill(&scene, 1, "slow", 20, 20, 200);
	find(&trend, &scene, 2);
	CU_ASSERT_EQUAL(trend.nseries, 2);
	CU_ASSERT_EQUAL(trend.nchanges, 0);
	trend_release(&trend);
}

/*
 * Two classes take turns, one of them twice as fast. Each has four nights on the new level, which
 * are too few for a change point.
 */
static void
a_step_of_all_classes_is_one_change(void)
{
	struct scene scene;
	struct trend trend;

	fill(&scene, 0, "fast", 0, 30, 100);
	fill(&scene, 1, "slow", 0, 30, 200);
	for (size_t file = 0; file < 2; file++) {
		for (size_t i = 0; i < 30; i++) {
			scene.entries[file][i].started = (int64_t)(2 * i + file + 1) * DAY_S;
			scene.entries[file][i].cost *= i >= 26 ? 1.06 : 1;
		}
	}
	find(&trend, &scene, 2);
	CU_ASSERT_EQUAL(trend.nseries, 3);
	CU_ASSERT_EQUAL_FATAL(trend.nchanges, 1);
	CU_ASSERT_EQUAL(trend.changes[0].series->nclasses, 2);
	CU_ASSERT_EQUAL(trend.changes[0].series->nnights, 60);
	CU_ASSERT_EQUAL(trend.changes[0].after->entry->started, 53 * DAY_S);
	UNIT_NEAR(trend.changes[0].point->change, 0.06, 0.01);
	trend_release(&trend);
	/* Only one of them is slower: a change of that class. */
	for (size_t i = 10; i < 30; i++) {
		scene.entries[0][i].cost = i % 2 ? 151.5 : 150;
		scene.entries[1][i].cost = i % 2 ? 202 : 200;
	}
	find(&trend, &scene, 2);
	CU_ASSERT_TRUE_FATAL(trend.nchanges > 0);
	for (size_t i = 0; i < trend.nchanges; i++)
		CU_ASSERT_TRUE(trend.changes[i].series->nclasses > 1 ||
			       strcmp(trend.changes[i].series->machine_class, "fast") == 0);
	trend_release(&trend);
}

static void
other_work_is_another_series(void)
{
	struct scene scene;
	struct trend trend;

	fill(&scene, 0, "m", 0, 40, 100);
	for (size_t i = 0; i < 40; i++) {
		scene.entries[0][i].work = i >= 20 ? "b" : i >= 5 ? "a" : "";
		scene.entries[0][i].cost *= i >= 20 ? 3 : i >= 12 ? 1.5 : 1;
	}
	find(&trend, &scene, 1);
	CU_ASSERT_EQUAL_FATAL(trend.nseries, 2);
	UNIT_STR_EQ(trend.series[0].work, "a");
	CU_ASSERT_EQUAL(trend.series[0].nnights, 20);
	CU_ASSERT_TRUE(trend.series[0].is_past);
	CU_ASSERT_FALSE(trend.series[0].is_new_work);
	UNIT_STR_EQ(trend.series[1].work, "b");
	CU_ASSERT_TRUE(trend.series[1].is_new_work);
	CU_ASSERT_FALSE(trend.series[1].is_past);
	/* That of the work that is no longer measured is shown, and alerts no more. */
	CU_ASSERT_EQUAL(trend.nchanges, 1);
	CU_ASSERT_EQUAL(trend_count_live(&trend, trend_days_from(&trend, 365)), 0);
	trend_release(&trend);
}

/* A change of the workload that was taken back. */
static void
work_that_returns_goes_on(void)
{
	struct scene scene;
	struct trend trend;

	fill(&scene, 0, "m", 0, 40, 100);
	for (size_t i = 0; i < 40; i++) {
		scene.entries[0][i].work = i >= 20 && i < 24 ? "b" : "a";
		scene.entries[0][i].cost *= i >= 20 && i < 24 ? 3 : i >= 30 ? 1.2 : 1;
	}
	find(&trend, &scene, 1);
	CU_ASSERT_EQUAL_FATAL(trend.nseries, 2);
	UNIT_STR_EQ(trend.series[1].work, "a");
	CU_ASSERT_EQUAL(trend.series[1].nnights, 36);
	CU_ASSERT_EQUAL(trend_count_live(&trend, trend_days_from(&trend, 365)), 1);
	trend_release(&trend);
}

static void
another_unit_is_another_series(void)
{
	struct scene scene;
	struct trend trend;

	fill(&scene, 0, "fast", 0, 20, 100000);
	fill(&scene, 1, "fast", 20, 20, 100);
	for (size_t i = 0; i < 20; i++)
		scene.entries[1][i].unit = "us";
	find(&trend, &scene, 2);
	CU_ASSERT_EQUAL(trend.nseries, 2);
	CU_ASSERT_EQUAL(trend.nchanges, 0);
	trend_release(&trend);
}

static void
pairs_are_one_series_on_all_machines(void)
{
	struct scene scene;
	struct trend trend;

	fill(&scene, 0, "fast", 0, 20, 100);
	fill(&scene, 1, "slow", 20, 20, 200);
	for (size_t i = 0; i < 20; i++) {
		pair(&scene, 0, i, "v1", 1);
		pair(&scene, 1, i, "v1", i < 10 ? 1 : 1.08);
	}
	find(&trend, &scene, 2);
	CU_ASSERT_EQUAL(trend.nseries, 1);
	CU_ASSERT_EQUAL_FATAL(trend.nchanges, 1);
	CU_ASSERT_EQUAL(trend.changes[0].after->entry->started, 31 * DAY_S);
	UNIT_NEAR(trend.changes[0].point->change, 0.08, 0.01);
	CU_ASSERT_EQUAL(trend_count_live(&trend, trend_days_from(&trend, 7)), 0);
	CU_ASSERT_EQUAL(trend_count_live(&trend, trend_days_from(&trend, 10)), 1);
	trend_release(&trend);
}

/* A release at half time: what was 20 % slower than v1 is what v2 is. */
static void
another_base_is_no_change(void)
{
	struct scene scene;
	struct trend trend;

	fill(&scene, 0, "m", 0, 40, 100);
	for (size_t i = 0; i < 40; i++)
		pair(&scene, 0, i, i < 20 ? "v1" : "v2", i < 20 ? 1.2 : i < 32 ? 1 : 1.1);
	find(&trend, &scene, 1);
	CU_ASSERT_EQUAL(trend.nseries, 1);
	CU_ASSERT_EQUAL_FATAL(trend.nchanges, 1);
	CU_ASSERT_EQUAL(trend.changes[0].after->entry->started, 33 * DAY_S);
	UNIT_NEAR(trend.changes[0].point->change, 0.1, 0.01);
	trend_release(&trend);
}

/* Slower from the 13th and the 35th night on; from the 21st on there are pairs as well. */
static void
where_there_are_pairs_they_alone_tell(void)
{
	struct scene scene;
	struct trend trend;

	fill(&scene, 0, "m", 0, 40, 100);
	fill(&scene, 1, "n", 20, 20, 100);
	for (size_t i = 12; i < 40; i++)
		scene.entries[0][i].cost *= i < 34 ? 1.1 : 1.21;
	for (size_t i = 0; i < 20; i++)
		pair(&scene, 1, i, "v1", i < 14 ? 1 : 1.1);
	find(&trend, &scene, 2);
	CU_ASSERT_EQUAL(trend.nseries, 2);
	CU_ASSERT_EQUAL_FATAL(trend.nchanges, 2);
	CU_ASSERT_TRUE(trend.changes[0].series->paired);
	CU_ASSERT_EQUAL(trend.changes[0].after->entry->started, 35 * DAY_S);
	CU_ASSERT_FALSE(trend.changes[1].series->paired);
	CU_ASSERT_EQUAL(trend.changes[1].after->entry->started, 13 * DAY_S);
	trend_release(&trend);
	/* Too few pairs to find a change in: the stored ones tell. */
	scene.files[1].nentries = 10;
	find(&trend, &scene, 2);
	CU_ASSERT_EQUAL_FATAL(trend.nchanges, 2);
	CU_ASSERT_FALSE(trend.changes[0].series->paired);
	trend_release(&trend);
}

static void
workloads_that_are_not_named_are_left_out(void)
{
	static const char *const other[] = {"other"};
	struct scene scene;
	struct trend trend;

	fill(&scene, 0, "m", 0, 20, 100);
	scene.history = (struct history){.files = scene.files, .nfiles = 1};
	trend_init(&trend, &scene.history, &change_search_default, other, 1);
	CU_ASSERT_EQUAL(trend.nseries, 0);
	trend_release(&trend);
}

static void
series_too_short_are_counted(void)
{
	struct scene scene;
	struct trend trend;

	fill(&scene, 0, "m", 0, 13, 100);
	find(&trend, &scene, 1);
	CU_ASSERT_EQUAL(trend.ntoo_short, 1);
	CU_ASSERT_EQUAL(trend.first, DAY_S);
	CU_ASSERT_EQUAL(trend.last, 13 * DAY_S);
	trend_release(&trend);
}

void
suite_history_trend(void)
{
	static const struct unit_case cases[] = {
		{"another_cpu_is_another_series", another_cpu_is_another_series},
		{"a_step_of_all_classes_is_one_change", a_step_of_all_classes_is_one_change},
		{"other_work_is_another_series", other_work_is_another_series},
		{"work_that_returns_goes_on", work_that_returns_goes_on},
		{"another_unit_is_another_series", another_unit_is_another_series},
		{"pairs_are_one_series_on_all_machines", pairs_are_one_series_on_all_machines},
		{"another_base_is_no_change", another_base_is_no_change},
		{"where_there_are_pairs_they_alone_tell", where_there_are_pairs_they_alone_tell},
		{"workloads_that_are_not_named_are_left_out",
			workloads_that_are_not_named_are_left_out},
		{"series_too_short_are_counted", series_too_short_are_counted},
		{NULL, NULL},
	};

	unit_suite("history/trend", cases);
}
