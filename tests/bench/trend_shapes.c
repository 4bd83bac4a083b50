/*
 * Simulated histories of thirty shapes: which share of them `trend` reads rightly. A history is
 * right where each of its change points is within five nights of an interval of places, no other
 * is, two states or a drift are described where there are such, and there is an alert exactly where
 * the current level is worse than the one before, since 28 nights at most.
 *
 * usage: trend_shapes SEEDS
 *        trend_shapes SEEDS NIGHTS FUNCTIONS  one history of that size, for its time
 */
#include "base/mem.h"
#include "base/random.h"
#include "history/trend.h"
#include "history/trend_events.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY_S INT64_C(86400)
#define ALERT_DAYS 28
#define NEAR 5
#define LEVELS_MAX 6
#define LEAST_LEVEL 4

/* Nights from..to cost so much more; `to` 0: to the end. */
struct level {
	size_t from, to;
	double change;
};

struct shape {
	const char *name;
	size_t nights;
	double sd;
	double rho;
	struct level levels[LEVELS_MAX];
	double outliers;  /* the share of nights that cost 20 to 100 % more */
	double growth;    /* the last night's SD in that of the first; 0: the same */
	double drift;     /* over the whole history */
	double apart;     /* two states */
	double high;      /* share of the slower one */
	double missing;   /* share of nights */
	bool is_drifting; /* expected */
	bool is_alert;
};

static const struct shape shapes[] = {
	{"unchanged, 1 % noise", 120, .sd = .01},
	{"unchanged, 3 % noise, a year", 365, .sd = .03},
	{"unchanged, correlated 0.5, a year", 365, .sd = .01, .rho = .5},
	{"unchanged, 5 % outliers, a year", 365, .sd = .01, .outliers = .05},
	{"step +5 %", 120, .sd = .01, .levels = {{60, 0, .05}}},
	{"step +12 %", 120, .sd = .01, .levels = {{40, 0, .12}}},
	{"step -8 %", 120, .sd = .01, .levels = {{60, 0, -.08}}},
	{"step +2 % in 0.5 % noise", 200, .sd = .005, .levels = {{100, 0, .02}}},
	{"step +8 %, correlated 0.5", 200, .sd = .015, .rho = .5, .levels = {{120, 0, .08}}},
	{"step +8 %, 5 % outliers", 200, .sd = .01, .outliers = .05, .levels = {{120, 0, .08}}},
	{"fixed step +12 %", 120, .sd = .01, .levels = {{40, 80, .12}}},
	{"fixed step, live +12 % of 7 nights", 120, .sd = .01,
		.levels = {{40, 80, .12}, {113, 0, .12}}, .is_alert = true},
	{"fixed step, live +5 % of 7 nights", 120, .sd = .01,
		.levels = {{40, 80, .12}, {113, 0, .05}}, .is_alert = true},
	{"fixed step, 3 % noise, live +5 % of 21", 120, .sd = .03,
		.levels = {{40, 80, .20}, {99, 0, .05}}, .is_alert = true},
	{"three excursions, live +100 % of 7", 150, .sd = .01,
		.levels = {{20, 35, .3}, {55, 70, .5}, {90, 105, .3}, {143, 0, 1.0}},
		.is_alert = true},
	{"live +5 % of 7 nights", 120, .sd = .01, .levels = {{113, 0, .05}}, .is_alert = true},
	{"live +5 % of 21 nights, 3 % noise", 120, .sd = .03, .levels = {{99, 0, .05}},
		.is_alert = true},
	{"live +8 % of 4 nights", 120, .sd = .01, .levels = {{116, 0, .08}}, .is_alert = true},
	{"slower and slower in four steps", 200, .sd = .01,
		.levels = {{40, 0, .04}, {80, 0, .04}, {120, 0, .04}, {160, 0, .04}}},
	{"up, down, up, down", 240, .sd = .01,
		.levels = {{40, 70, .08}, {110, 140, -.06}, {180, 200, .1}}},
	{"excursion of 3 nights", 120, .sd = .01, .levels = {{60, 63, .15}}},
	{"excursion of 10 nights", 120, .sd = .01, .levels = {{60, 70, .15}}},
	{"drift of +15 % in a year", 365, .sd = .01, .drift = .15, .is_drifting = true},
	{"drift of -15 %, a step of +12 %", 365, .sd = .01, .drift = -.15,
		.levels = {{180, 0, .12}}, .is_drifting = true},
	{"two states, 10 % apart, in halves", 200, .sd = .01, .apart = .1, .high = .5},
	{"two states, the slower in a fifth", 200, .sd = .01, .apart = .1, .high = .2},
	{"two states, live +30 % of 7 nights", 200, .sd = .01, .apart = .1, .high = .5,
		.levels = {{193, 0, .3}}, .is_alert = true},
	{"noise grows from 1 to 4 %", 200, .sd = .01, .growth = 4},
	{"a third of nights missing, step +6 %", 120, .sd = .01, .missing = .33,
		.levels = {{60, 0, .06}}},
	{"14 nights, the last 6 +10 %", 14, .sd = .01, .levels = {{8, 0, .1}}, .is_alert = true},
};

