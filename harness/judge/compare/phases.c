#include "compare/phases.h"

#include "base/mem.h"
#include "base/random.h"
#include "format/figures.h"
#include "profile/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The search: time slices as vectors, and where the series of them is divided. */

/* Dimensions of a slice: functions of their own, then all others, then time without samples. */
#define PHASE_FUNCTIONS 16
#define PHASE_OTHERS PHASE_FUNCTIONS
#define PHASE_NOTHING (PHASE_FUNCTIONS + 1)
#define PHASE_DIMENSIONS (PHASE_FUNCTIONS + 2)
/* Stretches that differ by less, as difference() has it, are one. */
#define PHASE_LEAST_CHANGE 0.15

/* One search. Profile and times are borrowed, the rest is owned. */
struct phase_search {
	const struct profile *profile;
	const struct sample_times *times;
	struct time_slices slices;
	frame_id functions[PHASE_FUNCTIONS];
	uint8_t *dimension; /* by frame */
	double (*shares)[PHASE_DIMENSIONS];
	double (*roots)[PHASE_DIMENSIONS];
	double *totals; /* by slice */
	size_t *order;  /* of slices, for permutations */
	struct random random;
	size_t *cuts; /* where phases begin, ascending */
	size_t ncuts;
};

#define SLICES_MIN 10
#define SLICES_MAX 100
#define SAMPLES_PER_SLICE 10
#define PART_MIN 2
#define PERMUTATIONS 199
#define ALPHA 0.01

/*
 * The function that a sample is of. Work of the kernel is its caller's: page faults of the first
 * round of a loop are no other work than its later rounds.
 */
static frame_id
function_of_sample(const struct profile *profile, const struct timed_sample *sample)
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
		self[function_of_sample(profile, &search->times->samples[i])] +=
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
		struct filling filling = {
			search, search->dimension[function_of_sample(search->profile, sample)]};

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

/* Behind the last slice of phase i. */
static size_t
end_of_phase(const struct phase_search *search, size_t i)
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

/* Divides the time of the samples. False where they are too few; else to be released. */
static bool
search_phases(struct phase_search *search, const struct profile *profile,
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

static void
release_search(struct phase_search *search)
{
	free(search->dimension);
	free(search->shares);
	free(search->roots);
	free(search->totals);
	free(search->order);
	free(search->cuts);
}

/* The phases that it found: their work, and the start-up. */

#define STARTUP_MAX 0.5
/* A function is rare later if it has less than this part of the share that it has before. */
#define RARE 0.25
#define MOST 0.5
/* A phase with less than this part of the mean weight in each slice is a wait. */
#define WAIT 0.25
#define NS_PER_S 1e9

/*
 * difference() of the work alone: time without samples is no other work. 0 where a
 * stretch has no samples.
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
		if (slice >= search->cuts[i] && slice < end_of_phase(search, i))
			weight += search->totals[slice];
	}
	return weight * (double)count <
	       WAIT * whole * (double)(end_of_phase(search, i) - search->cuts[i]);
}

/* Whether phase i differs from all of [first, last). */
static bool
is_unlike(const struct phase_search *search, size_t i, size_t first, size_t last)
{
	for (size_t k = first; k < last; k++)
		if (!is_wait(search, k) &&
			difference_of_work(search, search->cuts[i], end_of_phase(search, i),
				search->cuts[k], end_of_phase(search, k)) < PHASE_LEAST_CHANGE)
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
		.end = end_of_phase(search, i),
		.in = mem_zalloc(nframes, sizeof(*sides.in)),
		.behind = mem_zalloc(nframes, sizeof(*sides.behind)),
	};
	double rare = 0;

	for (size_t k = 0; k < search->times->nsamples; k++) {
		sides.leaf = function_of_sample(search->profile, &search->times->samples[k]);
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
			   (double)end_of_phase(search, i) <= STARTUP_MAX * (double)count;
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

	for (size_t slice = search->cuts[i]; slice < end_of_phase(search, i); slice++) {
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
	if (!search_phases(&search, profile, times))
		return;
	make_phases(phases, &search);
	describe_phases(phases, &search);
	release_search(&search);
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
