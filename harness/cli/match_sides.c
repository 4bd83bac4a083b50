#include "cli/match_sides.h"

#include "base/mem.h"
#include "profile/profile.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A process with a smaller share of a side is not the profiled program. */
#define MAIN_SHARE 0.5

static bool
has_costs(const struct profile *profile)
{
	for (size_t run = 0; run < profile->nruns; run++)
		if (profile->runs[run].cost_total > 0)
			return true;
	return false;
}

/* Replaces the runs by one run, their sum. */
static void
sum_runs(struct profile *profile)
{
	struct ctree *tree = &profile->tree;
	double *sums = mem_zalloc(tree->nnodes, sizeof(*sums));
	double total = 0;

	ctree_sum(tree, 0, profile->nruns, sums);
	profile_drop_runs(profile, 0);
	size_t column = profile_add_run(profile);

	for (size_t node = 1; node < tree->nnodes; node++) {
		total += sums[node];
		if (sums[node] > 0)
			ctree_add(tree, column, (node_id)node, sums[node]);
	}
	profile->runs[column].samples = (uint64_t)llround(total);
	free(sums);
}

/*
 * Makes both sides sums of runs if one of them is. Folded text without runs is the sum of an
 * unknown number of runs. If the other side has several runs with weights but no costs, these are
 * summed, too: their mean would be smaller than the sum by their number.
 */
static void
match_sums(struct profile *before, struct profile *after)
{
	if ((before->nruns == 1) == (after->nruns == 1) || has_costs(before) || has_costs(after))
		return;
	sum_runs(before->nruns > 1 ? before : after);
}

static const char *
root_name(const struct profile *profile, node_id node)
{
	return profile_frame_name(profile, profile->tree.nodes[node].frame);
}

static bool
has_root(const struct profile *profile, const char *name)
{
	const struct ctree_node *nodes = profile->tree.nodes;

	for (node_id node = nodes[CTREE_ROOT].first_child; node != CTREE_NONE;
		node = nodes[node].next_sibling) {
		if (strcmp(root_name(profile, node), name) == 0)
			return true;
	}
	return false;
}

/*
 * The root frame that has most of the weight, if `other` has no root of its name; else CTREE_ROOT.
 */
static node_id
main_root(const struct profile *profile, const struct profile *other)
{
	const struct ctree *tree = &profile->tree;
	double *totals = mem_zalloc(tree->nnodes, sizeof(*totals));
	node_id largest = CTREE_ROOT;
	double most = 0;

	ctree_sum(tree, 0, profile->nruns, totals);
	ctree_totals(tree, totals);
	for (node_id node = tree->nodes[CTREE_ROOT].first_child; node != CTREE_NONE;
		node = tree->nodes[node].next_sibling) {
		if (totals[node] > most) {
			most = totals[node];
			largest = node;
		}
	}
	if (!(most > MAIN_SHARE * totals[CTREE_ROOT]) ||
		has_root(other, root_name(profile, largest)))
		largest = CTREE_ROOT;
	free(totals);
	return largest;
}

static void
rename_root(struct profile *profile, node_id node, const char *name)
{
	profile->tree.nodes[node].frame = profile_frame(profile, name, strlen(name), FRAME_USER);
}

/*
 * Gives the profiled program one name. Stacks begin with the name of the process, so that those of
 * old-prog and new-prog would have nothing in common. Where one process has most of each side and
 * is not on the other, both become "old-prog -> new-prog" (a real arrow).
 */
static void
match_roots(struct profile *before, struct profile *after)
{
	node_id old = main_root(before, after);
	node_id new = old == CTREE_ROOT ? CTREE_ROOT : main_root(after, before);

	if (new == CTREE_ROOT)
		return;
	char *name =
		mem_printf("%s \xe2\x86\x92 %s", root_name(before, old), root_name(after, new));

	rename_root(before, old, name);
	rename_root(after, new, name);
	free(name);
}

static bool
has_frame(const struct profile *profile, const char *name, enum frame_kind kind)
{
	str_id id = strtab_find(&profile->strings, name, strlen(name));
	frame_id frame;

	return id != 0 && frame_find(&profile->frames, id, kind, &frame);
}

/*
 * Turns inlined frames of a function into called ones if the other build calls it and never inlines
 * it: otherwise it would be two frames, one gone and one new. The effect of inlining is then a
 * change of the function. A frame is changed only if the other profile has no inlined one of its
 * name, so the order of the two profiles does not matter.
 */
static void
match_inlined(struct profile *before, struct profile *after)
{
	struct profile *const sides[] = {before, after};

	for (int side = 0; side < 2; side++) {
		struct profile *profile = sides[side];
		const struct profile *other = sides[!side];

		for (frame_id id = 1; id < profile->frames.nframes; id++) {
			struct frame *frame = &profile->frames.frames[id];
			const char *name = profile_frame_name(profile, id);

			if (frame->kind == FRAME_INLINED && has_frame(other, name, FRAME_USER) &&
				!has_frame(other, name, FRAME_INLINED))
				frame->kind = FRAME_USER;
		}
	}
}

void
match_sides(struct profile *before, struct profile *after)
{
	match_sums(before, after);
	match_roots(before, after);
	match_inlined(before, after);
}