#define NSHAPES (sizeof(shapes) / sizeof(shapes[0]))

static double
normal(struct random *random)
{
	double u = random_unit(random);
	double v = random_unit(random);

	return sqrt(-2 * log(1 - u)) * cos(2 * 3.14159265358979324 * v);
}

static double
level_of(const struct shape *shape, size_t night)
{
	double level = shape->drift * (double)night / (double)shape->nights;

	for (size_t i = 0; i < LEVELS_MAX && shape->levels[i].from > 0; i++) {
		const struct level *part = &shape->levels[i];

		if (night >= part->from && (part->to == 0 || night < part->to))
			level += log1p(part->change);
	}
	return level;
}

/* Fills entries[shape->nights] and returns how many nights were not missing. */
static size_t
make_nights(const struct shape *shape, struct history_entry *entries, struct random *random)
{
	double noise = normal(random);
	size_t n = 0;

	for (size_t night = 0; night < shape->nights; night++) {
		const double part = (double)night / (double)shape->nights;
		const double sd = shape->sd * (1 + fmax(shape->growth - 1, 0) * part);
		double value = level_of(shape, night) + sd * noise;

		if (random_unit(random) < shape->outliers)
			value += log(1.2 + 0.8 * random_unit(random));
		if (random_unit(random) < shape->high)
			value += log1p(shape->apart);
		noise = shape->rho * noise + sqrt(1 - shape->rho * shape->rho) * normal(random);
		if (random_unit(random) < shape->missing)
			continue;
		entries[n++] = (struct history_entry){
			.started = (int64_t)(night + 1) * DAY_S,
			.commit = "c",
			.metric = "cpu",
			.unit = "ns",
			.cost = 1e6 * exp(value),
			.error = NAN,
			.against = "",
			.ratio = NAN,
			.ratio_error = NAN,
			.version = "1",
			.report = "r",
			.work = "",
			.function = "",
		};
	}
	return n;
}

static double
night_of(const struct trend_night *night)
{
	const int64_t day = night->entry->started / DAY_S;

	return (double)(day - 1);
}

/* Whether a level changes there; levels that end too soon are none. */
static bool
is_expected(const struct shape *shape, const struct trend_change *change)
{
	const double first = night_of(change->surely_before) + 1 - NEAR;
	const double last = night_of(change->surely_after) + NEAR;

	for (size_t i = 0; i < LEVELS_MAX && shape->levels[i].from > 0; i++) {
		const struct level *level = &shape->levels[i];

		if (level->to > 0 && level->to - level->from < LEAST_LEVEL)
			continue;
		const double from = (double)level->from;
		const double to = (double)level->to;

		if ((first <= from && from <= last) || (to > 0 && first <= to && to <= last))
			return true;
	}
	return false;
}

static bool
is_found(const struct trend *trend, size_t night)
{
	for (size_t i = 0; i < trend->nchanges; i++) {
		const struct trend_change *change = &trend->changes[i];

		if (night_of(change->surely_before) - NEAR < (double)night &&
			(double)night <= night_of(change->surely_after) + NEAR)
			return true;
	}
	return false;
}

struct result {
	size_t expected, found, others;
	bool alerts, is_kind;
};

/* Events for the worse that last. */
static size_t
count_live(const struct trend *trend, int64_t from)
{
	struct trend_events events;

	trend_events_init(&events, trend);
	const size_t n = trend_events_count_live(&events, from);

	trend_events_release(&events);
	return n;
}

