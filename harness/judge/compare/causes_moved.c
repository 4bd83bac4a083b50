/* Whether a cost only moved, and within which domain: the rule is in causes.h. */
#include "compare/causes_search.h"

#include "base/mem.h"
#include "base/sort.h"
#include "compare/name_parts.h"
#include "compare/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The former name of a new function: one that is gone, with similar callers and callees. */

/* The part of two functions' samples that has the same neighbours. */
#define LEAST_ALIKE 0.5
/* They cost the same within this factor. */
#define MOST_RATIO 2

/*
 * How much of a function's samples has this neighbour. Callers are keyed by frame, callees by frame
 * + nframes, and its own code by nframes alone; neighbours that are new or gone are all frame 0,
 * as they may have been renamed as well.
 */
struct edge {
	frame_id of;
	uint64_t key;
	double weight;
};

struct edges {
	struct edge *edges; /* owned */
	size_t n;
	size_t capacity;
};

static frame_id
neighbour(const struct cause_search *search, frame_id frame)
{
	const struct comparison *comparison = search->comparison;
	const struct effect *total = &search->total[frame];

	return comparison_is_new(comparison, total) || comparison_is_gone(comparison, total)
		       ? 0
		       : search->same[frame];
}

static void
add_edge(struct edges *edges, frame_id of, uint64_t key, double weight)
{
	edges->edges =
		mem_grow(edges->edges, &edges->capacity, edges->n + 1, sizeof(*edges->edges));
	edges->edges[edges->n++] = (struct edge){of, key, weight};
}

static int
compare_edges(const void *left, const void *right)
{
	const struct edge *a = left;
	const struct edge *b = right;
	int order = sort_order(a->of, b->of);

	/* Numbers of frames, and twice that: a double has them exactly. */
	return order != 0 ? order : sort_order((double)a->key, (double)b->key);
}

/*
 * The edges of the function after (`wanted`) and of all that are gone before, sorted, those with
 * the same key in one.
 */
static void
collect(const struct cause_search *search, const bool *wanted, size_t first, size_t count,
	struct edges *edges)
{
	const struct comparison *comparison = search->comparison;
	const struct ctree *tree = &comparison->profile.tree;
	uint64_t nframes = comparison->nframes;
	double *own = mem_zalloc(tree->nnodes, 2 * sizeof(*own));
	double *total = own + tree->nnodes;

	ctree_sum(tree, first, count, own);
	ctree_sum(tree, first, count, total);
	ctree_totals(tree, total);
	for (size_t i = 1; i < tree->nnodes; i++) {
		frame_id frame = tree->nodes[i].frame;
		frame_id parent = tree->nodes[tree->nodes[i].parent].frame;

		if (wanted[search->code[i]] && own[i] > 0)
			add_edge(edges, search->code[i], nframes, own[i]);
		if (frame == parent || !(total[i] > 0))
			continue;
		if (wanted[frame])
			add_edge(edges, frame, neighbour(search, parent), total[i]);
		if (wanted[parent] &&
			comparison->profile.frames.frames[frame].kind != FRAME_INLINED)
			add_edge(edges, parent, nframes + 1 + neighbour(search, frame), total[i]);
	}
	free(own);
	if (edges->n == 0)
		return;
	qsort(edges->edges, edges->n, sizeof(*edges->edges), compare_edges);
	size_t kept = 0;

	for (size_t i = 1; i < edges->n; i++) {
		if (compare_edges(&edges->edges[kept], &edges->edges[i]) == 0)
			edges->edges[kept].weight += edges->edges[i].weight;
		else
			edges->edges[++kept] = edges->edges[i];
	}
	edges->n = kept + 1;
}

enum { CALLERS, CALLEES, DIRECTIONS };

static void
sum_weights(const struct edge *edges, size_t n, uint64_t nframes, double sums[DIRECTIONS])
{
	sums[CALLERS] = sums[CALLEES] = 0;
	for (size_t i = 0; i < n; i++)
		sums[edges[i].key < nframes ? CALLERS : CALLEES] += edges[i].weight;
}

