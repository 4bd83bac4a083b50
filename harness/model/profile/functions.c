#include "profile/functions.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Walks depth first, counting the frames on the way from the root. */
bool *
functions_outermost(const struct profile *profile, const frame_id *group)
{
	const struct ctree_node *nodes = profile->tree.nodes;
	bool *outermost = mem_zalloc(profile->tree.nnodes, sizeof(*outermost));
	uint32_t *on_path = mem_zalloc(profile->frames.nframes, sizeof(*on_path));
	node_id node = nodes[CTREE_ROOT].first_child;

	while (node != CTREE_NONE) {
		frame_id frame = nodes[node].frame;

		outermost[node] = on_path[group ? group[frame] : frame]++ == 0;
		node_id next = nodes[node].first_child;

		while (next == CTREE_NONE && node != CTREE_ROOT) {
			frame = nodes[node].frame;
			on_path[group ? group[frame] : frame]--;
			next = nodes[node].next_sibling;
			node = nodes[node].parent;
		}
		node = next;
	}
	free(on_path);
	return outermost;
}

frame_id *
functions_code(const struct profile *profile)
{
	const struct ctree_node *nodes = profile->tree.nodes;
	frame_id *code = mem_zalloc(profile->tree.nnodes, sizeof(*code));

	for (size_t i = 1; i < profile->tree.nnodes; i++) {
		node_id parent = nodes[i].parent;
		bool held = profile->frames.frames[nodes[i].frame].kind == FRAME_INLINED &&
			    parent != CTREE_ROOT && nodes[parent].parent != CTREE_ROOT;

		code[i] = held ? code[parent] : nodes[i].frame;
	}
	return code;
}

void
functions_init(struct functions *functions, const struct profile *profile)
{
	const struct ctree *tree = &profile->tree;
	size_t ncolumns = profile->nruns;
	bool *outermost = functions_outermost(profile, NULL);
	frame_id *code = functions_code(profile);
	double *weights = mem_zalloc(tree->nnodes, sizeof(*weights));

	*functions = (struct functions){
		.nfunctions = profile->frames.nframes,
		.ncolumns = ncolumns,
		.self = mem_zalloc(profile->frames.nframes * ncolumns, sizeof(double)),
		.total = mem_zalloc(profile->frames.nframes * ncolumns, sizeof(double)),
	};
	for (size_t column = 0; column < ncolumns; column++) {
		ctree_sum(tree, column, 1, weights);
		ctree_totals(tree, weights);
		for (size_t i = 1; i < tree->nnodes; i++) {
			functions->self[code[i] * ncolumns + column] +=
				ctree_weight(tree, column, (node_id)i);
			if (outermost[i])
				functions->total[tree->nodes[i].frame * ncolumns + column] +=
					weights[i];
		}
	}
	free(weights);
	free(code);
	free(outermost);
}

void
functions_release(struct functions *functions)
{
	free(functions->self);
	free(functions->total);
	*functions = (struct functions){0};
}

static double
sum_columns(const double *row, size_t first, size_t count)
{
	double sum = 0;

	for (size_t column = first; column < first + count; column++)
		sum += row[column];
	return sum;
}

double
functions_self(const struct functions *functions, frame_id frame, size_t first, size_t count)
{
	return sum_columns(functions->self + frame * functions->ncolumns, first, count);
}

double
functions_total(const struct functions *functions, frame_id frame, size_t first, size_t count)
{
	return sum_columns(functions->total + frame * functions->ncolumns, first, count);
}

bool *
functions_covered(const struct profile *profile, const bool *member, bool leaf_only)
{
	const struct ctree *tree = &profile->tree;
	bool *covered = mem_zalloc(tree->nnodes, sizeof(*covered));
	frame_id *code = functions_code(profile);

	for (size_t i = 1; i < tree->nnodes; i++)
		covered[i] = member[tree->nodes[i].frame] ||
			     (leaf_only ? member[code[i]] : covered[tree->nodes[i].parent]);
	free(code);
	return covered;
}

void
functions_group(const struct profile *profile, const bool *member, bool leaf_only, double *out)
{
	bool *covered = functions_covered(profile, member, leaf_only);

	memset(out, 0, profile->nruns * sizeof(*out));
	for (size_t i = 1; i < profile->tree.nnodes; i++)
		for (size_t column = 0; column < profile->nruns && covered[i]; column++)
			out[column] += ctree_weight(&profile->tree, column, (node_id)i);
	free(covered);
}

int
functions_compare_edges(const void *a, const void *b, void *profile)
{
	const struct function_edge *x = a;
	const struct function_edge *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return profile_compare_frames(profile, x->frame, y->frame);
}

size_t
functions_callers(const struct profile *profile, frame_id of, struct function_edge *out, size_t max)
{
	const struct ctree *tree = &profile->tree;
	double *by_frame = mem_zalloc(profile->frames.nframes, sizeof(*by_frame));
	double *totals = mem_zalloc(tree->nnodes, sizeof(*totals));
	bool *outermost = functions_outermost(profile, NULL);
	struct function_edge *edges = mem_zalloc(profile->frames.nframes, sizeof(*edges));
	size_t n = 0;

	ctree_sum(tree, 0, profile->nruns, totals);
	ctree_totals(tree, totals);
	for (size_t i = 1; i < tree->nnodes; i++) {
		const struct ctree_node *node = &tree->nodes[i];

		if (node->frame == of && outermost[i] && node->parent != CTREE_ROOT)
			by_frame[tree->nodes[node->parent].frame] += totals[i];
	}
	for (frame_id frame = 1; frame < profile->frames.nframes; frame++)
		if (by_frame[frame] > 0)
			edges[n++] = (struct function_edge){frame, by_frame[frame]};
	qsort_r(edges, n, sizeof(*edges), functions_compare_edges, (void *)profile);
	memcpy(out, edges, (n < max ? n : max) * sizeof(*edges));
	free(edges);
	free(outermost);
	free(totals);
	free(by_frame);
	return n;
}
