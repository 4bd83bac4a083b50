#include "compare/coverage.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "profile/canonical.h"

#include <stdlib.h>
#include <string.h>

/* No function that may stand for a part of the program has a larger share of production's cost. */
#define ENTRY_SHARE_MAX 0.5
/* A function with a smaller part of its cost missed stands for what is reached. */
#define MISSED_PART_MIN 0.5

/* The caller is not known: the stack is incomplete, or has no name there. */
#define CALLER_UNKNOWN UINT32_MAX

/* The functions of a tree as one side's stacks have them, by node. */
struct walk {
	frame_id *function; /* that the node's own weight is of */
	frame_id *caller;   /* that called it; 0: none, CALLER_UNKNOWN */
	frame_id *above;    /* that calls what is below the node; likewise */
	uint32_t *depth;
};

struct reach {
	bool *produced;       /* by frame: a function in production's stacks */
	bool *functions;      /* by frame: in the workloads' */
	bool *called;         /* by frame: also called from a function of production */
	struct key_map calls; /* key_of_pair(caller, function) */
};

static bool
has_no_name(const struct profile *profile, frame_id frame)
{
	const char *name = profile_frame_name(profile, frame);

	return frame_name_is_mark(name) || frame_name_is_unknown(name);
}

/* By frame: the frame that stands for its function, whether it is called, inlined or compiled just
 * in time. */
static frame_id *
group_frames(const struct profile *profile)
{
	static const enum frame_kind kinds[] = {FRAME_USER, FRAME_INLINED, FRAME_JIT};
	const struct frame_table *table = &profile->frames;
	frame_id *group = mem_zalloc(table->nframes, sizeof(*group));

	for (frame_id id = 1; id < table->nframes; id++) {
		const struct frame *frame = &table->frames[id];
		const bool is_user = frame->kind != FRAME_KERNEL && frame->kind != FRAME_WAIT;
		bool found = false;

		for (size_t i = 0; is_user && !found && i < sizeof(kinds) / sizeof(kinds[0]); i++)
			found = frame_find(table, frame->name, kinds[i], &group[id]);
		if (!found)
			group[id] = id;
	}
	return group;
}

/* `labels`: frames at the root of each stack that are no functions. */
static void
walk_init(struct walk *walk, const struct profile *profile, const frame_id *group, size_t labels,
	bool inlined)
{
	const struct ctree *tree = &profile->tree;

	*walk = (struct walk){
		.function = mem_zalloc(tree->nnodes, sizeof(frame_id)),
		.caller = mem_zalloc(tree->nnodes, sizeof(frame_id)),
		.above = mem_zalloc(tree->nnodes, sizeof(frame_id)),
		.depth = mem_zalloc(tree->nnodes, sizeof(uint32_t)),
	};
	for (node_id node = 1; node < tree->nnodes; node++) {
		const node_id parent = tree->nodes[node].parent;
		const frame_id frame = group[tree->nodes[node].frame];
		const bool is_held =
			!inlined && walk->depth[parent] >= labels && walk->above[parent] != 0 &&
			profile->frames.frames[tree->nodes[node].frame].kind == FRAME_INLINED;

		walk->depth[node] = walk->depth[parent] + 1;
		if (is_held) {
			walk->function[node] = walk->function[parent];
			walk->caller[node] = walk->caller[parent];
			walk->above[node] = walk->above[parent];
			continue;
		}
		walk->function[node] = frame;
		if (walk->depth[node] <= labels)
			continue;
		walk->caller[node] =
			walk->above[parent] == frame ? walk->caller[parent] : walk->above[parent];
		walk->above[node] = has_no_name(profile, frame) ? CALLER_UNKNOWN : frame;
	}
}

static void
walk_release(struct walk *walk)
{
	free(walk->function);
	free(walk->caller);
	free(walk->above);
	free(walk->depth);
	*walk = (struct walk){0};
}

/* Own and total weights by node, summed over columns. */
struct weights {
	double *self;
	double *total;
};

static void
weights_init(struct weights *weights, const struct ctree *tree, size_t first, size_t count)
{
	weights->self = mem_zalloc(tree->nnodes, sizeof(double));
	weights->total = mem_zalloc(tree->nnodes, sizeof(double));
	ctree_sum(tree, first, count, weights->self);
	memcpy(weights->total, weights->self, tree->nnodes * sizeof(double));
	ctree_totals(tree, weights->total);
}

static void
weights_release(struct weights *weights)
{
	free(weights->self);
	free(weights->total);
}

