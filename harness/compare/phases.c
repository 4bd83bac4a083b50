#include "compare/phases.h"

#include "base/mem.h"
#include "base/random.h"
#include "format/figures.h"
#include "profile/time_slices.h"
#include "profile/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS 16
#define OTHERS FUNCTIONS
#define NOTHING (FUNCTIONS + 1)
#define DIMENSIONS (FUNCTIONS + 2)
#define SLICES_MIN 10
#define SLICES_MAX 100
#define SAMPLES_PER_SLICE 10
#define PART_MIN 2
#define PERMUTATIONS 199
#define ALPHA 0.01
#define LEAST_CHANGE 0.15
#define STARTUP_MAX 0.5
#define NS_PER_S 1e9

/* One search. */
struct search {
	const struct profile *profile;
	const struct sample_times *times;
	struct time_slices slices;
	frame_id functions[FUNCTIONS];
	uint8_t *dimension; /* by frame */
	double (*shares)[DIMENSIONS];
	double (*roots)[DIMENSIONS];
	double *totals; /* by slice */
	size_t *order;  /* of slices, for permutations */
	struct random random;
	size_t *cuts; /* where phases begin, ascending */
	size_t ncuts;
};

/*
 * The function that a sample is of. Work of the kernel is its caller's: page faults of the first
 * round of a loop are no other work than its later rounds.
 */
static frame_id
leaf_of(const struct profile *profile, const struct timed_sample *sample)
{
	const struct ctree_node *nodes = profile->tree.nodes;
	const struct frame *frames = profile->frames.frames;
	node_id node = sample->node;

	while (node != CTREE_ROOT && frames[nodes[node].frame].kind == FRAME_KERNEL)
		node = nodes[node].parent;
	/* The outermost frame is the process. */
	const bool is_function = node != CTREE_ROOT && nodes[node].parent != CTREE_ROOT;

	return nodes[is_function ? node : sample->node].frame;
}

/* Finds the functions that have a dimension of their own. */
static void
choose_functions(struct search *search)
{
	const struct profile *profile = search->profile;
	const size_t nframes = profile->frames.nframes;
	double *self = mem_zalloc(nframes, sizeof(*self));

	search->dimension = mem_zalloc(nframes, sizeof(*search->dimension));
	memset(search->dimension, OTHERS, nframes);
	for (size_t i = 0; i < search->times->nsamples; i++)
		self[leaf_of(profile, &search->times->samples[i])] +=
			search->times->samples[i].weight;
	for (uint8_t k = 0; k < FUNCTIONS; k++) {
		frame_id most = 0;

		for (frame_id frame = 1; frame < nframes; frame++)
			if (self[frame] > self[most])
				most = frame;
		if (most == 0)
			break;
		search->functions[k] = most;
		search->dimension[most] = k;
		self[most] = 0;
	}
	free(self);
}

struct filling {
	struct search *search;
	uint8_t dimension;
};

static void
add_share(void *context, size_t slice, double weight)
{
	const struct filling *filling = context;

	filling->search->shares[slice][filling->dimension] += weight;
}

static void
fill_slices(struct search *search)
{
	for (size_t i = 0; i < search->times->nsamples; i++) {
		const struct timed_sample *sample = &search->times->samples[i];
		struct filling filling = {
			search, search->dimension[leaf_of(search->profile, sample)]};

		time_slices_spread(&search->slices, sample, add_share, &filling);
	}
	for (size_t i = 0; i < search->slices.count; i++) {
		double sum = 0;

		for (size_t k = 0; k < DIMENSIONS; k++)
			sum += search->shares[i][k];
		search->totals[i] = sum;
		if (!(sum > 0))
			search->shares[i][NOTHING] = sum = 1;
		for (size_t k = 0; k < DIMENSIONS; k++) {
			search->shares[i][k] /= sum;
			search->roots[i][k] = sqrt(search->shares[i][k]);
		}
	}
}

/* The best division of the slices order[from..to), and *q there; 0 where it is too short. */
static size_t
divide(const struct search *search, size_t from, size_t to, double *q)
{
	double all[DIMENSIONS] = {0};
	double head[DIMENSIONS] = {0};
	const double n = (double)(to - from);
	size_t best = 0;

	*q = 0;
	for (size_t i = from; i < to; i++)
		for (size_t k = 0; k < DIMENSIONS; k++)
			all[k] += search->roots[search->order[i]][k];
	for (size_t t = from + 1; t + PART_MIN <= to; t++) {
		const double m = (double)(t - from);
		double apart = 0;

		for (size_t k = 0; k < DIMENSIONS; k++) {
			head[k] += search->roots[search->order[t - 1]][k];
			const double d = head[k] / m - (all[k] - head[k]) / (n - m);

			apart += d * d;
		}
		if (t - from >= PART_MIN && m * (n - m) / n * apart > *q) {
			*q = m * (n - m) / n * apart;
			best = t;
		}
	}
	return best;
}

static void
reset_order(struct search *search, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		search->order[i] = i;
}

