#include "history/trend.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DAY_S INT64_C(86400)
/* 0 for items of one cost: stored ones, of whatever class and unit, or pairs. */
static int
compare_costs(const struct trend_item *a, const struct trend_item *b)
{
	int order = strcmp(a->workload, b->workload);

	order = order ? order : strcmp(a->entry->function, b->entry->function);
	order = order ? order : strcmp(a->entry->metric, b->entry->metric);
	return order ? order : a->entry->paired - b->entry->paired;
}

static int
compare_series(const struct trend_item *a, const struct trend_item *b)
{
	int order = compare_costs(a, b);

	if (order == 0 && !a->entry->paired)
		order = strcmp(a->machine_class, b->machine_class);
	if (order == 0 && !a->entry->paired)
		order = strcmp(a->entry->unit, b->entry->unit);
	return order;
}

static int
by_series(const void *a, const void *b)
{
	const struct trend_item *x = a;
	const struct trend_item *y = b;
	int order = compare_series(x, y);

	order = order ? order : history_entry_compare(x->entry, y->entry);
	return order ? order : strcmp(x->machine_class, y->machine_class);
}

static bool
is_selected(const char *workload, const char *const *workloads, size_t nworkloads)
{
	for (size_t i = 0; i < nworkloads; i++) {
		if (strcmp(workload, workloads[i]) == 0)
			return true;
	}
	return nworkloads == 0;
}

/* All nights of the selected workloads, sorted by series and time; free() them. */
static struct trend_item *
collect(const struct history *history, const char *const *workloads, size_t nworkloads,
	size_t *nitems)
{
	struct trend_item *items = NULL;
	size_t capacity = 0;
	size_t n = 0;

	for (size_t i = 0; i < history->nfiles; i++) {
		const struct history_file *file = &history->files[i];

		if (!is_selected(file->workload, workloads, nworkloads))
			continue;
		items = mem_grow(items, &capacity, n + file->nentries, sizeof(*items));
		for (size_t k = 0; k < file->nentries; k++)
			items[n++] = (struct trend_item){
				file->workload, file->machine_class, &file->entries[k]};
	}
	if (n > 0)
		qsort(items, n, sizeof(*items), by_series);
	*nitems = n;
	return items;
}

/* The newest first, then the largest, then in the order of the series. */
static int
by_time(const void *a, const void *b)
{
	const struct trend_change *x = a;
	const struct trend_change *y = b;
	int64_t one = x->after->entry->started;
	int64_t two = y->after->entry->started;
	double size_one = fabs(x->point->after_level - x->point->before_level);
	double size_two = fabs(y->point->after_level - y->point->before_level);

	if (one != two)
		return one < two ? 1 : -1;
	if (size_one != size_two)
		return size_one < size_two ? 1 : -1;
	return (x->series > y->series) - (x->series < y->series);
}

size_t
trend_least_nights(const struct trend *trend)
{
	return change_points_least_nights(&trend->search);
}

/* The paired series of the same cost, if it is long enough for change points; or NULL. */
static const struct trend_series *
find_pairs(const struct trend *trend, const struct trend_series *stored)
{
	for (size_t i = (size_t)(stored - trend->series) + 1; i < trend->nseries; i++) {
		const struct trend_series *other = &trend->series[i];

		if (strcmp(other->workload, stored->workload) != 0 ||
			strcmp(other->function, stored->function) != 0 ||
			strcmp(other->metric, stored->metric) != 0)
			break;
		if (other->paired)
			return other->nnights >= trend_least_nights(trend) ? other : NULL;
	}
	return NULL;
}

/* Whether a night is one of those of a series, give or take a day. */
static bool
covers(const struct trend_series *series, const struct trend_night *night)
{
	int64_t first = series->nights[0].entry->started;
	int64_t last = series->nights[series->nnights - 1].entry->started;

	return night->entry->started >= first - DAY_S && night->entry->started <= last + DAY_S;
}

/* Pairs are not affected by changes of the machine: where there are some, only they are used. */
static void
prefer_pairs(struct trend *trend)
{
	for (size_t i = 0; i < trend->nseries; i++) {
		struct trend_series *series = &trend->series[i];
		const struct trend_series *pairs =
			series->paired ? NULL : find_pairs(trend, series);
		size_t kept = 0;

		for (size_t k = 0; k < series->nchanges; k++) {
			if (!pairs || !covers(pairs, &series->nights[series->changes[k].at]))
				series->changes[kept++] = series->changes[k];
		}
		series->nchanges = kept;
	}
}

static void
list_changes(struct trend *trend)
{
	size_t n = 0;

	for (size_t i = 0; i < trend->nseries; i++)
		n += trend->series[i].nchanges;
	trend->changes = mem_zalloc(n + 1, sizeof(*trend->changes));
	for (size_t i = 0; i < trend->nseries; i++) {
		const struct trend_series *series = &trend->series[i];

		for (size_t k = 0; k < series->nchanges; k++)
			trend->changes[trend->nchanges++] = (struct trend_change){
				.series = series,
				.point = &series->changes[k],
				.before = &series->nights[series->changes[k].at - 1],
				.after = &series->nights[series->changes[k].at],
				.surely_before = &series->nights[series->changes[k].at_low - 1],
				.surely_after = &series->nights[series->changes[k].at_high],
			};
	}
	if (n > 0)
		qsort(trend->changes, n, sizeof(*trend->changes), by_time);
}

