/* Where the program's own time is: the bottleneck, the path to it, and functions that many call. */
#include "analysis/data.h"
#include "analysis/sentences.h"
#include "analysis/traits.h"
#include "base/mem.h"
#include "format/figures.h"
#include "profile/interpreter.h"
#include "profile/weights.h"

#include <stdlib.h>
#include <string.h>

#define BOTTLENECK_SHARE 0.10
#define PRIMARY_SHARE 0.25 /* a function with less is only the largest of several */
#define SUBTREE_SHARE 0.30
#define MOST_OF_ALL 0.95 /* a subtree with more is nearly the whole program */
#define SUBTREE_DEPTH 2  /* the process and what it starts with lead to everything */
#define GOES_ON 0.80     /* a child with less of its parent's weight is a branch of several */
#define MOSTLY 0.50      /* a child with less is not followed */
#define PATH_SHARE 0.20  /* of the function; a path with less is one of very many */
#define DIVIDES_SHOWN 2
#define LEAST_BRANCH 0.02
#define PATH_HEAD 4
#define PATH_TAIL 5
#define UTILITY_SHARE 0.03
#define UTILITY_CALLERS 5
#define UTILITY_OWN 0.5      /* of its weight is its own; with less it only calls others */
#define UTILITY_LARGEST 0.60 /* of it, by one caller; with more it belongs to that caller */

/* Whether it is a frame that every C program starts with, or has no name. */
static bool
is_start(const char *name)
{
	return strcmp(name, "_start") == 0 || strncmp(name, "__libc_start", 12) == 0 ||
	       strcmp(name, "[unknown]") == 0 || frame_name_is_mark(name);
}

struct path {
	node_id *nodes; /* root to leaf, without what every program starts with */
	size_t nnodes;
	size_t capacity;
};

static void
path_add(struct path *path, const struct profile *profile, node_id node)
{
	frame_id frame = profile->tree.nodes[node].frame;

	if (is_start(profile_frame_name(profile, frame)))
		return;
	/* Recursion, or functions of one module that have no names. */
	if (path->nnodes > 0 && profile->tree.nodes[path->nodes[path->nnodes - 1]].frame == frame) {
		path->nodes[path->nnodes - 1] = node;
		return;
	}
	path->nodes = mem_grow(path->nodes, &path->capacity, path->nnodes + 1, sizeof(node_id));
	path->nodes[path->nnodes++] = node;
}

/* The largest of the children by `weights`, and how much they have in all. */
static node_id
largest_child(const struct ctree *tree, const double *weights, node_id node, double *all)
{
	node_id best = CTREE_NONE;

	*all = 0;
	for (node_id child = tree->nodes[node].first_child; child != CTREE_NONE;
		child = tree->nodes[child].next_sibling) {
		*all += weights[child];
		if (weights[child] > 0 && (best == CTREE_NONE || weights[child] > weights[best]))
			best = child;
	}
	return best;
}

static void
put_path(struct buf *out, const struct profile *profile, const struct path *path)
{
	for (size_t i = 0; i < path->nnodes; i++) {
		frame_id frame = profile->tree.nodes[path->nodes[i]].frame;

		if (i == PATH_HEAD && path->nnodes > PATH_HEAD + PATH_TAIL + 1) {
			size_t left_out = path->nnodes - PATH_HEAD - PATH_TAIL;

			buf_printf(out, " > ...%zu more...", left_out);
			i += left_out - 1;
			continue;
		}
		buf_puts(out, i > 0 ? " > " : "");
		analysis_put_name(out, profile, frame);
	}
}

/* "it divides in run: 54 % parse, 30 % print, 16 % 3 more" */
static void
put_division(struct buf *out, const struct analysis_data *data, const double *weights, node_id node)
{
	const struct ctree_node *nodes = data->profile->tree.nodes;
	struct analysis_edges edges = {0};

	for (node_id child = nodes[node].first_child; child != CTREE_NONE;
		child = nodes[child].next_sibling)
		analysis_edges_add(data, &edges, nodes[child].frame, weights[child]);
	analysis_edges_end(data, &edges);
	analysis_put_parts(out, data->profile,
		&(struct analysis_parts){&edges, weights[node], LEAST_BRANCH, false});
	free(edges.edges);
}

