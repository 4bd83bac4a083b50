/* The change points of a history as JSON. */
#include "output/trend_report.h"

#include "output/json_add.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#define CONFIDENCE 0.95
/* So many of the commits of an event are listed, the newest. */
#define COMMITS_MAX 100

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
	json_add_string(to, "work", series->work);
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
	add_night(to, "surely_before", change->surely_before);
	add_night(to, "surely_after", change->surely_after);
}

static void
add_commits(cJSON *event, const struct trend_report *report, const struct trend_event *of)
{
	size_t n;
	const struct recent_commit *commits = trend_commits(report, of, &n);
	cJSON *list = cJSON_AddArrayToObject(event, "commits");

	for (size_t i = 0; i < n && i < COMMITS_MAX; i++) {
		cJSON *to = json_add_item(list);

		json_add_string(to, "commit", commits[i].commit);
		json_add_string(to, "author", commits[i].author);
		json_add_string(to, "subject", commits[i].subject);
		json_add_string(to, "owners", commits[i].owners);
	}
}

/* The changes by their indexes in "changes", the head first. */
static void
add_event(cJSON *events, const struct trend_report *report, const struct trend_event *event)
{
	const struct trend *trend = report->trend;
	cJSON *to = json_add_item(events);
	cJSON *changes = cJSON_AddArrayToObject(to, "changes");

	json_add_string(to, "direction", event->worse ? "worse" : "better");
	for (size_t i = 0; i < event->nchanges; i++)
		cJSON_AddItemToArray(
			changes, cJSON_CreateNumber((double)(event->changes[i] - trend->changes)));
	if (event->accepted) {
		cJSON *accepted = json_add_object(to, "accepted", true);

		json_add_string(accepted, "reason", event->accepted->reason);
		json_add_string(accepted, "issue", event->accepted->issue);
	} else {
		cJSON_AddNullToObject(to, "accepted");
	}
	add_commits(to, report, event);
	add_night(to, "first_after", event->after);
	add_night(to, "surely_before", event->surely_before);
	add_night(to, "surely_after", event->surely_after);
}

/* How a series behaves beside its levels; null where it only has levels. */
static void
add_kind(cJSON *to, const struct trend_series *series)
{
	const struct two_states *states = &series->states;
	const struct drift *drift = &series->drift;

	if (states->found) {
		cJSON *about = json_add_object(to, "two_states", true);

		json_add_number(about, "low", exp(states->low));
		json_add_number(about, "high", exp(states->high));
		json_add_number(about, "high_share", states->high_share);
	} else {
		cJSON_AddNullToObject(to, "two_states");
	}
	if (drift->found) {
		cJSON *about = json_add_object(to, "drift", true);

		json_add_number(about, "a_night", expm1(drift->a_night));
		json_add_number(about, "low", expm1(drift->low));
		json_add_number(about, "high", expm1(drift->high));
	} else {
		cJSON_AddNullToObject(to, "drift");
	}
}

static void
add_series(cJSON *list, const struct trend_series *series)
{
	cJSON *to = json_add_item(list);

	add_about(to, series);
	cJSON_AddBoolToObject(to, "past", series->is_past);
	json_add_number(to, "classes", series->nclasses);
	json_add_number(to, "nights", (double)series->nnights);
	json_add_number(to, "change_points", (double)series->nchanges);
	add_kind(to, series);
	json_add_time(to, "first", series->nights[0].entry->started);
	json_add_time(to, "last", series->nights[series->nnights - 1].entry->started);
}

static void
add_search(cJSON *root, const struct change_search *search)
{
	cJSON *to = json_add_object(root, "search", true);

	json_add_number(to, "threshold", search->threshold);
	json_add_number(to, "min_nights", search->min_nights);
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
	cJSON *events = cJSON_AddArrayToObject(root, "events");

	for (size_t i = 0; i < report->events->count; i++)
		add_event(events, report, &report->events->items[i]);
	cJSON *series = cJSON_AddArrayToObject(root, "series");

	for (size_t i = 0; i < trend->nseries; i++)
		add_series(series, &trend->series[i]);
	json_finish(root, out);
}
