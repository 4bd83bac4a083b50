#include "compare/phases.h"

#include "base/mem.h"
#include "compare/phase_search.h"
#include "format/figures.h"
#include "profile/weights.h"

#include <math.h>
#include <stdlib.h>

/* The start-up ends within this part of the time. */
#define STARTUP_MAX 0.5
/* A function is rare later if it has less than this part of the share that it has before. */
#define RARE 0.25
/* Rare functions have more than this part of each phase of the start-up. */
#define MOST 0.5
/* A phase with less than this part of the mean weight in each slice is a wait. */
#define WAIT 0.25
#define NS_PER_S 1e9

/*
 * The total variation between the work of two stretches: time without samples is no other work. 0
 * where a stretch has no samples.
 */
static double
difference_of_work(
	const struct phase_search *search, size_t a, size_t a_end, size_t b, size_t b_end)
{
	double first[PHASE_DIMENSIONS] = {0};
	double second[PHASE_DIMENSIONS] = {0};
	double n[2] = {0, 0};
	double sum = 0;

	for (size_t k = 0; k < PHASE_NOTHING; k++) {
		for (size_t i = a; i < a_end; i++)
			first[k] += search->shares[i][k];
		for (size_t i = b; i < b_end; i++)
			second[k] += search->shares[i][k];
		n[0] += first[k];
		n[1] += second[k];
	}
	if (!(n[0] > 0 && n[1] > 0))
		return 0;
	for (size_t k = 0; k < PHASE_NOTHING; k++)
		sum += fabs(first[k] / n[0] - second[k] / n[1]);
	return sum / 2;
}

/* Whether phase i has hardly any samples; its first and last slices may have some. */
static bool
is_wait(const struct phase_search *search, size_t i)
{
	const size_t count = search->slices.count;
	double weight = 0;
	double whole = 0;

	for (size_t slice = 0; slice < count; slice++) {
		whole += search->totals[slice];
		if (slice >= search->cuts[i] && slice < phase_search_end(search, i))
			weight += search->totals[slice];
	}
	return weight * (double)count <
	       WAIT * whole * (double)(phase_search_end(search, i) - search->cuts[i]);
}

/* Whether phase i differs from all of [first, last). */
static bool
is_unlike(const struct phase_search *search, size_t i, size_t first, size_t last)
{
	for (size_t k = first; k < last; k++)
		if (!is_wait(search, k) &&
			difference_of_work(search, search->cuts[i], phase_search_end(search, i),
				search->cuts[k], phase_search_end(search, k)) < PHASE_LEAST_CHANGE)
			return false;
	return true;
}

/* The self weight of each function in a stretch and behind it. */
struct sides_of_end {
	size_t begin; /* slices */
	size_t end;
	frame_id leaf;
	double *in; /* by frame */
	double *behind;
	double total[2];
};

static void
add_to_side(void *context, size_t slice, double weight)
{
	struct sides_of_end *sides = context;
	const bool is_behind = slice >= sides->end;

	if (slice < sides->begin)
		return;
	(is_behind ? sides->behind : sides->in)[sides->leaf] += weight;
	sides->total[is_behind] += weight;
}

/* Whether most of what is done in phase i is done by functions that are rare behind it. */
static bool
is_rare_later(const struct phase_search *search, size_t i)
{
	const size_t nframes = search->profile->frames.nframes;
	struct sides_of_end sides = {
		.begin = search->cuts[i],
		.end = phase_search_end(search, i),
		.in = mem_zalloc(nframes, sizeof(*sides.in)),
		.behind = mem_zalloc(nframes, sizeof(*sides.behind)),
	};
	double rare = 0;

	for (size_t k = 0; k < search->times->nsamples; k++) {
		sides.leaf = phase_function_of_sample(search->profile, &search->times->samples[k]);
		time_slices_spread(
			&search->slices, &search->times->samples[k], add_to_side, &sides);
	}
	for (frame_id frame = 0; frame < nframes; frame++)
		if (sides.behind[frame] * sides.total[0] < RARE * sides.in[frame] * sides.total[1])
			rare += sides.in[frame];
	free(sides.in);
	free(sides.behind);
	return rare > MOST * sides.total[0];
}