/* Adds what the stacks of a workload reach. */
static void
reach_add(struct reach *reach, const struct profile *profile, const struct walk *walk,
	const struct weights *weights, size_t labels)
{
	for (node_id node = 1; node < profile->tree.nnodes; node++) {
		const bool is_label = walk->depth[node] <= labels;

		if (!((is_label ? weights->self : weights->total)[node] > 0))
			continue;
		const frame_id function = walk->function[node];
		const frame_id caller = walk->caller[node];

		reach->functions[function] = true;
		if (is_label)
			continue;
		key_map_add(&reach->calls, key_of_pair(caller, function));
		if (caller != CALLER_UNKNOWN && reach->produced[caller] &&
			strcmp(profile_frame_name(profile, caller), "main") != 0)
			reach->called[function] = true;
	}
}

static enum coverage_state
state_of(const struct coverage *coverage, const struct reach *reach, frame_id function,
	frame_id caller)
{
	if (has_no_name(&coverage->joined, function))
		return COVERAGE_NO_NAME;
	if (!reach->functions[function])
		return COVERAGE_NOT_REACHED;
	if (caller == 0 || caller == CALLER_UNKNOWN || !reach->called[function] ||
		key_map_find(&reach->calls, key_of_pair(caller, function)) != KEY_MAP_NONE ||
		key_map_find(&reach->calls, key_of_pair(CALLER_UNKNOWN, function)) != KEY_MAP_NONE)
		return COVERAGE_REACHED;
	return COVERAGE_OTHER_CALLERS;
}

static bool
has_inlined(const struct profile *profile)
{
	for (frame_id id = 1; id < profile->frames.nframes; id++)
		if (profile->frames.frames[id].kind == FRAME_INLINED)
			return true;
	return false;
}

/* Keeps, by function, the largest of the workloads' shares. */
static void
keep_shares(struct coverage_function *functions, size_t nfunctions, const struct walk *walk,
	const struct weights *weights, const struct ctree *tree, size_t workload)
{
	const double whole = weights->total[CTREE_ROOT];
	double *sums = mem_zalloc(nfunctions, sizeof(*sums));

	for (node_id node = 1; node < tree->nnodes; node++)
		sums[walk->function[node]] += weights->self[node];
	for (frame_id id = 1; id < nfunctions; id++) {
		const double share = whole > 0 ? sums[id] / whole : 0;

		if (share > functions[id].share) {
			functions[id].share = share;
			functions[id].workload = workload;
		}
	}
	free(sums);
}

/*
 * Fills in what the workloads reach, by their columns of the joined profile, and their shares.
 * Inlined functions count both as called from the function that holds them and as a part of it.
 */
static void
find_reach(struct coverage *coverage, const frame_id *group, struct reach *reach,
	struct coverage_function *functions)
{
	const struct ctree *tree = &coverage->joined.tree;
	size_t first = coverage->nruns;

	for (size_t i = 0; i < coverage->nworkloads; i++) {
		const struct profile *own = coverage->workloads[i].profile;
		const size_t labels = profile_nlabels(own);
		struct weights weights;

		weights_init(&weights, tree, first, own->nruns);
		for (int inlined = 0; inlined < 2; inlined++) {
			struct walk walk;

			walk_init(&walk, &coverage->joined, group, labels, inlined);
			reach_add(reach, &coverage->joined, &walk, &weights, labels);
			if (inlined == coverage->inlined)
				keep_shares(functions, coverage->joined.frames.nframes, &walk,
					&weights, tree, i);
			walk_release(&walk);
		}
		weights_release(&weights);
		first += own->nruns;
	}
}

static int
compare_weights(
	const struct profile *profile, double a, frame_id a_frame, double b, frame_id b_frame)
{
	const int order = sort_order(b, a);

	return order != 0 ? order : profile_compare_frames(profile, a_frame, b_frame);
}

static int
compare_functions(const void *a, const void *b, void *profile)
{
	const struct coverage_function *x = a;
	const struct coverage_function *y = b;

	return compare_weights(profile, x->weight, x->frame, y->weight, y->frame);
}

static int
compare_entries(const void *a, const void *b, void *profile)
{
	const struct coverage_entry *x = a;
	const struct coverage_entry *y = b;

	return compare_weights(profile, x->weight, x->frame, y->weight, y->frame);
}

/* Adds up production's weights by function and state, and keeps the functions that have some. */
static void
add_functions(struct coverage *coverage, const struct walk *walk, const double *self,
	struct coverage_function *functions)
{
	const size_t nframes = coverage->joined.frames.nframes;