/* The weight that is the function's own, by the nodes that lead to it; free() it. */
static double *
weights_towards(const struct analysis_data *data, frame_id of)
{
	const struct ctree *tree = &data->profile->tree;
	double *weights = mem_zalloc(tree->nnodes, sizeof(*weights));

	for (size_t i = data->first[of]; i < data->first[of + 1]; i++) {
		node_id top = data->nodes[i];

		for (node_id own = top; own != CTREE_NONE; own = analysis_next_own(data, top, own))
			weights[top] += data->self[own];
	}
	ctree_totals(tree, weights);
	return weights;
}

/*
 * Callers of a function by the part of its total weight from each, inlining and direct recursion
 * aside. A sample counts once: for the innermost call.
 */
static struct analysis_edges
find_callers(const struct analysis_data *data, frame_id of)
{
	const struct ctree_node *nodes = data->profile->tree.nodes;
	struct analysis_edges callers = {0};
	const node_id *same = data->recursion.same;
	double *below = mem_zalloc(data->profile->tree.nnodes, sizeof(*below));
	/* By node: the first of the calls that only inlining and direct recursion are between. */
	node_id *outer = mem_zalloc(data->profile->tree.nnodes, sizeof(*outer));

	for (size_t i = data->first[of]; i < data->first[of + 1]; i++)
		below[same[data->nodes[i]]] += data->total[data->nodes[i]];
	for (size_t i = data->first[of]; i < data->first[of + 1]; i++) {
		node_id at = data->nodes[i];
		double weight = data->total[at] - below[at];

		outer[at] = data->code[nodes[at].parent] == of ? outer[same[at]] : at;
		node_id above = outer[at] != CTREE_ROOT ? nodes[outer[at]].parent : CTREE_ROOT;

		if (weight > 0 && above != CTREE_ROOT && nodes[above].parent != CTREE_ROOT)
			analysis_edges_add(data, &callers, data->code[above], weight);
	}
	free(outer);
	free(below);
	analysis_edges_end(data, &callers);
	return callers;
}

static void
put_callers(struct buf *out, const struct analysis_data *data, const struct analysis_edges *callers,
	double all)
{
	buf_printf(out, "By caller, of %zu: ", callers->nedges);
	analysis_put_parts(out, data->profile, &(struct analysis_parts){callers, all, 0, false});
	buf_puts(out, "; the largest caller's part is ");
	analysis_put_share(out, data, callers->edges[0].weight);
	buf_puts(out, " of the whole\n");
}

static void
put_callers_of(struct buf *out, const struct analysis_data *data, frame_id of)
{
	struct analysis_edges callers = find_callers(data, of);

	if (callers.nedges > 1)
		put_callers(out, data, &callers, data->function_total[of]);
	free(callers.edges);
}

/* The heaviest path from the root to the function, and where its weight divides on the way. */
static void
put_path_to(struct buf *out, const struct analysis_data *data, frame_id of)
{
	const struct profile *profile = data->profile;
	const struct ctree *tree = &profile->tree;
	double *weights = weights_towards(data, of);
	struct path path = {0};
	struct buf divisions = {0};
	size_t ndivisions = 0;
	double all;
	node_id at = largest_child(tree, weights, CTREE_ROOT, &all);
	node_id last = CTREE_ROOT;

	while (at != CTREE_NONE) {
		path_add(&path, profile, at);
		last = at;
		if (tree->nodes[at].frame == of)
			break;
		node_id next = largest_child(tree, weights, at, &all);

		if (next != CTREE_NONE && weights[next] < GOES_ON * weights[at] &&
			ndivisions++ < DIVIDES_SHOWN) {
			buf_puts(&divisions, "It divides in ");
			analysis_put_name(&divisions, profile, tree->nodes[at].frame);
			buf_puts(&divisions, ": ");
			put_division(&divisions, data, weights, at);
			buf_putc(&divisions, '\n');
		}
		at = next;
	}
	double part = weights[CTREE_ROOT] > 0 ? weights[last] / weights[CTREE_ROOT] : 0;

	if (path.nnodes > 1 && part >= PATH_SHARE) {
		if (part > 0.995) {
			buf_puts(out, "All of it is along ");
		} else {
			buf_puts(out, "Heaviest path, ");
			format_percent(out, part);
			buf_puts(out, " of it: ");
		}
		put_path(out, profile, &path);
		buf_printf(out, "\n%s", buf_text(&divisions));
	}
	if (part < GOES_ON)
		put_callers_of(out, data, of);
	buf_release(&divisions);
	free(path.nodes);
	free(weights);
}