static struct result
judge(const struct shape *shape, const struct trend *trend)
{
	const struct trend_series *series = &trend->series[0];
	struct result result = {
		.alerts = count_live(trend, trend_days_from(trend, ALERT_DAYS)) > 0,
		.is_kind = series->states.found == (shape->apart > 0) &&
			   series->drift.found == shape->is_drifting,
	};

	for (size_t i = 0; i < LEVELS_MAX && shape->levels[i].from > 0; i++) {
		const struct level *level = &shape->levels[i];

		if (level->to > 0 && level->to - level->from < LEAST_LEVEL)
			continue;
		result.expected += level->to > 0 ? 2 : 1;
		result.found += is_found(trend, level->from);
		result.found += level->to > 0 && is_found(trend, level->to);
	}
	for (size_t i = 0; i < trend->nchanges; i++)
		result.others += !is_expected(shape, &trend->changes[i]);
	return result;
}

static double
run_shape(const struct shape *shape, unsigned seeds)
{
	unsigned right = 0;
	unsigned alerts = 0;
	unsigned kinds = 0;
	size_t expected = 0;
	size_t found = 0;
	size_t others = 0;
	struct history_entry *entries = mem_zalloc(shape->nights, sizeof(*entries));

	for (unsigned seed = 0; seed < seeds; seed++) {
		struct random random = {random_mix(1000 * (uint64_t)(shape - shapes) + seed)};
		struct history_file file = {.machine_class = "m",
			.workload = "w",
			.entries = entries,
			.nentries = make_nights(shape, entries, &random)};
		const struct history history = {.files = &file, .nfiles = 1};
		struct trend trend;

		trend_init(&trend, &history, &change_search_default, NULL, 0);
		struct result result = judge(shape, &trend);

		trend_release(&trend);
		expected += result.expected;
		found += result.found;
		others += result.others;
		alerts += result.alerts == shape->is_alert;
		kinds += result.is_kind;
		right += result.found == result.expected && result.others == 0 &&
			 result.alerts == shape->is_alert && result.is_kind;
	}
	free(entries);
	printf("%-40s  %5.1f %%  ", shape->name, 100.0 * right / seeds);
	if (expected > 0)
		printf("%5.1f %%", 100.0 * (double)found / (double)expected);
	else
		printf("      -");
	printf("  %11.3f  %5.1f %%  %5.1f %%\n", (double)others / seeds, 100.0 * alerts / seeds,
		100.0 * kinds / seeds);
	fflush(stdout);
	return 100.0 * right / seeds;
}

/* One history of the workload's functions, each with a step of 5 % of its own. */
static void
run_large(size_t nights, size_t functions)
{
	struct history_entry *entries = mem_zalloc(nights * functions, sizeof(*entries));
	char(*names)[32] = mem_zalloc(functions, sizeof(*names));
	struct random random = {1};

	for (size_t k = 0; k < functions; k++) {
		struct shape shape = {.nights = nights,
			.sd = .01,
			.levels = {{1 + (k * 7919) % (nights - 1), 0, .05}}};

		snprintf(names[k], sizeof(names[k]), "function_%zu", k);
		make_nights(&shape, entries + k * nights, &random);
		for (size_t i = 0; i < nights; i++)
			entries[k * nights + i].function = names[k];
	}
	struct history_file file = {.machine_class = "m",
		.workload = "w",
		.entries = entries,
		.nentries = nights * functions};
	const struct history history = {.files = &file, .nfiles = 1};
	struct trend trend;

	trend_init(&trend, &history, &change_search_default, NULL, 0);
	printf("%zu nights of %zu functions: %zu change points\n", nights, functions,
		trend.nchanges);
	trend_release(&trend);
	free(names);
	free(entries);
}

int
main(int argc, char **argv)
{
	unsigned seeds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
	double sum = 0;

	if (seeds == 0)
		return 64;
	if (argc > 3) {
		run_large(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
		return 0;
	}
	printf("%-40s  right    found    others each  alert    kind\n", "shape");
	for (size_t i = 0; i < NSHAPES; i++)
		sum += run_shape(&shapes[i], seeds);
	const size_t count = NSHAPES;

	printf("%zu shapes: %.1f %% right\n", count, sum / (double)count);
	return 0;
}