static bool
is_rare(struct search *search, size_t from, size_t to, double q)
{
	unsigned reached = 0;

	for (unsigned i = 0; i < PERMUTATIONS; i++) {
		double permuted;

		for (size_t left = to - from; left > 1; left--) {
			const size_t other =
				from + (size_t)(random_unit(&search->random) * (double)left);
			const size_t swapped = search->order[from + left - 1];

			search->order[from + left - 1] = search->order[other];
			search->order[other] = swapped;
		}
		divide(search, from, to, &permuted);
		reached += permuted >= q;
	}
	reset_order(search, from, to);
	return (1.0 + reached) / (1.0 + PERMUTATIONS) <= ALPHA;
}

/* The part of the samples that are in other functions in one of two stretches. */
static double
difference(const struct search *search, size_t a, size_t a_end, size_t b, size_t b_end)
{
	double sum = 0;

	for (size_t k = 0; k < DIMENSIONS; k++) {
		double first = 0;
		double second = 0;

		for (size_t i = a; i < a_end; i++)
			first += search->shares[i][k];
		for (size_t i = b; i < b_end; i++)
			second += search->shares[i][k];
		sum += fabs(first / (double)(a_end - a) - second / (double)(b_end - b));
	}
	return sum / 2;
}

static void
find_cuts(struct search *search, size_t from, size_t to)
{
	double q;
	size_t at;

	at = divide(search, from, to, &q);
	if (at == 0 || difference(search, from, at, at, to) < LEAST_CHANGE ||
		!is_rare(search, from, to, q))
		return;
	find_cuts(search, from, at);
	search->cuts[search->ncuts++] = at;
	find_cuts(search, at, to);
}

static size_t
cut_end(const struct search *search, size_t i)
{
	return i + 1 < search->ncuts ? search->cuts[i + 1] : search->slices.count;
}

/* Whether phase i differs from all of [first, last). */
static bool
is_unlike(const struct search *search, size_t i, size_t first, size_t last)
{
	for (size_t k = first; k < last; k++)
		if (difference(search, search->cuts[i], cut_end(search, i), search->cuts[k],
			    cut_end(search, k)) < LEAST_CHANGE)
			return false;
	return true;
}

static void
describe(struct phases *phases, const struct search *search)
{
	const size_t count = search->slices.count;

	/* The last phase ends with the time. */
	while (!search->times->was_running &&
		(double)cut_end(search, phases->startup) <= STARTUP_MAX * (double)count &&
		is_unlike(search, phases->startup, phases->startup + 1, phases->count))
		phases->startup++;
	phases->ends_otherwise =
		phases->count > phases->startup + 1 &&
		is_unlike(search, phases->count - 1, phases->startup, phases->count - 1);
}

/* Adds up what is in phase i. */
static void
measure(struct phases *phases, const struct search *search, size_t i)
{
	struct phase *phase = &phases->items[i];
	double self[FUNCTIONS] = {0};
	double most = 0;

	for (size_t slice = search->cuts[i]; slice < cut_end(search, i); slice++) {
		phase->weight += search->totals[slice];
		for (size_t k = 0; k < FUNCTIONS; k++)
			self[k] += search->shares[slice][k] * search->totals[slice];
	}
	for (size_t k = 0; k < FUNCTIONS; k++) {
		if (self[k] > most) {
			most = self[k];
			phase->function = search->functions[k];
		}
	}
	phase->function_share = phase->weight > 0 ? most / phase->weight : 0;
	phases->weight += phase->weight;
}

static void
make_phases(struct phases *phases, const struct search *search)
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
		measure(phases, search, i);
	}
}

void
phases_find(struct phases *phases, const struct profile *profile, const struct sample_times *times)
{
	const size_t n = times->nsamples;
	struct search search = {.profile = profile, .times = times, .random = {random_mix(1)}};
	size_t count = n / SAMPLES_PER_SLICE;

	*phases = (struct phases){0};
	count = count > SLICES_MAX ? SLICES_MAX : count;
	if (count < SLICES_MIN)
		return;
	uint64_t begin_ns = times->samples[0].begin_ns;

	for (size_t i = 0; i < n; i++)
		if (times->samples[i].begin_ns < begin_ns)
			begin_ns = times->samples[i].begin_ns;
	search.slices = (struct time_slices){
		.begin_ns = begin_ns,
		.slice_ns = (times->end_ns - begin_ns + count - 1) / count,
		.count = count,
		.of_times = weights_are_times(profile),
	};
	if (search.slices.slice_ns == 0)
		return;
	search.shares = mem_zalloc(count, sizeof(*search.shares));
	search.roots = mem_zalloc(count, sizeof(*search.roots));
	search.totals = mem_zalloc(count, sizeof(*search.totals));
	search.order = mem_zalloc(count, sizeof(*search.order));
	search.cuts = mem_zalloc(count + 1, sizeof(*search.cuts));
	search.ncuts = 1;
	choose_functions(&search);
	fill_slices(&search);
	reset_order(&search, 0, count);
	find_cuts(&search, 0, count);
	make_phases(phases, &search);
	describe(phases, &search);
	free(search.dimension);
	free(search.shares);
	free(search.roots);
	free(search.totals);
	free(search.order);
	free(search.cuts);
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