/* The largest function that has a name, or NULL. */
static const struct analysis_function *
largest_named(const struct analysis_data *data)
{
	for (size_t i = 0; i < data->nranked; i++)
		if (!frame_name_is_unknown(
			    profile_frame_name(data->profile, data->ranked[i].frame)))
			return &data->ranked[i];
	return NULL;
}

void
trait_bottleneck(struct advices *advices)
{
	const struct analysis_data *data = advices->data;
	const struct analysis_function *one = largest_named(data);

	if (!one || analysis_share(data, one->self) < BOTTLENECK_SHARE)
		return;
	struct advice *advice = advice_add(advices, analysis_share(data, one->self));

	analysis_put_function(&advice->title, data->profile, one->frame);
	buf_puts(&advice->title, advice->share >= PRIMARY_SHARE ? " is the primary bottleneck: "
								: " is the largest: ");
	analysis_put_share(&advice->title, data, one->self);
	buf_printf(&advice->title, " of the %s %s its own", weights_noun(data->profile),
		weights_verb(data->profile));
	put_path_to(&advice->text, data, one->frame);
}

/*
 * Goes down from the root while one child has most of the weight and at least SUBTREE_SHARE;
 * returns the last node on the path that has a name.
 */
static node_id
find_subtree(const struct analysis_data *data, struct path *path)
{
	const struct profile *profile = data->profile;
	const struct ctree *tree = &profile->tree;
	node_id at = CTREE_ROOT;
	size_t named = 0;
	double all;

	for (;;) {
		node_id next = largest_child(tree, data->total, at, &all);

		if (next == CTREE_NONE || data->total[next] < MOSTLY * data->total[at] ||
			analysis_share(data, data->total[next]) < SUBTREE_SHARE)
			break;
		at = next;
		path_add(path, profile, at);
		if (!frame_name_is_unknown(profile_frame_name(profile, tree->nodes[at].frame)))
			named = path->nnodes;
	}
	path->nnodes = named;
	return named > 0 ? path->nodes[named - 1] : CTREE_ROOT;
}

void
trait_subtree(struct advices *advices)
{
	const struct analysis_data *data = advices->data;
	const struct ctree *tree = &data->profile->tree;
	const struct analysis_function *largest = largest_named(data);
	struct path path = {0};
	double below;

	if (!largest || analysis_share(data, largest->self) >= BOTTLENECK_SHARE)
		return;
	node_id at = find_subtree(data, &path);
	double share = analysis_share(data, data->total[at]);

	largest_child(tree, data->total, at, &below);
	/* A function whose weight is mostly its own is not divided further. */
	if (path.nnodes > SUBTREE_DEPTH && share <= MOST_OF_ALL && below > data->self[at]) {
		struct advice *advice = advice_add(advices, share);

		buf_puts(&advice->title, "No function is large by itself, but ");
		format_percent(&advice->title, share);
		buf_printf(&advice->title, " of the %s %s below ", weights_noun(data->profile),
			weights_verb(data->profile));
		analysis_put_function(&advice->title, data->profile, tree->nodes[at].frame);
		buf_puts(&advice->text, "There they divide: ");
		put_division(&advice->text, data, data->total, at);
		buf_puts(&advice->text, "\nThe path to it: ");
		put_path(&advice->text, data->profile, &path);
		buf_putc(&advice->text, '\n');
	}
	free(path.nodes);
}