/* The part that both have in common, the smaller one of callers and of callees. Both are sorted. */
static double
alike(const struct edge *a, size_t na, const struct edge *b, size_t nb, uint64_t nframes)
{
	double sums_a[DIRECTIONS];
	double sums_b[DIRECTIONS];
	double common[DIRECTIONS] = {0};
	size_t k = 0;

	sum_weights(a, na, nframes, sums_a);
	sum_weights(b, nb, nframes, sums_b);
	for (size_t i = 0; i < na; i++) {
		int direction = a[i].key < nframes ? CALLERS : CALLEES;

		while (k < nb && b[k].key < a[i].key)
			k++;
		if (k < nb && b[k].key == a[i].key)
			common[direction] += fmin(
				a[i].weight / sums_a[direction], b[k].weight / sums_b[direction]);
	}
	return fmin(common[CALLERS], common[CALLEES]);
}

static bool
costs_alike(const struct cause_search *search, frame_id former)
{
	double before = search->comparison->self[former].before_cost * search->speed;
	double after = search->comparison->self[search->frame].after_cost;

	return before <= MOST_RATIO * after && after <= MOST_RATIO * before;
}

/* Among functions that are gone, the one that is most alike; ties by name. */
static frame_id
most_alike(const struct cause_search *search, const struct edges *own, const struct edges *gone)
{
	double most = LEAST_ALIKE;
	frame_id best = 0;
	size_t next;

	for (size_t i = 0; i < gone->n; i = next) {
		frame_id former = gone->edges[i].of;

		for (next = i; next < gone->n && gone->edges[next].of == former;)
			next++;
		double here = alike(
			own->edges, own->n, gone->edges + i, next - i, search->comparison->nframes);

		if (here < most ||
			(here == most && best && cause_compare_frames(search, best, former) < 0))
			continue;
		most = here;
		best = former;
	}
	return best;
}

/* The function that is gone and that this new one may have been; 0: none. */
static frame_id
former_name(const struct cause_search *search)
{
	const struct comparison *comparison = search->comparison;
	bool *wanted = mem_zalloc(comparison->nframes, sizeof(*wanted));
	struct edges own = {0};
	struct edges gone = {0};
	bool any = false;
	frame_id former = 0;

	for (frame_id frame = 1; frame < comparison->nframes; frame++) {
		wanted[frame] = comparison_is_gone(comparison, &comparison->self[frame]) &&
				costs_alike(search, frame);
		any = any || wanted[frame];
	}
	if (any && comparison_is_new(comparison, &comparison->self[search->frame])) {
		collect(search, wanted, 0, comparison->nbefore, &gone);
		memset(wanted, 0, comparison->nframes * sizeof(*wanted));
		wanted[search->frame] = true;
		collect(search, wanted, comparison->nbefore, comparison->nafter, &own);
		former = most_alike(search, &own, &gone);
	}
	free(own.edges);
	free(gone.edges);
	free(wanted);
	return former;
}

/* The domains. */

/* One-sided; and the part of the function's growth that the bound must stay below. */
#define BOUND_ALPHA 0.05
#define BOUND_PART 0.5
/* A domain with a larger share of the program counts as the program. */
#define MOST_SHARE 0.9
/* A caller is common if it holds this part of the function's samples. */
#define COMMON_PART 0.5
/* How many of the callers that are common, the nearest ones, are tried. */
#define CALLERS_TRIED 3
/* A function that lost this part of the growth is where the cost came from. */
#define FROM_PART 0.5

struct domain {
	enum cause_domain kind;
	const char *name; /* borrowed, or the arena's */
	bool leaf_only;
	bool *member; /* by frame; owned */
	struct effect effect;
	double most; /* upper bound of its growth in cost */
};

static bool *
new_member(const struct cause_search *search)
{
	return mem_zalloc(search->comparison->nframes, sizeof(bool));
}

static double
size_of(const struct effect *effect)
{
	return fmax(effect->before_share, effect->after_share);
}

/* Whether the domain's growth is surely less than half of the function's. */
static bool
holds(const struct cause_search *search, struct domain *domain)
{
	const struct effect *effect = &domain->effect;

	if (!effect->tested || effect->relative != search->relative ||
		!(size_of(effect) <= MOST_SHARE))
		return false;
	double df = effect->df > 0 ? effect->df : INFINITY;
	double reach = stats_t_quantile(BOUND_ALPHA, df) * effect->standard_error;

	domain->most = expm1(log1p(effect->change) + reach) * effect->before_cost * search->speed;
	return domain->most < BOUND_PART * search->causes->growth;
}