	for (node_id node = 1; node < coverage->joined.tree.nnodes; node++) {
		struct coverage_function *function = &functions[walk->function[node]];

		function->weight += self[node];
		function->weights[coverage->states[node]] += self[node];
		coverage->weights[coverage->states[node]] += self[node];
	}
	for (frame_id id = 1; id < nframes; id++) {
		functions[id].frame = id;
		if (functions[id].weight > 0)
			functions[coverage->nfunctions++] = functions[id];
	}
	coverage->functions = functions;
	qsort_r(functions, coverage->nfunctions, sizeof(*functions), compare_functions,
		&coverage->joined);
}

static bool
is_missed(enum coverage_state state)
{
	return state == COVERAGE_OTHER_CALLERS || state == COVERAGE_NOT_REACHED;
}

/* By node: production's weight there and below that is not reached, or from other callers only;
 * free() it. */
static double *
sum_missed(const struct coverage *coverage, const double *self)
{
	const struct ctree *tree = &coverage->joined.tree;
	double *missed = mem_zalloc(tree->nnodes, sizeof(*missed));

	for (node_id node = 1; node < tree->nnodes; node++)
		missed[node] = is_missed(coverage->states[node]) ? self[node] : 0;
	ctree_totals(tree, missed);
	return missed;
}

/* By node: the node on the way to it that is its entry; CTREE_NONE: it may be one itself. */
static node_id *
find_entry_nodes(const struct coverage *coverage, const struct weights *weights)
{
	const struct ctree *tree = &coverage->joined.tree;
	node_id *entries = mem_zalloc(tree->nnodes, sizeof(*entries));
	double *missed = sum_missed(coverage, weights->self);

	entries[CTREE_ROOT] = CTREE_NONE;
	for (node_id node = 1; node < tree->nnodes; node++) {
		const double total = weights->total[node];

		entries[node] = entries[tree->nodes[node].parent];
		if (entries[node] == CTREE_NONE && is_missed(coverage->states[node]) &&
			missed[node] >= MISSED_PART_MIN * total &&
			total <= ENTRY_SHARE_MAX * coverage->whole)
			entries[node] = node;
	}
	free(missed);
	return entries;
}

static void
add_entries(struct coverage *coverage, const struct walk *walk, const struct weights *weights)
{
	const size_t nframes = coverage->joined.frames.nframes;
	struct coverage_entry *entries = mem_zalloc(nframes, sizeof(*entries));
	double *callers = mem_zalloc(nframes, sizeof(*callers)); /* the most that one of them has */
	node_id *nodes = find_entry_nodes(coverage, weights);
	struct key_map calls = {0};
	double *by_call = NULL;
	size_t capacity = 0;

	for (node_id node = 1; node < coverage->joined.tree.nnodes; node++) {
		if (!(weights->self[node] > 0) || !is_missed(coverage->states[node]))
			continue;
		const node_id at = nodes[node] == CTREE_NONE ? node : nodes[node];
		const frame_id function = walk->function[at];
		const uint32_t call = key_map_add(&calls, key_of_pair(walk->caller[at], function));

		by_call = mem_grow(by_call, &capacity, (size_t)call + 1, sizeof(*by_call));
		by_call[call] += weights->self[node];
		entries[function].frame = function;
		entries[function].weight += weights->self[node];
		if (entries[function].state != COVERAGE_NOT_REACHED)
			entries[function].state = coverage->states[at];
	}
	for (size_t i = 0; i < calls.count; i++) {
		const frame_id caller = (frame_id)(calls.keys[i] >> 32);
		const frame_id function = (frame_id)calls.keys[i];

		if (by_call[i] > callers[function]) {
			callers[function] = by_call[i];
			entries[function].caller = caller == CALLER_UNKNOWN ? 0 : caller;
		}
	}
	for (frame_id id = 1; id < nframes; id++)
		if (entries[id].weight > 0)
			entries[coverage->nentries++] = entries[id];
	coverage->entries = entries;
	qsort_r(entries, coverage->nentries, sizeof(*entries), compare_entries, &coverage->joined);
	key_map_release(&calls);
	free(by_call);
	free(callers);
	free(nodes);
}

/* Joins production's profile with all workloads' into coverage->joined. */
static void
join(struct coverage *coverage, const struct profile *production)
{
	struct profile all;

	profile_init(&all);
	for (size_t i = 0; i < coverage->nworkloads; i++)
		profile_append(&all, coverage->workloads[i].profile);
	coverage->inlined = has_inlined(production) && has_inlined(&all);
	coverage->held = has_inlined(production) != has_inlined(&all);
	profile_init(&coverage->joined);
	canonical_join(&coverage->joined, production, &all);
	profile_release(&all);
}

