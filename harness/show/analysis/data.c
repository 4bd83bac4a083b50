#include "analysis/data.h"

#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* The walk: what is open between the root and the current node. */
struct walk {
	const struct ctree_node *nodes;
	struct recursion *found;
	node_id *innermost;   /* by frame: the last node that is open; CTREE_ROOT if none is */
	struct key_map calls; /* of a caller's frame and a callee's */
	uint32_t *open;       /* by call: how many are */
	size_t capacity;
};

static uint32_t *
open_of(struct walk *walk, node_id node)
{
	const frame_id caller = walk->nodes[walk->nodes[node].parent].frame;
	const uint32_t number =
		key_map_add(&walk->calls, key_of_pair(caller, walk->nodes[node].frame));
	const size_t known = walk->capacity;

	walk->open = mem_grow(walk->open, &walk->capacity, (size_t)number + 1, sizeof(*walk->open));
	for (size_t i = known; i < walk->capacity; i++)
		walk->open[i] = 0;
	return &walk->open[number];
}

static void
enter_frame(struct walk *walk, node_id node)
{
	node_id *innermost = &walk->innermost[walk->nodes[node].frame];
	uint32_t *open = open_of(walk, node);

	walk->found->same[node] = *innermost;
	*innermost = node;
	walk->found->call[node] = (*open)++ > 0;
}

static void
leave_frame(struct walk *walk, node_id node)
{
	walk->innermost[walk->nodes[node].frame] = walk->found->same[node];
	--*open_of(walk, node);
}

static void
walk_tree(struct walk *walk)
{
	node_id node = walk->nodes[CTREE_ROOT].first_child;

	while (node != CTREE_NONE) {
		enter_frame(walk, node);
		node_id next = walk->nodes[node].first_child;

		while (next == CTREE_NONE && node != CTREE_ROOT) {
			leave_frame(walk, node);
			next = walk->nodes[node].next_sibling;
			node = walk->nodes[node].parent;
		}
		node = next;
	}
}

static void
recursion_init(struct recursion *recursion, const struct profile *profile)
{
	const struct ctree *tree = &profile->tree;
	const struct ctree_node *nodes = tree->nodes;
	struct walk walk = {.nodes = nodes,
		.found = recursion,
		.innermost = mem_zalloc(profile->frames.nframes + 1, sizeof(node_id))};

	*recursion = (struct recursion){
		.same = mem_zalloc(tree->nnodes, sizeof(node_id)),
		.other = mem_zalloc(tree->nnodes, sizeof(node_id)),
		.top = mem_zalloc(tree->nnodes, sizeof(node_id)),
		.call = mem_zalloc(tree->nnodes, sizeof(bool)),
	};
	/* A parent's number is below its children's. */
	for (node_id node = 1; node < tree->nnodes; node++) {
		const node_id parent = nodes[node].parent;
		const bool direct =
			parent != CTREE_ROOT && nodes[parent].frame == nodes[node].frame;

		recursion->other[node] = direct ? recursion->other[parent] : parent;
		recursion->top[node] = parent == CTREE_ROOT ? node : recursion->top[parent];
	}
	walk_tree(&walk);
	key_map_release(&walk.calls);
	free(walk.open);
	free(walk.innermost);
}

static void
recursion_release(struct recursion *recursion)
{
	free(recursion->same);
	free(recursion->other);
	free(recursion->top);
	free(recursion->call);
}

static int
compare_functions(const void *a, const void *b, void *context)
{
	const struct analysis_function *x = a;
	const struct analysis_function *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return profile_compare_frames(context, x->frame, y->frame);
}

void
analysis_edges_add(const struct analysis_data *data, struct analysis_edges *edges, frame_id frame,
	double weight)
{
	if (!(weight > 0))
		return;
	if (data->scratch[frame] == 0) {
		edges->edges = mem_grow(
			edges->edges, &edges->capacity, edges->nedges + 1, sizeof(*edges->edges));
		edges->edges[edges->nedges++].frame = frame;
	}
	data->scratch[frame] += weight;
}

void
analysis_edges_end(const struct analysis_data *data, struct analysis_edges *edges)
{
	for (size_t i = 0; i < edges->nedges; i++) {
		struct function_edge *edge = &edges->edges[i];

		edge->weight = data->scratch[edge->frame];
		data->scratch[edge->frame] = 0;
	}
	if (edges->nedges > 1)
		qsort_r(edges->edges, edges->nedges, sizeof(*edges->edges), functions_compare_edges,
			(void *)data->profile);
}