/* Tries a domain: it becomes *best if it holds and is smaller. Takes its members over. */
static void
try_domain(const struct cause_search *search, struct domain *domain, struct domain *best)
{
	comparison_group(search->comparison, &search->model, domain->member, domain->leaf_only,
		&domain->effect);
	if (holds(search, domain) &&
		(best->kind == DOMAIN_NONE || size_of(&domain->effect) < size_of(&best->effect))) {
		free(best->member);
		*best = *domain;
	} else {
		free(domain->member);
	}
	domain->member = NULL;
}

/* The function and `other`, whether inlined or not, with all they call. */
static bool *
with_calls(const struct cause_search *search, frame_id other)
{
	bool *member = new_member(search);
	frame_id self = search->same[search->frame];

	for (frame_id frame = 1; frame < search->comparison->nframes; frame++)
		member[frame] = search->same[frame] == self || search->same[frame] == other;
	return member;
}

static void
try_callees(const struct cause_search *search, struct domain *best)
{
	struct domain domain = {.kind = DOMAIN_CALLEES,
		.name = profile_frame_name(&search->comparison->profile, search->frame),
		.member = with_calls(search, search->same[search->frame])};

	try_domain(search, &domain, best);
}

/*
 * above[frame]: weight of the function's own samples below it on their paths. Both sides count: a
 * caller that only one of them has may be what the other one inlined.
 */
static double *
find_above(const struct cause_search *search, double *own)
{
	const struct ctree *paths = &search->paths->tree;
	const struct profile *profile = &search->comparison->profile;
	size_t nnodes = profile->tree.nnodes;
	double *weights = mem_zalloc(nnodes, sizeof(*weights));
	double *below = mem_zalloc(paths->nnodes, sizeof(*below));
	double *above = mem_zalloc(search->comparison->nframes, sizeof(*above));
	uint32_t *slot = cause_own_paths(search);

	ctree_sum(&profile->tree, 0, profile->nruns, weights);
	for (size_t i = 1; i < nnodes; i++) {
		if (slot[i] != CAUSE_NOWHERE)
			below[slot[i]] += weights[i];
	}
	ctree_totals(paths, below);
	/* A process is no caller, nor is what calls main. */
	bool *excluded = mem_zalloc(paths->nnodes, sizeof(*excluded));

	for (size_t i = paths->nnodes; i-- > 1;) {
		const struct ctree_node *node = &paths->nodes[i];
		bool is_main = strcmp(profile_frame_name(profile, node->frame), "main") == 0;

		excluded[i] = excluded[i] || is_main || node->parent == CTREE_ROOT;
		excluded[node->parent] = excluded[node->parent] || excluded[i];
	}
	for (size_t i = 1; i < paths->nnodes; i++) {
		if (!excluded[i])
			above[paths->nodes[i].frame] += below[i];
	}
	*own = below[CTREE_ROOT];
	free(excluded);
	free(slot);
	free(below);
	free(weights);
	return above;
}

/* Among two common callers, the one that costs less lies nearer. */
static bool
is_nearer(const struct cause_search *search, frame_id a, frame_id b)
{
	double size_a = size_of(&search->total[a]);
	double size_b = size_of(&search->total[b]);

	return size_a != size_b ? size_a < size_b : cause_compare_frames(search, a, b) < 0;
}

static void
try_callers(const struct cause_search *search, struct domain *best)
{
	const struct comparison *comparison = search->comparison;
	frame_id nearest[CALLERS_TRIED + 1];
	size_t n = 0;
	double own;
	double *above = find_above(search, &own);

	for (frame_id frame = 1; frame < comparison->nframes; frame++) {
		const char *name = profile_frame_name(&comparison->profile, frame);

		if (!(above[frame] >= COMMON_PART * own) || !(own > 0) ||
			frame == search->same[search->frame] || frame_name_is_mark(name))
			continue;
		size_t at = n;

		for (; at > 0 && is_nearer(search, frame, nearest[at - 1]); at--)
			nearest[at] = nearest[at - 1];
		nearest[at] = frame;
		n = n < CALLERS_TRIED ? n + 1 : n;
	}
	free(above);
	for (size_t i = 0; i < n; i++) {
		struct domain domain = {.kind = DOMAIN_CALLER,
			.name = profile_frame_name(&comparison->profile, nearest[i]),
			.member = with_calls(search, nearest[i])};

		try_domain(search, &domain, best);
	}
}

