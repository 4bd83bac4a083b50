#include "gate/counted_work.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* A caller tells of a function of the kernel if it has more than this part of its cost. */
#define MOST_OF_COST 0.5

/* Whether the machine code of a function, or of all functions with `frame` 0, is the same. */
static bool
is_same_code(const struct code_states *code, frame_id frame)
{
	if (!code)
		return false;
	if (frame != 0)
		return code->by_frame[frame] == CODE_SAME;
	for (size_t i = 0; i < code->nframes; i++) {
		if (code->by_frame[i] > CODE_SAME)
			return false;
	}
	return true;
}

/* The nearest function outside of the kernel above a node; 0: there is none. */
static frame_id
caller_outside(const struct profile *profile, node_id node)
{
	const struct ctree_node *nodes = profile->tree.nodes;

	while (node != CTREE_ROOT && profile->frames.frames[nodes[node].frame].kind != FRAME_USER)
		node = nodes[node].parent;
	return nodes[node].parent != CTREE_ROOT ? nodes[node].frame : 0;
}

/* The caller outside of the kernel by which most of the cost of `frame` came; 0: there is none. */
static frame_id
main_caller(const struct profile *profile, frame_id frame)
{
	double *weights = mem_zalloc(profile->frames.nframes, sizeof(*weights));
	frame_id most = 0;
	double all = 0;

	for (node_id node = 1; node < profile->tree.nnodes; node++) {
		if (profile->tree.nodes[node].frame != frame)
			continue;
		const frame_id caller = caller_outside(profile, node);

		for (size_t run = 0; run < profile->nruns; run++) {
			const double weight = ctree_weight(&profile->tree, run, node);

			weights[caller] += weight;
			all += weight;
		}
		if (caller != 0 && weights[caller] > weights[most])
			most = caller;
	}
	const double part = most != 0 && all > 0 ? weights[most] / all : 0;

	free(weights);
	return part > MOST_OF_COST ? most : 0;
}

static double
change_of(const struct instruction_counts *counts, frame_id frame)
{
	return counts->before[frame] > 0 ? counts->after[frame] / counts->before[frame] - 1 : NAN;
}

const struct counted_work *
counted_work_of(
	struct judgement *judgement, const struct test *test, const struct code_states *code)
{
	const struct instruction_counts *counts = judgement_counts(judgement);
	const struct profile *profile = &judgement->comparison.profile;

	if (!counts || test->kind != TEST_GROWTH)
		return NULL;
	const bool is_kernel =
		test->frame != 0 && profile->frames.frames[test->frame].kind == FRAME_KERNEL;
	const frame_id frame = is_kernel ? main_caller(profile, test->frame) : test->frame;

	if ((is_kernel && frame == 0) || isnan(change_of(counts, frame)))
		return NULL;
	struct counted_work *work = arena_alloc(&judgement->verdict.arena, sizeof(*work));

	*work = (struct counted_work){
		.change = change_of(counts, frame),
		.same_code = is_same_code(code, frame),
		.caller = is_kernel ? profile_frame_name(profile, frame) : NULL,
	};
	/* As many calls may each ask for more: the whole program has to do the same, too. */
	if (is_kernel && !(fabs(change_of(counts, 0)) <= CAUSES_SAME_WORK))
		work->same_code = false;
	return work;
}
