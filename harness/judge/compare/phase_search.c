#include "compare/phase_search.h"

#include "base/mem.h"
#include "profile/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SLICES_MIN 10
#define SLICES_MAX 100
#define SAMPLES_PER_SLICE 10
#define PART_MIN 2
#define PERMUTATIONS 199
#define ALPHA 0.01

frame_id
phase_function_of_sample(const struct profile *profile, const struct timed_sample *sample)
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

/* Finds the functions that have their own dimension. */
static void
choose_functions(struct phase_search *search)
{
	const struct profile *profile = search->profile;
	const size_t nframes = profile->frames.nframes;
	double *self = mem_zalloc(nframes, sizeof(*self));

	search->dimension = mem_zalloc(nframes, sizeof(*search->dimension));
	memset(search->dimension, PHASE_OTHERS, nframes);
	for (size_t i = 0; i < search->times->nsamples; i++)
		self[phase_function_of_sample(profile, &search->times->samples[i])] +=
			search->times->samples[i].weight;
	for (uint8_t k = 0; k < PHASE_FUNCTIONS; k++) {
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
	struct phase_search *search;
	uint8_t dimension;
};

static void
add_share(void *context, size_t slice, double weight)
{
	const struct filling *filling = context;

	filling->search->shares[slice][filling->dimension] += weight;
}

static void
fill_slices(struct phase_search *search)
{
	for (size_t i = 0; i < search->times->nsamples; i++) {
		const struct timed_sample *sample = &search->times->samples[i];
		struct filling filling = {search,
			search->dimension[phase_function_of_sample(search->profile, sample)]};

		time_slices_spread(&search->slices, sample, add_share, &filling);
	}
	for (size_t i = 0; i < search->slices.count; i++) {
		double sum = 0;

		for (size_t k = 0; k < PHASE_DIMENSIONS; k++)
			sum += search->shares[i][k];
		search->totals[i] = sum;
		if (!(sum > 0))
			search->shares[i][PHASE_NOTHING] = sum = 1;
		for (size_t k = 0; k < PHASE_DIMENSIONS; k++) {
			search->shares[i][k] /= sum;
			search->roots[i][k] = sqrt(search->shares[i][k]);
		}
	}
}

/* The best division of the slices order[from..to), and *q there; 0 where it is too short. */
static size_t
divide(const struct phase_search *search, size_t from, size_t to, double *q)
{
	double all[PHASE_DIMENSIONS] = {0};
	double head[PHASE_DIMENSIONS] = {0};
	const double n = (double)(to - from);
	size_t best = 0;

	*q = 0;
	for (size_t i = from; i < to; i++)
		for (size_t k = 0; k < PHASE_DIMENSIONS; k++)
			all[k] += search->roots[search->order[i]][k];
	for (size_t t = from + 1; t + PART_MIN <= to; t++) {
		const double m = (double)(t - from);
		double apart = 0;

		for (size_t k = 0; k < PHASE_DIMENSIONS; k++) {
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
reset_order(struct phase_search *search, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		search->order[i] = i;
}

static bool
is_rare(struct phase_search *search, size_t from, size_t to, double q)
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

/* The part of the samples that are in other functions in one of two stretches of slices. */
static double
difference(const struct phase_search *search, size_t a, size_t a_end, size_t b, size_t b_end)
{
	double sum = 0;

	for (size_t k = 0; k < PHASE_DIMENSIONS; k++) {
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
find_cuts(struct phase_search *search, size_t from, size_t to)
{
	double q;
	size_t at;

	at = divide(search, from, to, &q);
	if (at == 0 || difference(search, from, at, at, to) < PHASE_LEAST_CHANGE ||
		!is_rare(search, from, to, q))
		return;
	find_cuts(search, from, at);
	search->cuts[search->ncuts++] = at;
	find_cuts(search, at, to);
}

size_t
phase_search_end(const struct phase_search *search, size_t i)
{
	return i + 1 < search->ncuts ? search->cuts[i + 1] : search->slices.count;
}

/* The slices of the time; false where the samples are too few. */
static bool
cut_time(struct phase_search *search)
{
	const struct sample_times *times = search->times;
	const size_t n = times->nsamples;
	size_t count = n / SAMPLES_PER_SLICE;

	count = count > SLICES_MAX ? SLICES_MAX : count;
	if (count < SLICES_MIN)
		return false;
	uint64_t begin_ns = times->samples[0].begin_ns;

	for (size_t i = 0; i < n; i++)
		if (times->samples[i].begin_ns < begin_ns)
			begin_ns = times->samples[i].begin_ns;
	search->slices = (struct time_slices){
		.begin_ns = begin_ns,
		.slice_ns = (times->end_ns - begin_ns + count - 1) / count,
		.count = count,
		.of_times = weights_are_times(search->profile),
	};
	return search->slices.slice_ns > 0;
}

bool
phase_search_make(struct phase_search *search, const struct profile *profile,
	const struct sample_times *times)
{
	*search = (struct phase_search){
		.profile = profile, .times = times, .random = {random_mix(1)}};
	if (!cut_time(search))
		return false;
	const size_t count = search->slices.count;

	search->shares = mem_zalloc(count, sizeof(*search->shares));
	search->roots = mem_zalloc(count, sizeof(*search->roots));
	search->totals = mem_zalloc(count, sizeof(*search->totals));
	search->order = mem_zalloc(count, sizeof(*search->order));
	search->cuts = mem_zalloc(count + 1, sizeof(*search->cuts));
	search->ncuts = 1;
	choose_functions(search);
	fill_slices(search);
	reset_order(search, 0, count);
	find_cuts(search, 0, count);
	return true;
}

void
phase_search_release(struct phase_search *search)
{
	free(search->dimension);
	free(search->shares);
	free(search->roots);
	free(search->totals);
	free(search->order);
	free(search->cuts);
}