static bool
class_of(const struct cause_search *search, frame_id frame, struct buf *out)
{
	const char *name = profile_frame_name(&search->comparison->profile, frame);

	return class_name(name, strlen(name), out);
}

static void
try_class(const struct cause_search *search, struct domain *best)
{
	struct buf wanted = {0};
	struct buf found = {0};

	if (class_of(search, search->frame, &wanted)) {
		struct domain domain = {.kind = DOMAIN_CLASS,
			.name = arena_strdup(search->arena, buf_text(&wanted)),
			.leaf_only = true,
			.member = new_member(search)};

		for (frame_id frame = 1; frame < search->comparison->nframes; frame++)
			domain.member[frame] = class_of(search, frame, &found) &&
					       strcmp(buf_text(&wanted), buf_text(&found)) == 0;
		try_domain(search, &domain, best);
	}
	buf_release(&wanted);
	buf_release(&found);
}

static void
try_file(const struct cause_search *search, struct domain *best)
{
	const struct profile *profile = &search->comparison->profile;
	str_id file = profile->frames.frames[search->frame].file;

	if (file == 0)
		return;
	struct domain domain = {.kind = DOMAIN_FILE,
		.name = strtab_str(&profile->strings, file),
		.leaf_only = true,
		.member = new_member(search)};

	for (frame_id frame = 1; frame < search->comparison->nframes; frame++)
		domain.member[frame] = profile->frames.frames[frame].file == file;
	try_domain(search, &domain, best);
}

static void
try_names(const struct cause_search *search, struct domain *best)
{
	frame_id former = former_name(search);

	if (!former)
		return;
	struct domain domain = {.kind = DOMAIN_NAMES,
		.name = profile_frame_name(&search->comparison->profile, former),
		.leaf_only = true,
		.member = new_member(search)};

	domain.member[search->frame] = true;
	domain.member[former] = true;
	try_domain(search, &domain, best);
}

/* The function within the domain that lost about as much, if any lost enough. */
static void
find_from(const struct cause_search *search, const struct domain *domain)
{
	const struct comparison *comparison = search->comparison;
	size_t nnodes = comparison->profile.tree.nnodes;
	struct causes *causes = search->causes;
	bool *covered = functions_covered(&comparison->profile, domain->member, domain->leaf_only);
	uint32_t *slot = mem_zalloc(nnodes, sizeof(*slot));
	double *before = mem_zalloc(comparison->nframes + 1, 2 * sizeof(*before));
	double *after = before + comparison->nframes + 1;
	double nearest = INFINITY;

	for (size_t i = 0; i < nnodes; i++)
		slot[i] = covered[i] ? search->code[i] : CAUSE_NOWHERE;
	cause_costs(search, slot, comparison->nframes, before, after);
	for (frame_id frame = 1; frame < comparison->nframes; frame++) {
		double lost = before[frame] - after[frame];

		double apart = fabs(lost - causes->growth);

		if (frame == search->frame || lost < FROM_PART * causes->growth ||
			apart > nearest ||
			(apart == nearest && cause_compare_frames(search, causes->from, frame) < 0))
			continue;
		nearest = apart;
		causes->from = frame;
	}
	causes->from_gone =
		causes->from && comparison_is_gone(comparison, &comparison->self[causes->from]);
	free(before);
	free(slot);
	free(covered);
}

void
cause_find_moved(const struct cause_search *search)
{
	struct domain best = {.kind = DOMAIN_NONE};
	struct causes *causes = search->causes;

	if (!(causes->growth > 0))
		return;
	try_names(search, &best);
	try_callees(search, &best);
	try_callers(search, &best);
	try_class(search, &best);
	try_file(search, &best);
	if (best.kind == DOMAIN_NONE)
		return;
	causes->moved = best.kind;
	causes->domain = arena_strdup(search->arena, best.name);
	causes->domain_effect = best.effect;
	causes->domain_most = best.most;
	find_from(search, &best);
	free(best.member);
}