/* The largest utility function; the bottleneck has been described already. */
void
trait_utility(struct advices *advices)
{
	const struct analysis_data *data = advices->data;
	const struct profile *profile = data->profile;

	for (size_t i = 0; i < data->nranked; i++) {
		const struct analysis_function *one = &data->ranked[i];
		bool named = !frame_name_is_unknown(profile_frame_name(profile, one->frame));

		if (analysis_share(data, one->self) < UTILITY_SHARE * UTILITY_OWN)
			break;
		/* The bottleneck has been shown with its callers. */
		bool shown = one == largest_named(data) &&
			     analysis_share(data, one->self) >= BOTTLENECK_SHARE;

		if (!named || shown || (advices->classes[one->frame] & CLASS_KERNEL) ||
			analysis_share(data, one->total) < UTILITY_SHARE ||
			one->self < UTILITY_OWN * one->total)
			continue;
		struct analysis_edges callers = find_callers(data, one->frame);
		bool spread = callers.nedges >= UTILITY_CALLERS &&
			      callers.edges[0].weight <= UTILITY_LARGEST * one->total;

		if (spread) {
			struct advice *advice =
				advice_add(advices, analysis_share(data, one->total));

			analysis_put_function(&advice->title, profile, one->frame);
			buf_printf(&advice->title, " is called by %zu functions and has ",
				callers.nedges);
			analysis_put_share(&advice->title, data, one->total);
			buf_puts(&advice->title, " in all");
			put_callers(&advice->text, data, &callers, one->total);
		}
		free(callers.edges);
		if (spread)
			return;
	}
}

/* Where the time of a script is that an interpreter runs. */

/* Less is not reported. */
#define SCRIPT_SHARE 0.1

void
trait_interpreter(struct advices *advices)
{
	const struct profile *profile = advices->data->profile;
	struct interpreter found;

	if (!interpreter_find(profile, &found))
		return;
	struct advice *advice = advice_add(advices, found.share);

	interpreter_put_found(profile, &found, &advice->title);
	buf_printf(&advice->text, "To name them, %s\n", found.advice);
}

/* Functions of the script, each with the weight of what it calls outside of the script. */
static struct analysis_edges
find_functions(const struct analysis_data *data, double *all)
{
	struct script_place *places = script_places(data->profile);
	struct analysis_edges functions = {0};

	*all = 0;
	for (size_t i = 1; i < data->profile->tree.nnodes; i++) {
		if (!places[i].language || !places[i].function || !(data->self[i] > 0))
			continue;
		analysis_edges_add(data, &functions, places[i].function, data->self[i]);
		*all += data->self[i];
	}
	analysis_edges_end(data, &functions);
	free(places);
	return functions;
}

void
trait_script(struct advices *advices)
{
	const struct analysis_data *data = advices->data;
	double all;
	struct analysis_edges functions = find_functions(data, &all);

	if (functions.nedges > 0 &&
		analysis_share(data, functions.edges[0].weight) >= SCRIPT_SHARE) {
		struct advice *advice =
			advice_add(advices, analysis_share(data, functions.edges[0].weight));

		analysis_put_name(&advice->title, data->profile, functions.edges[0].frame);
		buf_puts(&advice->title, " is the largest function of the script: ");
		format_percent(&advice->title, advice->share);
		buf_printf(&advice->title, " of the %s, calls that leave the script included",
			weights_noun(data->profile));
		buf_puts(&advice->text, "By function of the script: ");
		analysis_put_parts(&advice->text, data->profile,
			&(struct analysis_parts){&functions, all, 0, false});
		buf_putc(&advice->text, '\n');
	}
	free(functions.edges);
}
