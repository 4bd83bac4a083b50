#include "history/trend_events.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The place of a change point moves while nights are added. */
#define ACCEPTED_WITHIN_S (INT64_C(7) * 86400)

static int64_t
started(const struct trend_night *night)
{
	return night->entry->started;
}

static int64_t
width(const struct trend_change *change)
{
	return started(change->surely_after) - started(change->surely_before);
}

/* The narrowest place first; else in the order of the trend. */
static int
by_width(const void *a, const void *b)
{
	const struct trend_change *x = *(const struct trend_change *const *)a;
	const struct trend_change *y = *(const struct trend_change *const *)b;
	const int64_t one = width(x);
	const int64_t two = width(y);

	return one != two ? (one > two) - (one < two) : (x > y) - (x < y);
}

/* Whether both can be in one place: after the later of the nights before, by the earlier after. */
static bool
overlaps(const struct trend_event *event, const struct trend_change *change)
{
	return event->worse == (change->point->change > 0) &&
	       started(event->surely_before) < started(change->surely_after) &&
	       started(change->surely_before) < started(event->surely_after);
}

static void
add_to(struct trend_event *event, const struct trend_change *change)
{
	event->changes =
		mem_resize(event->changes, (event->nchanges + 1) * sizeof(struct trend_change *));
	event->changes[event->nchanges++] = change;
	if (started(change->surely_before) > started(event->surely_before))
		event->surely_before = change->surely_before;
	if (started(change->surely_after) < started(event->surely_after))
		event->surely_after = change->surely_after;
}

static void
add_event(struct trend_events *events, size_t *capacity, const struct trend_change *change)
{
	for (size_t i = 0; i < events->count; i++) {
		if (overlaps(&events->items[i], change)) {
			add_to(&events->items[i], change);
			return;
		}
	}
	events->items =
		mem_grow(events->items, capacity, events->count + 1, sizeof(*events->items));
	events->items[events->count] = (struct trend_event){
		.worse = change->point->change > 0,
		.surely_before = change->surely_before,
		.surely_after = change->surely_after,
	};
	add_to(&events->items[events->count++], change);
}

/* The last cost of the whole program that a series is of; 0: not known. */
static double
program_cost(const struct trend *trend, const struct trend_series *series)
{
	const struct trend_series *at = series;

	while (at > trend->series && strcmp(at[-1].workload, series->workload) == 0)
		at--;
	for (; at < series && at->function[0] == '\0'; at++) {
		if (strcmp(at->metric, series->metric) == 0)
			return at->nights[at->nnights - 1].entry->cost;
	}
	return 0;
}

/* A change with its size, for sorting. */
struct sized {
	const struct trend_change *change;
	bool of_function;
	double size; /* of a function: its part of the whole program's cost; else the ratio's log */
};

static double
size_of(const struct trend *trend, const struct trend_change *change)
{
	const struct trend_series *series = change->series;
	const struct change_point *point = change->point;
	const double program = series->function[0] ? program_cost(trend, series) : 0;
	const double before =
		series->paired ? change->before->entry->cost : exp(point->before_level);

	return program > 0 ? before * fabs(point->change) / program
			   : fabs(point->after_level - point->before_level);
}

static int
by_size(const void *a, const void *b)
{
	const struct sized *x = a;
	const struct sized *y = b;

	if (x->of_function != y->of_function)
		return x->of_function ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? 1 : -1;
	return (x->change > y->change) - (x->change < y->change);
}

static void
sort_changes(const struct trend *trend, struct trend_event *event)
{
	struct sized *sized = mem_zalloc(event->nchanges, sizeof(*sized));

	for (size_t i = 0; i < event->nchanges; i++)
		sized[i] = (struct sized){
			.change = event->changes[i],
			.of_function = event->changes[i]->series->function[0] != '\0',
			.size = size_of(trend, event->changes[i]),
		};
	qsort(sized, event->nchanges, sizeof(*sized), by_size);
	for (size_t i = 0; i < event->nchanges; i++)
		event->changes[i] = sized[i].change;
	free(sized);
}

static void
set_first_night(struct trend_event *event)
{
	const struct trend_night *head = event->changes[0]->after;
	const bool between = started(head) > started(event->surely_before) &&
			     started(head) <= started(event->surely_after);

	event->after = between ? head : event->surely_after;
}

/* The newest first, then in the order of the trend. */
static int
by_time(const void *a, const void *b)
{
	const struct trend_event *x = a;
	const struct trend_event *y = b;
	const int64_t one = started(x->after);
	const int64_t two = started(y->after);

	if (one != two)
		return one < two ? 1 : -1;
	return (x->changes[0] > y->changes[0]) - (x->changes[0] < y->changes[0]);
}

void
trend_events_init(struct trend_events *events, const struct trend *trend)
{
	const struct trend_change **narrow =
		mem_zalloc(trend->nchanges + 1, sizeof(struct trend_change *));
	size_t capacity = 0;

	*events = (struct trend_events){0};
	for (size_t i = 0; i < trend->nchanges; i++)
		narrow[i] = &trend->changes[i];
	qsort(narrow, trend->nchanges, sizeof(struct trend_change *), by_width);
	for (size_t i = 0; i < trend->nchanges; i++)
		add_event(events, &capacity, narrow[i]);
	free(narrow);
	for (size_t i = 0; i < events->count; i++) {
		sort_changes(trend, &events->items[i]);
		set_first_night(&events->items[i]);
	}
	if (events->count > 0)
		qsort(events->items, events->count, sizeof(*events->items), by_time);
}

void
trend_events_release(struct trend_events *events)
{
	for (size_t i = 0; i < events->count; i++)
		free(events->items[i].changes);
	free(events->items);
	*events = (struct trend_events){0};
}

static bool
is_about(const struct accepted *item, const struct trend_event *event)
{
	const int64_t apart = item->since - started(event->after);

	if (!event->worse || apart > ACCEPTED_WITHIN_S || apart < -ACCEPTED_WITHIN_S)
		return false;
	for (size_t i = 0; i < event->nchanges; i++) {
		const struct trend_series *series = event->changes[i]->series;

		if (strcmp(item->workload, series->workload) == 0 &&
			(item->function[0] == '\0' ||
				strcmp(item->function, series->function) == 0))
			return true;
	}
	return false;
}

void
trend_events_accept(struct trend_events *events, const struct accepted_list *list)
{
	for (size_t i = 0; i < events->count; i++) {
		for (size_t k = 0; k < list->count; k++) {
			if (is_about(&list->items[k], &events->items[i]))
				events->items[i].accepted = &list->items[k];
		}
	}
}

bool
trend_event_is_live(const struct trend_event *event, int64_t from)
{
	if (event->accepted)
		return false;
	for (size_t i = 0; i < event->nchanges; i++) {
		if (trend_is_worse(event->changes[i], from))
			return true;
	}
	return false;
}

size_t
trend_events_count_live(const struct trend_events *events, int64_t from)
{
	size_t n = 0;

	for (size_t i = 0; i < events->count; i++)
		n += trend_event_is_live(&events->items[i], from);
	return n;
}
