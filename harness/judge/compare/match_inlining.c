#include "compare/match_inlining.h"

#include "base/map.h"
#include "base/mem.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* A caller and its callee are compared from this weight on, on both sides. */
#define LEAST_WEIGHT 20
/* The inlined parts of a caller's calls differ by more than this, and by four standard errors. */
#define LEAST_APART 0.02
#define STANDARD_ERRORS 4

enum { BEFORE, AFTER, SIDES };

/* The weight of all calls from one function to another, and of those that were inlined. */
struct edge {
	double all[SIDES];
	double inlined[SIDES];
	bool differs;
};

struct edges {
	const struct profile *profile;
	struct key_map map; /* by the names of caller and callee */
	struct edge *edges; /* by number in the map */
	uint32_t *edge_of;  /* by node; KEY_MAP_NONE: it is no call between functions */
};

/* The caller of main is no function, but the process. */
static bool
is_call(const struct profile *profile, size_t node)
{
	const struct ctree_node *nodes = profile->tree.nodes;
	const enum frame_kind kind = profile->frames.frames[nodes[node].frame].kind;
	const node_id parent = nodes[node].parent;

	return (kind == FRAME_USER || kind == FRAME_INLINED) && parent != CTREE_ROOT &&
	       nodes[parent].parent != CTREE_ROOT;
}

static void
find_edges(struct edges *edges)
{
	const struct profile *profile = edges->profile;
	const struct ctree_node *nodes = profile->tree.nodes;

	edges->edge_of = mem_zalloc(profile->tree.nnodes, sizeof(*edges->edge_of));
	for (size_t i = 0; i < profile->tree.nnodes; i++) {
		edges->edge_of[i] = KEY_MAP_NONE;
		if (i == 0 || !is_call(profile, i))
			continue;
		const struct frame *frames = profile->frames.frames;
		const struct frame *caller = &frames[nodes[nodes[i].parent].frame];

		edges->edge_of[i] = key_map_add(
			&edges->map, key_of_pair(caller->name, frames[nodes[i].frame].name));
	}
	edges->edges = mem_zalloc(edges->map.count, sizeof(*edges->edges));
}

static void
weigh_edges(struct edges *edges, int side, size_t first, size_t count)
{
	const struct profile *profile = edges->profile;
	const struct ctree *tree = &profile->tree;
	double *weights = mem_zalloc(tree->nnodes, sizeof(*weights));

	ctree_sum(tree, first, count, weights);
	ctree_totals(tree, weights);
	for (size_t i = 1; i < tree->nnodes; i++) {
		if (edges->edge_of[i] == KEY_MAP_NONE)
			continue;
		struct edge *edge = &edges->edges[edges->edge_of[i]];

		edge->all[side] += weights[i];
		if (profile->frames.frames[tree->nodes[i].frame].kind == FRAME_INLINED)
			edge->inlined[side] += weights[i];
	}
	free(weights);
}

/* Two proportions, with the binomial's variance of their common one. */
static bool
differs(const struct edge *edge)
{
	const double *all = edge->all;

	if (!(all[BEFORE] >= LEAST_WEIGHT) || !(all[AFTER] >= LEAST_WEIGHT))
		return false;
	const double apart =
		fabs(edge->inlined[AFTER] / all[AFTER] - edge->inlined[BEFORE] / all[BEFORE]);
	const double common =
		(edge->inlined[BEFORE] + edge->inlined[AFTER]) / (all[BEFORE] + all[AFTER]);
	const double variance = common * (1 - common) * (1 / all[BEFORE] + 1 / all[AFTER]);

	return apart > LEAST_APART && apart > STANDARD_ERRORS * sqrt(variance);
}

static frame_id
inlined_frame(struct profile *into, frame_id frame)
{
	const struct frame called = into->frames.frames[frame];
	const frame_id id = frame_intern(&into->frames, called.name, FRAME_INLINED);
	struct frame *inlined = &into->frames.frames[id];

	if (inlined->full == 0)
		inlined->full = called.full;
	if (inlined->module == 0) {
		inlined->module = called.module;
		inlined->build_id = called.build_id;
	}
	if (inlined->file == 0) {
		inlined->file = called.file;
		inlined->line = called.line;
	}
	return id;
}

/* Copies `from` with the calls of the edges that differ as inlined ones. */
static void
copy_inlined(const struct edges *edges, struct profile *into)
{
	const struct profile *from = edges->profile;
	const struct ctree *tree = &from->tree;
	frame_id *frames = profile_append_frames(into, from, true);
	node_id *nodes = mem_zalloc(tree->nnodes, sizeof(*nodes));

	profile_describe(into, from);
	for (size_t i = 1; i < tree->nnodes; i++) {
		const uint32_t edge = edges->edge_of[i];
		frame_id frame = frames[tree->nodes[i].frame];

		if (edge != KEY_MAP_NONE && edges->edges[edge].differs)
			frame = inlined_frame(into, frame);
		nodes[i] = ctree_child_near(
			&into->tree, nodes[tree->nodes[i].parent], frame, nodes[i - 1] + 1);
	}
	profile_append_runs(into, from, nodes);
	free(nodes);
	free(frames);
}

void
match_inlining(struct profile *joined, size_t nbefore)
{
	struct edges edges = {.profile = joined};
	bool any = false;

	find_edges(&edges);
	weigh_edges(&edges, BEFORE, 0, nbefore);
	weigh_edges(&edges, AFTER, nbefore, joined->nruns - nbefore);
	for (size_t i = 0; i < edges.map.count; i++) {
		edges.edges[i].differs = differs(&edges.edges[i]);
		any = any || edges.edges[i].differs;
	}
	if (any) {
		struct profile matched;

		profile_init(&matched);
		copy_inlined(&edges, &matched);
		profile_release(joined);
		*joined = matched;
	}
	key_map_release(&edges.map);
	free(edges.edges);
	free(edges.edge_of);
}