static void
describe_phases(struct phases *phases, const struct phase_search *search)
{
	const size_t count = search->slices.count;

	/* The last phase ends with the time. */
	for (size_t i = 0; !search->times->was_running &&
			   (double)phase_search_end(search, i) <= STARTUP_MAX * (double)count;
		i++) {
		/* A wait, before the start-up or in it. */
		if (is_wait(search, i))
			continue;
		if (!is_unlike(search, i, i + 1, phases->count) || !is_rare_later(search, i))
			break;
		phases->startup = i + 1;
	}
	phases->ends_otherwise =
		phases->count > phases->startup + 1 && !is_wait(search, phases->count - 1) &&
		is_unlike(search, phases->count - 1, phases->startup, phases->count - 1);
}

/* Adds up what is in phase i. */
static void
measure_phase(struct phases *phases, const struct phase_search *search, size_t i)
{
	struct phase *phase = &phases->items[i];
	double self[PHASE_FUNCTIONS] = {0};
	double most = 0;

	for (size_t slice = search->cuts[i]; slice < phase_search_end(search, i); slice++) {
		phase->weight += search->totals[slice];
		for (size_t k = 0; k < PHASE_FUNCTIONS; k++)
			self[k] += search->shares[slice][k] * search->totals[slice];
	}
	for (size_t k = 0; k < PHASE_FUNCTIONS; k++) {
		if (self[k] > most) {
			most = self[k];
			phase->function = search->functions[k];
		}
	}
	phase->function_share = phase->weight > 0 ? most / phase->weight : 0;
	phases->weight += phase->weight;
}

static void
make_phases(struct phases *phases, const struct phase_search *search)
{
	const struct time_slices *slices = &search->slices;

	phases->count = search->ncuts;
	phases->items = mem_zalloc(phases->count, sizeof(*phases->items));
	for (size_t i = 0; i < phases->count; i++) {
		phases->items[i].begin_ns = slices->begin_ns + search->cuts[i] * slices->slice_ns;
		phases->items[i].end_ns =
			i + 1 < phases->count
				? slices->begin_ns + search->cuts[i + 1] * slices->slice_ns
				: search->times->end_ns;
		measure_phase(phases, search, i);
	}
}

void
phases_find(struct phases *phases, const struct profile *profile, const struct sample_times *times)
{
	struct phase_search search;

	*phases = (struct phases){0};
	if (!phase_search_make(&search, profile, times))
		return;
	make_phases(phases, &search);
	describe_phases(phases, &search);
	phase_search_release(&search);
}

void
phases_release(struct phases *phases)
{
	free(phases->items);
	*phases = (struct phases){0};
}

uint64_t
phases_startup_ns(const struct phases *phases)
{
	return phases->startup > 0 ? phases->items[phases->startup - 1].end_ns : 0;
}

double
phases_startup_share(const struct phases *phases)
{
	double weight = 0;

	for (size_t i = 0; i < phases->startup; i++)
		weight += phases->items[i].weight;
	return phases->weight > 0 ? weight / phases->weight : 0;
}

void
phases_put_time(const struct phase *phase, struct buf *out)
{
	format_duration(out, (double)phase->begin_ns / NS_PER_S);
	buf_puts(out, " to ");
	format_duration(out, (double)phase->end_ns / NS_PER_S);
}

void
phases_put(const struct phases *phases, const struct profile *profile, size_t i, struct buf *out)
{
	const struct phase *phase = &phases->items[i];

	if (i < phases->startup)
		buf_puts(out, "start-up, ");
	format_percent(out, phases->weight > 0 ? phase->weight / phases->weight : 0);
	buf_printf(out, " of the %s", weights_noun(profile));
	if (phase->function == 0)
		return;
	buf_puts(out, ", ");
	format_percent(out, phase->function_share);
	buf_puts(out, " of that in ");
	profile_put_frame(profile, phase->function, out);
}
