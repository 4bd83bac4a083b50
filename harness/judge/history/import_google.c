/*
 * Reads the JSON of google-benchmark (import_suite.h). Source: its JSONReporter.
 */
#include "history/import_internal.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum google_key { RUN_NAME, RUN_TYPE, AGGREGATE, REPETITIONS, REAL, CPU, UNIT, FAILED, SKIPPED };

/* The times of an entry: of one repetition, or of an aggregate of them. */
struct google_entry {
	char *text[SKIPPED + 1]; /* owned; by key */
	const char *at;
	const char *unit_at;
	struct suite_number real;
	struct suite_number cpu;
	double repetitions;
};

/* A benchmark's aggregates, for where its repetitions are not reported. */
struct google_benchmark {
	const char *name; /* the arena's */
	bool is_done;     /* repetitions are */
	struct suite_number real;
	struct suite_number cpu;
	double real_error; /* standard error */
	double cpu_error;
	double scale;
};

struct google_benchmarks {
	struct text_map names; /* index into items */
	struct google_benchmark *items;
	size_t count;
	size_t capacity;
};

static struct google_benchmark *
google_find(struct google_benchmarks *all, const char *name, struct arena *arena)
{
	struct text_entry *found = text_map_find(&all->names, name, strlen(name));

	if (!found) {
		found = text_map_add(&all->names, name, strlen(name), (uint32_t)all->count);
		all->items =
			mem_grow(all->items, &all->capacity, all->count + 1, sizeof(*all->items));
		all->items[all->count++] = (struct google_benchmark){
			.name = arena_strdup(arena, name), .real_error = NAN, .cpu_error = NAN};
	}
	return &all->items[found->value];
}

static int
google_add(struct suite_reading *reading, struct google_benchmarks *all,
	const struct google_entry *entry, double scale)
{
	const char *const *text = (const char *const *)entry->text;
	struct google_benchmark *benchmark =
		google_find(all, text[RUN_NAME], &reading->import.history->arena);

	if (strcmp(text[RUN_TYPE], "iteration") == 0) {
		benchmark->is_done = true;
		return suite_add_time(reading, benchmark->name, "wall", entry->real, NAN, scale) <
					       0 ||
				       suite_add_time(reading, benchmark->name, "cpu", entry->cpu,
					       NAN, scale) < 0
			       ? -1
			       : 0;
	}
	if (strcmp(text[AGGREGATE], "mean") == 0) {
		benchmark->real = entry->real;
		benchmark->cpu = entry->cpu;
		benchmark->scale = scale;
	} else if (strcmp(text[AGGREGATE], "stddev") == 0) {
		benchmark->real_error = entry->real.value / sqrt(entry->repetitions);
		benchmark->cpu_error = entry->cpu.value / sqrt(entry->repetitions);
	}
	return 0;
}

static int
google_check(struct suite_reading *reading, struct json_pull *json, struct google_benchmarks *all,
	const struct google_entry *entry)
{
	double scale;

	if (!entry->text[RUN_NAME] || !entry->text[RUN_TYPE])
		return suite_refuse_value(reading, json, entry->at,
			"\"run_name\" and \"run_type\", as of google-benchmark 1.5 or later");
	if (entry->text[FAILED] || entry->text[SKIPPED]) {
		suite_leave_out(reading, entry->at, "'%s' %s", entry->text[RUN_NAME],
			entry->text[FAILED] ? "failed" : "was skipped");
		return 0;
	}
	/* Coefficients of complexity have no times, percentages no unit of their own. */
	if (entry->text[AGGREGATE] && strcmp(entry->text[AGGREGATE], "mean") != 0 &&
		strcmp(entry->text[AGGREGATE], "stddev") != 0)
		return 0;
	if (!entry->text[AGGREGATE] && strcmp(entry->text[RUN_TYPE], "iteration") != 0)
		return suite_refuse_value(reading, json, entry->at, "\"aggregate_name\"");
	if (!entry->real.at || !entry->cpu.at)
		return suite_refuse_value(
			reading, json, entry->at, "\"real_time\" and \"cpu_time\"");
	if (suite_find_scale(reading, json, entry->unit_at ? entry->unit_at : entry->at,
		    entry->text[UNIT], &scale) < 0)
		return -1;
	return google_add(reading, all, entry, scale);
}

static int
google_item(struct suite_reading *reading, struct json_pull *json, void *context)
{
	static const char *const keys[] = {"run_name", "run_type", "aggregate_name", "repetitions",
		"real_time", "cpu_time", "time_unit", "error_message", "skip_message", NULL};
	struct google_entry entry = {.at = suite_next_value(reading, json), .repetitions = NAN};
	struct json_fields fields = JSON_FIELDS(keys);
	int key;

	while ((key = json_pull_field(json, &fields)) >= 0) {
		if (key == UNIT)
			entry.unit_at = suite_next_value(reading, json);
		if (key == REAL)
			entry.real = suite_take_number(reading, json);
		else if (key == CPU)
			entry.cpu = suite_take_number(reading, json);
		else if (key == REPETITIONS)
			entry.repetitions = suite_take_number(reading, json).value;
		else
			json_pull_text_dup(json, &entry.text[key]);
	}
	const int result =
		json_pull_failed(json) ? -1 : google_check(reading, json, context, &entry);

	for (size_t i = 0; i <= SKIPPED; i++)
		free(entry.text[i]);
	return result;
}

int
suite_read_google(struct suite_reading *reading)
{
	struct google_benchmarks all = {.count = 0};
	struct suite_object top = {.list = "benchmarks",
		.time = "date",
		.context = "context",
		.item = google_item,
		.state = &all};
	int result = suite_read_text(reading, suite_read_object, &top);

	for (size_t i = 0; result == 0 && i < all.count; i++) {
		const struct google_benchmark *each = &all.items[i];

		if (each->is_done || !each->real.at)
			continue;
		result = suite_add_time(
			reading, each->name, "wall", each->real, each->real_error, each->scale);
		if (result == 0)
			result = suite_add_time(reading, each->name, "cpu", each->cpu,
				each->cpu_error, each->scale);
	}
	text_map_release(&all.names);
	free(all.items);
	return result;
}
