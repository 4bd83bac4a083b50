#include "analysis/hotspot_callers.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LEVELS 4
#define CALLERS_SHOWN 5
/* The least share of the function's own weight that gives a caller a row. */
#define MIN_SHARE_FIRST 0.05 /* on the first level */
#define MIN_SHARE_ABOVE 0.1  /* on the levels above it */
#define FIRST_INDENT 4

struct hotspot_row *
hotspot_add(struct hotspot_rows *rows)
{
	rows->rows = mem_grow(rows->rows, &rows->capacity, rows->nrows + 1, sizeof(*rows->rows));
	rows->rows[rows->nrows] = (struct hotspot_row){.self = NAN, .total = NAN};
	return &rows->rows[rows->nrows++];
}

/* A path from the leaf up: the node that it has reached, and the weight of its samples. */
struct way {
	node_id at;
	double weight;
};

struct ways {
	struct way *ways;
	size_t nways;
};

/* One caller, with the ways that have reached it: neighbours in the array of all ways. */
struct caller {
	struct function_edge edge; /* the first member: functions_compare_edges() */
	struct ways ways;
};

static int
compare_ways(const void *a, const void *b, void *context)
{
	const struct ctree_node *nodes = context;
	const struct way *x = a;
	const struct way *y = b;
	frame_id mine = nodes[x->at].frame;
	frame_id theirs = nodes[y->at].frame;

	if (mine != theirs)
		return mine < theirs ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* The callers that the ways have reached, the largest first; sorts the ways. free() them. */
static struct caller *
group_ways(const struct analysis_data *data, struct ways all, size_t *count)
{
	const struct ctree_node *nodes = data->profile->tree.nodes;
	struct caller *callers = NULL;
	size_t capacity = 0;
	size_t n = 0;

	if (all.nways > 1)
		qsort_r(all.ways, all.nways, sizeof(*all.ways), compare_ways, (void *)nodes);
	for (size_t i = 0; i < all.nways; i++) {
		frame_id frame = nodes[all.ways[i].at].frame;

		if (n == 0 || callers[n - 1].edge.frame != frame) {
			callers = mem_grow(callers, &capacity, n + 1, sizeof(*callers));
			callers[n++] =
				(struct caller){.edge.frame = frame, .ways.ways = all.ways + i};
		}
		callers[n - 1].edge.weight += all.ways[i].weight;
		callers[n - 1].ways.nways++;
	}
	if (n > 1)
		qsort_r(callers, n, sizeof(*callers), functions_compare_edges,
			(void *)data->profile);
	*count = n;
	return callers;
}

/* Follows the ways one level up, and adds a row for each caller there, with its own callers. */
static void
add_level(const struct analysis_data *data, double whole, struct ways ways, unsigned level,
	struct hotspot_rows *rows)
{
	const struct ctree_node *nodes = data->profile->tree.nodes;
	double least = whole * (level == 0 ? MIN_SHARE_FIRST : MIN_SHARE_ABOVE);
	size_t kept = 0;

	for (size_t i = 0; i < ways.nways; i++) {
		/* Direct recursion is left out. */
		node_id up = data->recursion.other[ways.ways[i].at];

		/* The process is a caller only where nothing else called the function. */
		if (up != CTREE_ROOT &&
			(level == 0 || nodes[up].parent != CTREE_ROOT || data->self[up] > 0))
			ways.ways[kept++] = (struct way){up, ways.ways[i].weight};
	}
	ways.nways = kept;
	size_t n;
	size_t shown = 0;
	struct caller *callers = group_ways(data, ways, &n);

	for (; shown < n && shown < CALLERS_SHOWN && callers[shown].edge.weight >= least; shown++) {
		const struct function_edge *edge = &callers[shown].edge;
		struct hotspot_row *row = hotspot_add(rows);

		row->self = edge->weight;
		row->indent = FIRST_INDENT + 2 * level;
		row->frame = edge->frame;
		snprintf(row->label, sizeof(row->label), "%u %% from ",
			(unsigned)lround(100 * edge->weight / whole));
		if (level + 1 < LEVELS)
			add_level(data, whole, callers[shown].ways, level + 1, rows);
	}
	double rest = 0;

	for (size_t i = shown; i < n; i++)
		rest += callers[i].edge.weight;
	if (rest >= least && (shown > 0 || level == 0)) {
		struct hotspot_row *row = hotspot_add(rows);

		row->self = rest;
		row->indent = FIRST_INDENT + 2 * level;
		snprintf(row->label, sizeof(row->label), "%u %% from %u more",
			(unsigned)lround(100 * rest / whole), (unsigned)(n - shown));
	}
	free(callers);
}

static void
add_way(struct ways *ways, size_t *capacity, node_id at, double weight)
{
	if (!(weight > 0))
		return;
	ways->ways = mem_grow(ways->ways, capacity, ways->nways + 1, sizeof(*ways->ways));
	ways->ways[ways->nways++] = (struct way){at, weight};
}

void
hotspot_add_callers(const struct analysis_data *data, frame_id function, struct hotspot_rows *rows)
{
	struct ways ways = {0};
	size_t capacity = 0;

	/* An inlined function has no own weight. */
	if (!(data->function_self[function] > 0))
		return;
	for (size_t i = data->first[function]; i < data->first[function + 1]; i++) {
		node_id at = data->nodes[i];

		for (node_id own = at; own != CTREE_NONE; own = analysis_next_own(data, at, own))
			add_way(&ways, &capacity, at, data->self[own]);
	}
	if (ways.nways > 0)
		add_level(data, data->function_self[function], ways, 0, rows);
	free(ways.ways);
}
