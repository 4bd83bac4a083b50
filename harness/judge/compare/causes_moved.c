/* Whether a cost only moved, and within which domain: the rule is in causes.h. */
#include "compare/causes_search.h"

#include "base/mem.h"
#include "compare/class_name.h"
#include "compare/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
	frame_id former = cause_find_former_name(search);

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