void
coverage_init(struct coverage *coverage, const struct profile *production,
	const struct coverage_workload *workloads, size_t nworkloads)
{
	const size_t labels = profile_nlabels(production);

	*coverage = (struct coverage){
		.nruns = production->nruns, .workloads = workloads, .nworkloads = nworkloads};
	join(coverage, production);

	const struct ctree *tree = &coverage->joined.tree;
	const size_t nframes = coverage->joined.frames.nframes;
	struct coverage_function *functions = mem_zalloc(nframes, sizeof(*functions));
	struct reach reach = {
		.produced = mem_zalloc(nframes, sizeof(bool)),
		.functions = mem_zalloc(nframes, sizeof(bool)),
		.called = mem_zalloc(nframes, sizeof(bool)),
	};
	frame_id *group = group_frames(&coverage->joined);
	struct weights weights;
	struct walk walk;

	walk_init(&walk, &coverage->joined, group, labels, coverage->inlined);
	weights_init(&weights, tree, 0, coverage->nruns);
	coverage->whole = weights.total[CTREE_ROOT];
	for (node_id node = 1; node < tree->nnodes; node++)
		if (walk.depth[node] > labels && weights.total[node] > 0)
			reach.produced[walk.function[node]] = true;
	find_reach(coverage, group, &reach, functions);
	coverage->states = mem_zalloc(tree->nnodes, sizeof(*coverage->states));
	for (node_id node = 1; node < tree->nnodes; node++)
		if (walk.depth[node] > labels || weights.self[node] > 0)
			coverage->states[node] = (unsigned char)state_of(
				coverage, &reach, walk.function[node], walk.caller[node]);
	add_functions(coverage, &walk, weights.self, functions);
	add_entries(coverage, &walk, &weights);
	weights_release(&weights);
	walk_release(&walk);
	free(group);
	free(reach.produced);
	free(reach.functions);
	free(reach.called);
	key_map_release(&reach.calls);
}

void
coverage_release(struct coverage *coverage)
{
	profile_release(&coverage->joined);
	free(coverage->functions);
	free(coverage->entries);
	free(coverage->states);
	*coverage = (struct coverage){0};
}

double
coverage_ratio(const struct coverage *coverage)
{
	return coverage->whole > 0 ? coverage->weights[COVERAGE_REACHED] / coverage->whole : 0;
}

/* The frame of the picture for one of the joined profile in a state. */
static frame_id
picture_frame(const struct coverage *coverage, struct profile *picture, frame_id frame,
	enum coverage_state state)
{
	const struct profile *joined = &coverage->joined;
	const struct frame *theirs = &joined->frames.frames[frame];
	const frame_id id = frame_intern_at(&picture->frames,
		profile_copy_string(picture, joined, theirs->name), theirs->kind, state);

	profile_place_frame(picture, id, joined, theirs, false);
	return id;
}

unsigned char *
coverage_picture(const struct coverage *coverage, struct profile *picture)
{
	const struct profile *joined = &coverage->joined;
	const struct ctree *tree = &joined->tree;
	node_id *nodes = mem_zalloc(tree->nnodes, sizeof(*nodes));
	struct weights weights;

	profile_init(picture);
	picture->unit = profile_copy_string(picture, joined, joined->unit);
	picture->event = profile_copy_string(picture, joined, joined->event);
	profile_add_run(picture);
	weights_init(&weights, tree, 0, coverage->nruns);
	double *missed = sum_missed(coverage, weights.self);

	for (node_id node = 1; node < tree->nnodes; node++) {
		enum coverage_state state = coverage->states[node];

		if (!(weights.total[node] > 0))
			continue;
		if (is_missed(state) && missed[node] < MISSED_PART_MIN * weights.total[node])
			state = COVERAGE_REACHED;
		const frame_id frame =
			picture_frame(coverage, picture, tree->nodes[node].frame, state);

		nodes[node] = ctree_child(&picture->tree, nodes[tree->nodes[node].parent], frame);
		ctree_add(&picture->tree, 0, nodes[node], weights.self[node]);
	}
	unsigned char *states = mem_zalloc(picture->frames.nframes, sizeof(*states));

	for (frame_id id = 1; id < picture->frames.nframes; id++)
		states[id] = (unsigned char)picture->frames.frames[id].at_line;
	profile_sort(picture);
	free(missed);
	weights_release(&weights);
	free(nodes);
	return states;
}
