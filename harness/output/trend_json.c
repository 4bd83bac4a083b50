#include "output/json_add.h"
#include "output/trend_report.h"

#include <cjson/cJSON.h>
#include <math.h>

static void
add_night(cJSON *object, const char *key, const struct trend_night *night)
{
	cJSON *to = json_add_object(object, key, true);

	json_add_time(to, "started", night->entry->started);
	json_add_string(to, "commit", night->entry->commit);
	json_add_string(to, "report", night->entry->report);
	json_add_string(to, "machine_class", night->machine_class);
}

static void
add_about(cJSON *to, const struct trend_series *series)
{
	json_add_string(to, "workload", series->workload);
	json_add_string(to, "function", series->function);
	json_add_string(to, "metric", series->metric);
	json_add_string(to, "mode", series->paired ? "paired" : "stored");
	json_add_string(to, "machine_class", series->machine_class);
	json_add_string(to, "unit", series->paired ? "ratio" : series->unit);
}

static void
add_change(cJSON *changes, const struct trend_change *change)
{
	const struct change_point *point = change->point;
	cJSON *to = json_add_item(changes);

	add_about(to, change->series);
	json_add_number(to, "change", point->change);
	json_add_number(to, "low", point->low);
	json_add_number(to, "high", point->high);
	json_add_number(to, "p", point->p);
	json_add_number(to, "before_level", exp(point->before_level));
	json_add_number(to, "after_level", exp(point->after_level));
	add_night(to, "last_before", change->before);
	add_night(to, "first_after", change->after);
}

static void
add_series(cJSON *list, const struct trend_series *series)
{
	cJSON *to = json_add_item(list);

	add_about(to, series);
	json_add_number(to, "nights", (double)series->nnights);
	json_add_number(to, "change_points", (double)series->nchanges);
	json_add_time(to, "first", series->nights[0].entry->started);
	json_add_time(to, "last", series->nights[series->nnights - 1].entry->started);
}

static void
add_search(cJSON *root, const struct change_search *search)
{
	cJSON *to = json_add_object(root, "search", true);

	json_add_number(to, "alpha", search->alpha);
	json_add_number(to, "threshold", search->threshold);
	json_add_number(to, "permutations", search->permutations);
	json_add_number(to, "min_nights", search->min_nights);
	json_add_number(to, "seed", (double)search->seed);
}

void
trend_put_json(const struct trend_report *report, struct buf *out)
{
	const struct trend *trend = report->trend;
	cJSON *root = cJSON_CreateObject();

	json_add_number(root, "format_version", 1);
	json_add_string(root, "tool_version", report->tool_version);
	json_add_time(root, "first", trend->first);
	json_add_time(root, "last", trend->last);
	json_add_number(root, "alert_days", report->alert_days);
	json_add_number(root, "alerts", (double)report->nalerts);
	add_search(root, &trend->search);
	cJSON *changes = cJSON_AddArrayToObject(root, "changes");

	for (size_t i = 0; i < trend->nchanges; i++)
		add_change(changes, &trend->changes[i]);
	cJSON *series = cJSON_AddArrayToObject(root, "series");

	for (size_t i = 0; i < trend->nseries; i++)
		add_series(series, &trend->series[i]);
	json_finish(root, out);
}
