#include "history/trend_events.h"

#include "unit.h"

#include <math.h>
#include <string.h>

void suite_history_trend_events(void);

#define DAY_S INT64_C(86400)
#define NIGHTS 20

/* Series of 20 nights, each with one change point. */
struct scene {
	struct history_entry entries[8][NIGHTS];
	struct trend_night nights[8][NIGHTS];
	struct trend_series series[8];
	struct change_point points[8];
	struct trend_change changes[8];
	struct trend trend;
	struct trend_events events;
};

/* Between nights `low` and `high`; series are added in their order. */
static void
add(struct scene *scene, const char *function, double level, double change, size_t low, size_t high)
{
	const size_t k = scene->trend.nchanges++;
	struct trend_night *nights = scene->nights[k];

	for (size_t i = 0; i < NIGHTS; i++) {
		scene->entries[k][i] = (struct history_entry){
			.started = (int64_t)(i + 1) * DAY_S, .cost = level, .function = function};
		nights[i] = (struct trend_night){.entry = &scene->entries[k][i]};
	}
	scene->series[k] = (struct trend_series){.workload = "w",
		.function = function,
		.metric = "cpu",
		.nights = nights,
		.nnights = NIGHTS,
		.changes = &scene->points[k],
		.nchanges = 1};
	scene->points[k] = (struct change_point){.at = high,
		.change = change,
		.before_level = log(level),
		.after_level = log(level * (1 + change))};
	scene->changes[k] = (struct trend_change){.series = &scene->series[k],
		.point = &scene->points[k],
		.before = &nights[high - 1],
		.after = &nights[high],
		.surely_before = &nights[low],
		.surely_after = &nights[high]};
	scene->trend.series = scene->series;
	scene->trend.nseries = scene->trend.nchanges;
	scene->trend.changes = scene->changes;
}

static void
overlapping_places_are_one_event(void)
{
	struct scene scene = {.trend = {.nseries = 0}};

	add(&scene, "", 100, 0.05, 2, 8);
	add(&scene, "f", 10, 0.5, 4, 5);
	add(&scene, "g", 10, 0.2, 4, 7);
	add(&scene, "h", 10, 0.2, 8, 9);
	trend_events_init(&scene.events, &scene.trend);
	CU_ASSERT_EQUAL_FATAL(scene.events.count, 2);
	CU_ASSERT_EQUAL(scene.events.items[0].changes[0], &scene.changes[3]);
	CU_ASSERT_EQUAL_FATAL(scene.events.items[1].nchanges, 3);
	CU_ASSERT_EQUAL(scene.events.items[1].surely_before->entry->started, 5 * DAY_S);
	CU_ASSERT_EQUAL(scene.events.items[1].surely_after->entry->started, 6 * DAY_S);
	trend_events_release(&scene.events);
}

static void
nights_that_touch_are_two_events(void)
{
	struct scene scene = {.trend = {.nseries = 0}};

	add(&scene, "f", 10, 0.5, 4, 5);
	add(&scene, "g", 10, 0.5, 5, 6);
	trend_events_init(&scene.events, &scene.trend);
	CU_ASSERT_EQUAL(scene.events.count, 2);
	trend_events_release(&scene.events);
}

static void
better_and_worse_are_two_events(void)
{
	struct scene scene = {.trend = {.nseries = 0}};

	add(&scene, "f", 10, 0.5, 4, 5);
	add(&scene, "g", 10, -0.5, 4, 5);
	trend_events_init(&scene.events, &scene.trend);
	CU_ASSERT_EQUAL_FATAL(scene.events.count, 2);
	CU_ASSERT_NOT_EQUAL(scene.events.items[0].worse, scene.events.items[1].worse);
	CU_ASSERT_EQUAL(
		trend_event_is_live(&scene.events.items[0], 0), scene.events.items[0].worse);
	trend_events_release(&scene.events);
}

/* g: 10 % of 40 is more of the program than 100 % of 2. */
static void
the_function_that_explains_most_is_the_head(void)
{
	struct scene scene = {.trend = {.nseries = 0}};

	add(&scene, "", 100, 0.06, 4, 5);
	add(&scene, "f", 2, 1, 4, 5);
	add(&scene, "g", 40, 0.1, 4, 5);
	trend_events_init(&scene.events, &scene.trend);
	CU_ASSERT_EQUAL_FATAL(scene.events.count, 1);
	CU_ASSERT_EQUAL(scene.events.items[0].changes[0], &scene.changes[2]);
	CU_ASSERT_EQUAL(scene.events.items[0].changes[1], &scene.changes[1]);
	CU_ASSERT_EQUAL(scene.events.items[0].changes[2], &scene.changes[0]);
	trend_events_release(&scene.events);
}

/* The head's first night, unless others exclude it. */
static void
the_first_night_lies_in_the_place(void)
{
	struct scene scene = {.trend = {.nseries = 0}};

	add(&scene, "f", 10, 0.5, 4, 9);
	trend_events_init(&scene.events, &scene.trend);
	CU_ASSERT_EQUAL(scene.events.items[0].after->entry->started, 10 * DAY_S);
	trend_events_release(&scene.events);
	add(&scene, "g", 1, 0.1, 4, 6);
	trend_events_init(&scene.events, &scene.trend);
	CU_ASSERT_EQUAL_FATAL(scene.events.count, 1);
	CU_ASSERT_EQUAL(scene.events.items[0].changes[0], &scene.changes[0]);
	CU_ASSERT_EQUAL(scene.events.items[0].after->entry->started, 7 * DAY_S);
	trend_events_release(&scene.events);
}

void
suite_history_trend_events(void)
{
	static const struct unit_case cases[] = {
		{"overlapping_places_are_one_event", overlapping_places_are_one_event},
		{"nights_that_touch_are_two_events", nights_that_touch_are_two_events},
		{"better_and_worse_are_two_events", better_and_worse_are_two_events},
		{"the_function_that_explains_most_is_the_head",
			the_function_that_explains_most_is_the_head},
		{"the_first_night_lies_in_the_place", the_first_night_lies_in_the_place},
		{NULL, NULL},
	};

	unit_suite("history/trend_events", cases);
}
