#include "history/trend_series.h"

#include "base/mem.h"
#include "compare/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Nights on each side of a change of the build compared with. */
#define JOIN_NIGHTS 7
/* Nights of two classes of machines are compared where so many are no further apart than this. */
#define NEAR_S (7 * INT64_C(86400))
#define NEAR_LEAST 5

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
make_series(struct trend_series *series, const struct trend_item *items, size_t n,
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
		.nclasses = 1,
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

/* The works of the nights, those that are not known as the header says; free() it. */
static const char **
works_of(const struct trend_item *items, size_t n)
{
	const char **works = mem_zalloc(n, sizeof(*works));
	const char *known = "";

	for (size_t i = n; i-- > 0;) {
		known = items[i].entry->work[0] ? items[i].entry->work : known;
		works[i] = known;
	}
	for (size_t i = 0; i < n; i++) {
		known = works[i][0] ? works[i] : known;
		works[i] = known;
	}
	return works;
}

static bool
is_followed(const char *const *works, size_t n, size_t i)
{
	for (size_t k = i + 1; k < n; k++) {
		if (strcmp(works[k], works[i]) == 0)
			return true;
	}
	return false;
}

size_t
trend_series_make(struct trend_series *series, const struct trend_item *items, size_t n,
	const struct change_search *search)
{
	const char **works = works_of(items, n);
	struct trend_item *chosen = mem_zalloc(n, sizeof(*chosen));
	size_t nseries = 0;

	for (size_t last = 0; last < n; last++) {
		size_t nchosen = 0;

		if (last + 1 < n &&
			(strcmp(works[last], works[last + 1]) == 0 || is_followed(works, n, last)))
			continue;
		for (size_t i = 0; i <= last; i++) {
			if (strcmp(works[i], works[last]) == 0)
				chosen[nchosen++] = items[i];
		}
		make_series(&series[nseries], chosen, nchosen, search);
		series[nseries].work = works[last];
		series[nseries].is_past = last + 1 < n;
		series[nseries++].is_new_work = chosen[0].entry != items[0].entry;
	}
	free(chosen);
	free(works);
	return nseries;
}

static bool
are_near(const struct trend_night *night, const struct trend_night *other)
{
	return llabs(night->entry->started - other->entry->started) <= NEAR_S;
}

/*
 * How far the nights of `other` are from those of `series` before and after them; NAN where too few
 * have near ones.
 */
static double
distance_of(const struct trend_series *series, const struct trend_series *other)
{
	const struct trend_night *nights = series->nights;
	double *apart = mem_zalloc(other->nnights, sizeof(*apart));
	size_t at = 0;
	size_t n = 0;

	for (size_t i = 0; i < other->nnights; i++) {
		const struct trend_night *night = &other->nights[i];

		while (at < series->nnights && nights[at].entry->started < night->entry->started)
			at++;
		if (at > 0 && at < series->nnights && are_near(night, &nights[at - 1]) &&
			are_near(night, &nights[at]))
			apart[n++] = night->value - (nights[at - 1].value + nights[at].value) / 2;
	}
	const double median = n >= NEAR_LEAST ? stats_median(apart, n) : NAN;

	free(apart);
	return median;
}

static int
by_start(const void *a, const void *b)
{
	const struct trend_night *x = a;
	const struct trend_night *y = b;
	const int order =
		(x->entry->started > y->entry->started) - (x->entry->started < y->entry->started);

	return order ? order : strcmp(x->machine_class, y->machine_class);
}

bool
trend_series_combine(struct trend_series *combined, const struct trend_series *series, size_t n,
	const struct change_search *search)
{
	const struct trend_series *largest = series;
	size_t capacity = 0;

	for (size_t i = 1; i < n; i++) {
		if (series[i].nnights > largest->nnights)
			largest = &series[i];
	}
	*combined = *largest;
	combined->machine_class = "";
	combined->nclasses = 0;
	combined->nights = NULL;
	combined->nnights = 0;
	for (size_t i = 0; i < n; i++) {
		const double apart = &series[i] == largest ? 0 : distance_of(largest, &series[i]);

		if (!isfinite(apart))
			continue;
		combined->nclasses++;
		combined->nights = mem_grow(combined->nights, &capacity,
			combined->nnights + series[i].nnights, sizeof(*combined->nights));
		for (size_t k = 0; k < series[i].nnights; k++) {
			combined->nights[combined->nnights] = series[i].nights[k];
			combined->nights[combined->nnights++].value -= apart;
		}
	}
	if (combined->nclasses < 2) {
		free(combined->nights);
		return false;
	}
	qsort(combined->nights, combined->nnights, sizeof(*combined->nights), by_start);
	find_changes(combined, search);
	return true;
}