static const struct history_entry *
last_of(const struct trend_series *series)
{
	return series->nights[series->nnights - 1].entry;
}

/* Whether both, with 95 % confidence, can be one change in the same direction. */
static bool
can_be_one(const struct trend_series *one, const struct change_point *a,
	const struct trend_series *other, const struct change_point *b)
{
	return (a->change > 0) == (b->change > 0) &&
	       one->nights[a->at_low - 1].entry->started <
		       other->nights[b->at_high].entry->started &&
	       other->nights[b->at_low - 1].entry->started < one->nights[a->at_high].entry->started;
}

/* A change of all classes is one change: the series of a class has it no more. */
static void
drop_common(struct trend_series *series, const struct trend_series *combined)
{
	size_t kept = 0;

	for (size_t i = 0; i < series->nchanges; i++) {
		const struct change_point *change = &series->changes[i];
		size_t k = 0;

		while (k < combined->nchanges &&
			!can_be_one(series, change, combined, &combined->changes[k]))
			k++;
		if (k == combined->nchanges)
			series->changes[kept++] = *change;
	}
	series->nchanges = kept;
}

/*
 * Adds the series of all classes to those of the cost whose first series is `from`. They are of the
 * work that was measured last; classes that were not measured since are past.
 */
static void
combine_classes(struct trend *trend, size_t from, size_t *capacity)
{
	struct trend_series *series = trend->series + from;
	const size_t n = trend->nseries - from;
	struct trend_series *same = mem_zalloc(n, sizeof(*same));
	struct trend_series combined;
	const struct trend_series *newest = series;
	size_t nsame = 0;

	for (size_t i = 1; i < n; i++) {
		if (last_of(&series[i])->started > last_of(newest)->started)
			newest = &series[i];
	}
	for (size_t i = 0; i < n; i++) {
		if (strcmp(series[i].work, newest->work) != 0)
			series[i].is_past = true;
		else if (strcmp(series[i].unit, newest->unit) == 0)
			same[nsame++] = series[i];
	}
	if (nsame > 1 && trend_series_combine(&combined, same, nsame, &trend->search)) {
		for (size_t i = 0; i < n; i++)
			drop_common(&series[i], &combined);
		trend->series = mem_grow(
			trend->series, capacity, trend->nseries + 1, sizeof(*trend->series));
		trend->series[trend->nseries++] = combined;
	}
	free(same);
}

static void
make_all_series(struct trend *trend, const struct trend_item *items, size_t n)
{
	size_t capacity = 0;
	size_t cost = 0;

	for (size_t from = 0, to; from < n; from = to) {
		to = from + 1;
		while (to < n && compare_series(&items[from], &items[to]) == 0)
			to++;
		trend->series = mem_grow(trend->series, &capacity, trend->nseries + to - from,
			sizeof(*trend->series));
		trend->nseries += trend_series_make(
			&trend->series[trend->nseries], &items[from], to - from, &trend->search);
		if (to < n && compare_costs(&items[from], &items[to]) == 0)
			continue;
		if (!items[from].entry->paired)
			combine_classes(trend, cost, &capacity);
		cost = trend->nseries;
	}
}

void
trend_init(struct trend *trend, const struct history *history, const struct change_search *search,
	const char *const *workloads, size_t nworkloads)
{
	size_t n;
	struct trend_item *items = collect(history, workloads, nworkloads, &n);

	*trend = (struct trend){.search = *search};
	make_all_series(trend, items, n);
	for (size_t i = 0; i < trend->nseries; i++) {
		const struct trend_series *series = &trend->series[i];
		const int64_t first = series->nights[0].entry->started;
		const int64_t last = last_of(series)->started;

		trend->first = trend->first == 0 || first < trend->first ? first : trend->first;
		trend->last = last > trend->last ? last : trend->last;
		trend->ntoo_short +=
			!series->is_past && series->nnights < trend_least_nights(trend);
	}
	free(items);
	prefer_pairs(trend);
	list_changes(trend);
}

void
trend_release(struct trend *trend)
{
	for (size_t i = 0; i < trend->nseries; i++) {
		free(trend->series[i].nights);
		free(trend->series[i].changes);
	}
	free(trend->series);
	free(trend->changes);
	*trend = (struct trend){0};
}

int64_t
trend_days_from(const struct trend *trend, unsigned days)
{
	return trend->last - (int64_t)days * DAY_S;
}

/* Whether the work is still measured, and less than half of it was taken back by later changes. */
static bool
is_live(const struct trend_change *change)
{
	const struct trend_series *series = change->series;

	if (series->is_past)
		return false;
	const struct change_point *last = &series->changes[series->nchanges - 1];
	const double apart = change->point->after_level - change->point->before_level;

	return (last->after_level - change->point->before_level) / apart > 0.5;
}

bool
trend_is_worse(const struct trend_change *change, int64_t from)
{
	return change->point->change > 0 && change->after->entry->started > from && is_live(change);
}
