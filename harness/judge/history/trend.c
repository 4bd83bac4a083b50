#include "history/trend.h"

#include "base/mem.h"
#include "compare/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DAY_S INT64_C(86400)
/* Nights on each side of a change of the build compared with. */
#define JOIN_NIGHTS 7

/* A night with the series that it is of. */
struct item {
	const char *workload;
	const char *machine_class;
	const struct history_entry *entry;
};

static int
compare_series(const struct item *a, const struct item *b)
{
	int order = strcmp(a->workload, b->workload);

	order = order ? order : strcmp(a->entry->function, b->entry->function);
	order = order ? order : strcmp(a->entry->metric, b->entry->metric);
	order = order ? order : a->entry->paired - b->entry->paired;
	if (order == 0 && !a->entry->paired)
		order = strcmp(a->machine_class, b->machine_class);
	if (order == 0 && !a->entry->paired)
		order = strcmp(a->entry->unit, b->entry->unit);
	return order;
}

static int
by_series(const void *a, const void *b)
{
	const struct item *x = a;
	const struct item *y = b;
	int order = compare_series(x, y);

	order = order ? order : history_entry_compare(x->entry, y->entry);
	return order ? order : strcmp(x->machine_class, y->machine_class);
}

static bool
is_wanted(const char *workload, const char *const *workloads, size_t nworkloads)
{
	for (size_t i = 0; i < nworkloads; i++) {
		if (strcmp(workload, workloads[i]) == 0)
			return true;
	}
	return nworkloads == 0;
}

/* All nights of the selected workloads, sorted by series and time; free() them. */
static struct item *
collect(const struct history *history, const char *const *workloads, size_t nworkloads,
	size_t *nitems)
{
	struct item *items = NULL;
	size_t capacity = 0;
	size_t n = 0;

	for (size_t i = 0; i < history->nfiles; i++) {
		const struct history_file *file = &history->files[i];

		if (!is_wanted(file->workload, workloads, nworkloads))
			continue;
		items = mem_grow(items, &capacity, n + file->nentries, sizeof(*items));
		for (size_t k = 0; k < file->nentries; k++)
			items[n++] = (struct item){
				file->workload, file->machine_class, &file->entries[k]};
	}
	if (n > 0)
		qsort(items, n, sizeof(*items), by_series);
	*nitems = n;
	return items;
}

static double
median_of(const struct trend_night *nights, size_t n)
{
	double values[JOIN_NIGHTS];

	for (size_t i = 0; i < n; i++)
		values[i] = nights[i].value;
	return stats_median(values, n);
}

/* Joins a series where the build compared with is another one from a night on. */
static void
join(struct trend_series *series)
{
	size_t from = 0;

	for (size_t i = 1; i < series->nnights; i++) {
		struct trend_night *nights = series->nights;

		if (strcmp(nights[i].entry->against, nights[i - 1].entry->against) == 0)
			continue;
		size_t to = i + 1;

		while (to < series->nnights &&
			strcmp(nights[to].entry->against, nights[i].entry->against) == 0)
			to++;
		size_t nbefore = i - from < JOIN_NIGHTS ? i - from : JOIN_NIGHTS;
		size_t nafter = to - i < JOIN_NIGHTS ? to - i : JOIN_NIGHTS;
		double shift =
			median_of(&nights[i - nbefore], nbefore) - median_of(&nights[i], nafter);

		for (size_t k = i; k < to; k++)
			nights[k].value += shift;
		from = i;
	}
}

static void
find_changes(struct trend_series *series, const struct change_search *search)
{
	const size_t n = series->nnights;
	double *values = mem_zalloc(n, sizeof(*values));

	for (size_t i = 0; i < n; i++)
		values[i] = series->nights[i].value;
	if (n >= change_points_least_nights(search))
		series->states = two_states_of(values, n, search->min_nights);
	if (series->states.found)
		two_states_remove(&series->states, values, n);
	series->nchanges = change_points_find(values, n, search, &series->changes);
	const size_t from = series->nchanges > 0 ? series->changes[series->nchanges - 1].at : 0;

	series->drift = drift_of(values + from, n - from, search->threshold);
	free(values);
}

static void
make_series(struct trend_series *series, const struct item *items, size_t n,
	const struct change_search *search)
{
	const struct history_entry *last = items[n - 1].entry;

	*series = (struct trend_series){
		.workload = items[0].workload,
		.function = last->function,
		.metric = last->metric,
		.unit = last->unit,
		.paired = last->paired,
		.machine_class = last->paired ? "" : items[0].machine_class,
		.nights = mem_zalloc(n, sizeof(*series->nights)),
		.nnights = n,
	};
	for (size_t i = 0; i < n; i++) {
		const struct history_entry *entry = items[i].entry;

		series->nights[i] = (struct trend_night){
			.entry = entry,
			.machine_class = items[i].machine_class,
			.value = log(entry->paired ? entry->ratio : entry->cost),
			.error = entry->paired ? entry->ratio_error : entry->error,
		};
	}
	if (series->paired)
		join(series);
	find_changes(series, search);
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

void
trend_init(struct trend *trend, const struct history *history, const struct change_search *search,
	const char *const *workloads, size_t nworkloads)
{
	size_t n;
	size_t capacity = 0;
	struct item *items = collect(history, workloads, nworkloads, &n);

	*trend = (struct trend){.search = *search};
	for (size_t from = 0, to; from < n; from = to) {
		to = from + 1;
		while (to < n && compare_series(&items[from], &items[to]) == 0)
			to++;
		trend->series = mem_grow(
			trend->series, &capacity, trend->nseries + 1, sizeof(*trend->series));
		struct trend_series *series = &trend->series[trend->nseries++];

		make_series(series, &items[from], to - from, &trend->search);
		int64_t first = series->nights[0].entry->started;
		int64_t last = series->nights[series->nnights - 1].entry->started;

		trend->first = trend->first == 0 || first < trend->first ? first : trend->first;
		trend->last = last > trend->last ? last : trend->last;
		trend->ntoo_short += series->nnights < trend_least_nights(trend);
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

/* Whether less than half of it has been taken back by the changes that followed. */
static bool
is_live(const struct trend_change *change)
{
	const struct trend_series *series = change->series;
	const struct change_point *last = &series->changes[series->nchanges - 1];
	const double apart = change->point->after_level - change->point->before_level;

	return (last->after_level - change->point->before_level) / apart > 0.5;
}

bool
trend_is_worse(const struct trend_change *change, int64_t from)
{
	return change->point->change > 0 && change->after->entry->started > from && is_live(change);
}
