/* Whether a change may reach a function: by the code on the sampled stacks that hold it. */
#include "compare/causes_search.h"

#include "base/mem.h"

#include <stdlib.h>

/* Whether the function of a node is one of the program whose code is not known to be the same. */
static bool
may_differ(const struct profile *profile, const struct code_states *code, node_id node)
{
	const struct ctree_node *nodes = profile->tree.nodes;
	frame_id frame = nodes[node].frame;
	enum frame_kind kind = profile->frames.frames[frame].kind;

	/*
	 * The process is no function; the kernel is not in the program; inlined code is in that of
	 * its caller.
	 */
	if (kind == FRAME_KERNEL || kind == FRAME_INLINED ||
		(nodes[node].parent == CTREE_ROOT && nodes[node].first_child != CTREE_NONE))
		return false;
	return frame >= code->nframes || code->by_frame[frame] != CODE_SAME;
}

bool
cause_is_unreachable(const struct cause_search *search, const struct code_states *code)
{
	const struct profile *profile = &search->comparison->profile;
	const struct ctree_node *nodes = profile->tree.nodes;
	size_t nnodes = profile->tree.nnodes;
	const double *weights = search->weights;
	bool *holds = mem_zalloc(nnodes, 2 * sizeof(*holds));
	bool *differs = holds + nnodes;
	bool sampled = false;
	bool same = code->nframes > 0 && code->by_frame[0] != CODE_CHANGED;

	for (size_t i = 1; i < nnodes; i++) {
		node_id parent = nodes[i].parent;

		holds[i] = holds[parent] || nodes[i].frame == search->frame;
		differs[i] = differs[parent] || may_differ(profile, code, (node_id)i);
		if (holds[i] && weights[i] > 0) {
			sampled = true;
			same = same && !differs[i];
		}
	}
	free(holds);
	return sampled && same;
}

frame_id
cause_find_changed_caller(const struct cause_search *search, const struct code_states *code)
{
	const struct profile *profile = &search->comparison->profile;
	const struct ctree_node *nodes = profile->tree.nodes;
	const size_t nnodes = profile->tree.nnodes;
	const size_t nframes = search->comparison->nframes;
	double *by_caller = mem_zalloc(nframes + 1, sizeof(*by_caller));
	frame_id *nearest = mem_zalloc(nnodes, sizeof(*nearest));
	frame_id found = 0;

	for (size_t i = 1; i < nnodes; i++) {
		const frame_id frame = nodes[i].frame;
		const frame_id caller = nearest[nodes[i].parent];

		nearest[i] = cause_code_changed(profile, code, frame) && frame != search->frame
				     ? frame
				     : caller;
		if (frame == search->frame && caller < nframes)
			by_caller[caller] += search->weights[i];
	}
	for (frame_id frame = 1; frame < nframes; frame++)
		if (by_caller[frame] > by_caller[found] || (found == 0 && by_caller[frame] > 0))
			found = frame;
	free(nearest);
	free(by_caller);
	return found;
}

/* What is known of the stacks that hold a node, or a function. */
struct stack_marks {
	bool sampled; /* some of them has samples */
	bool differs; /* code on one that has samples may differ */
};

static void
add_marks(struct stack_marks *to, const struct stack_marks *more)
{
	to->sampled = to->sampled || more->sampled;
	to->differs = to->differs || more->differs;
}

bool *
causes_reached(const struct cause_ground *ground, const struct code_states *code)
{
	const struct profile *profile = &ground->comparison->profile;
	const struct ctree_node *nodes = profile->tree.nodes;
	const size_t nnodes = profile->tree.nnodes;
	const size_t nframes = ground->comparison->nframes;
	const bool all = code->nframes == 0 || code->by_frame[0] == CODE_CHANGED;
	bool *reached = mem_zalloc(nframes + nnodes, sizeof(*reached));
	bool *differs = reached + nframes;
	struct stack_marks *marks = mem_zalloc(nframes + nnodes, sizeof(*marks));
	struct stack_marks *of_node = marks + nframes;

	for (size_t i = 1; i < nnodes; i++) {
		differs[i] = differs[nodes[i].parent] || may_differ(profile, code, (node_id)i);
		of_node[i].sampled = ground->weights[i] > 0;
		of_node[i].differs = of_node[i].sampled && differs[i];
	}
	/* Children come after their parents. */
	for (size_t i = nnodes; i-- > 1;) {
		add_marks(&marks[nodes[i].frame], &of_node[i]);
		add_marks(&of_node[nodes[i].parent], &of_node[i]);
	}
	for (frame_id frame = 1; frame < nframes; frame++)
		reached[frame] = all || frame >= code->nframes ||
				 code->by_frame[frame] != CODE_SAME || !marks[frame].sampled ||
				 marks[frame].differs;
	free(marks);
	return reached;
}