static void
sum_functions(struct analysis_data *data)
{
	const struct profile *profile = data->profile;
	struct functions functions;

	functions_init(&functions, profile);
	for (frame_id frame = 1; frame < functions.nfunctions; frame++) {
		struct analysis_function one = {
			.frame = frame,
			.self = functions_self(&functions, frame, 0, profile->nruns),
			.total = functions_total(&functions, frame, 0, profile->nruns),
		};

		data->function_self[frame] = one.self;
		data->function_total[frame] = one.total;
		if (one.total > 0 && !frame_name_is_mark(profile_frame_name(profile, frame)))
			data->ranked[data->nranked++] = one;
	}
	functions_release(&functions);
	if (data->nranked > 1)
		qsort_r(data->ranked, data->nranked, sizeof(*data->ranked), compare_functions,
			(void *)profile);
	for (size_t i = 0; i < data->nranked; i++)
		if (frame_name_is_unknown(profile_frame_name(profile, data->ranked[i].frame)))
			data->unknown += data->ranked[i].self;
}

/* Counting sort: the nodes of each frame in order of their ids. */
static void
index_nodes(struct analysis_data *data)
{
	const struct ctree *tree = &data->profile->tree;
	size_t nframes = data->profile->frames.nframes;

	for (size_t i = 1; i < tree->nnodes; i++)
		data->first[tree->nodes[i].frame + 1]++;
	for (size_t frame = 1; frame <= nframes; frame++)
		data->first[frame] += data->first[frame - 1];
	size_t *next = mem_zalloc(nframes + 1, sizeof(*next));

	memcpy(next, data->first, nframes * sizeof(*next));
	for (size_t i = 1; i < tree->nnodes; i++)
		data->nodes[next[tree->nodes[i].frame]++] = (node_id)i;
	free(next);
}

void
analysis_data_init(struct analysis_data *data, const struct profile *profile)
{
	const struct ctree *tree = &profile->tree;
	size_t nframes = profile->frames.nframes;

	*data = (struct analysis_data){
		.profile = profile,
		.nlabels = profile_nlabels(profile),
		.self = mem_zalloc(tree->nnodes, sizeof(double)),
		.total = mem_zalloc(tree->nnodes, sizeof(double)),
		.code = functions_code(profile),
		.function_self = mem_zalloc(nframes, sizeof(double)),
		.function_total = mem_zalloc(nframes, sizeof(double)),
		.nodes = mem_zalloc(tree->nnodes, sizeof(node_id)),
		.first = mem_zalloc(nframes + 2, sizeof(size_t)),
		.scratch = mem_zalloc(nframes, sizeof(double)),
		.ranked = mem_zalloc(nframes, sizeof(struct analysis_function)),
	};
	ctree_sum(tree, 0, profile->nruns, data->self);
	memcpy(data->total, data->self, tree->nnodes * sizeof(double));
	ctree_totals(tree, data->total);
	data->all = data->total[CTREE_ROOT];
	sum_functions(data);
	index_nodes(data);
	recursion_init(&data->recursion, profile);
}

void
analysis_data_release(struct analysis_data *data)
{
	free(data->self);
	free(data->total);
	free(data->code);
	recursion_release(&data->recursion);
	free(data->function_self);
	free(data->function_total);
	free(data->nodes);
	free(data->first);
	free(data->scratch);
	free(data->ranked);
	*data = (struct analysis_data){0};
}

double
analysis_share(const struct analysis_data *data, double weight)
{
	return data->all > 0 ? weight / data->all : 0;
}

/* The first of these siblings that is inlined code of function `of`. */
static node_id
own_sibling(const struct analysis_data *data, node_id node, frame_id of)
{
	const struct ctree_node *nodes = data->profile->tree.nodes;

	while (node != CTREE_NONE && (data->code[node] != of || nodes[node].frame == of))
		node = nodes[node].next_sibling;
	return node;
}

node_id
analysis_next_own(const struct analysis_data *data, node_id top, node_id node)
{
	const struct ctree_node *nodes = data->profile->tree.nodes;
	frame_id of = nodes[top].frame;
	node_id next = own_sibling(data, nodes[node].first_child, of);

	while (next == CTREE_NONE && node != top) {
		next = own_sibling(data, nodes[node].next_sibling, of);
		node = nodes[node].parent;
	}
	return next;
}

void
analysis_callees(const struct analysis_data *data, frame_id of, struct analysis_edges *callees)
{
	const struct profile *profile = data->profile;
	const struct ctree_node *nodes = profile->tree.nodes;

	*callees = (struct analysis_edges){0};
	for (size_t i = data->first[of]; i < data->first[of + 1]; i++) {
		node_id child = nodes[data->nodes[i]].first_child;

		for (; child != CTREE_NONE; child = nodes[child].next_sibling) {
			frame_id frame = nodes[child].frame;

			/* The outer one of two calls that are the same holds the inner one's
			 * weight. */
			if (frame != of && data->total[child] > 0 &&
				!frame_name_is_mark(profile_frame_name(profile, frame)) &&
				!data->recursion.call[child])
				analysis_edges_add(data, callees, frame, data->total[child]);
		}
	}
	analysis_edges_end(data, callees);
}
