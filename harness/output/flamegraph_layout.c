#include "output/flamegraph_layout.h"

#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>

/* Nodes wider than `width` are kept, and of those exactly as wide the first `ties` met. */
struct threshold {
	double width;
	size_t ties;
};

struct walk {
	struct flamegraph_layout *layout;
	const struct ctree *tree;
	const double *widths;
	const struct flamegraph_limits *limits;
	struct threshold threshold;
	struct flamegraph_box *stack; /* boxes placed and not yet taken, the next one last */
	size_t depth;
	size_t capacity;
};

static int
compare_descending(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x < y) - (x > y);
}

/* Counts what has a width, what could be drawn, and finds the threshold that keeps the budget. */
static struct threshold
find_threshold(const struct ctree *tree, const double *widths,
	const struct flamegraph_limits *limits, size_t *nwide, size_t *nkept)
{
	struct threshold threshold = {limits->min_width, SIZE_MAX};
	double *wide = NULL;
	size_t capacity = 0;
	size_t count = 0;

	*nwide = 0;
	for (size_t i = 1; i < tree->nnodes; i++) {
		*nwide += widths[i] > 0;
		if (widths[i] > 0 && widths[i] >= limits->min_width) {
			if (count == capacity)
				wide = mem_grow(wide, &capacity, count + 1, sizeof(*wide));
			wide[count++] = widths[i];
		}
	}
	*nkept = count;
	if (count > limits->max_boxes) {
		qsort(wide, count, sizeof(*wide), compare_descending);
		threshold.width = wide[limits->max_boxes];
		threshold.ties = 0;
		for (size_t i = limits->max_boxes; i > 0 && wide[i - 1] == threshold.width; i--)
			threshold.ties++;
		*nkept = limits->max_boxes;
	}
	free(wide);
	return threshold;
}

static void
push(struct walk *walk, const struct flamegraph_box *box)
{
	if (walk->depth == walk->capacity)
		walk->stack = mem_grow(
			walk->stack, &walk->capacity, walk->depth + 1, sizeof(*walk->stack));
	walk->stack[walk->depth++] = *box;
}

static size_t
emit(struct flamegraph_layout *layout, const struct flamegraph_box *box)
{
	if (layout->nboxes == layout->capacity)
		layout->boxes = mem_grow(layout->boxes, &layout->capacity, layout->nboxes + 1,
			sizeof(*layout->boxes));
	layout->boxes[layout->nboxes] = *box;
	if (box->depth >= layout->levels)
		layout->levels = box->depth + 1;
	return layout->nboxes++;
}

/*
 * Among equally wide nodes the budget may end in the middle. They are met parents first, so a node
 * is never kept without its parent.
 */
static bool
is_kept(struct threshold *threshold, double width)
{
	if (!(width > 0) || width < threshold->width)
		return false;
	if (width > threshold->width || threshold->ties == SIZE_MAX)
		return true;
	if (threshold->ties == 0)
		return false;
	threshold->ties--;
	return true;
}

/* Pushes the children of a box, so that the leftmost is taken next. */
static void
place_children(struct walk *walk, const struct flamegraph_box *box, size_t index)
{
	size_t first = walk->depth;
	struct flamegraph_box rest = {.node = box->node, .depth = box->depth + 1};
	struct flamegraph_box child = {.depth = box->depth + 1, .parent = (uint32_t)index};

	rest.parent = (uint32_t)index;
	child.x = box->x;
	for (node_id n = walk->tree->nodes[box->node].first_child; n != CTREE_NONE;
		n = walk->tree->nodes[n].next_sibling) {
		child.node = n;
		child.width = walk->widths[n];
		if (is_kept(&walk->threshold, child.width)) {
			push(walk, &child);
			child.x += child.width;
		} else if (child.width > 0) {
			rest.width += child.width;
			rest.gathered++;
		}
	}
	rest.x = child.x;
	if (rest.gathered > 0 && rest.width >= walk->limits->min_rest_width)
		push(walk, &rest);
	for (size_t i = first, j = walk->depth; i + 1 < j; i++, j--) {
		struct flamegraph_box swapped = walk->stack[i];

		walk->stack[i] = walk->stack[j - 1];
		walk->stack[j - 1] = swapped;
	}
}

void
flamegraph_layout_init(struct flamegraph_layout *layout, const struct ctree *tree,
	const double *widths, const struct flamegraph_limits *limits)
{
	struct walk walk = {.layout = layout, .tree = tree, .widths = widths, .limits = limits};
	struct flamegraph_box root = {.node = CTREE_ROOT, .width = widths[CTREE_ROOT]};
	size_t nwide;
	size_t nkept;
	size_t ndrawn = 0;

	*layout = (struct flamegraph_layout){0};
	walk.threshold = find_threshold(tree, widths, limits, &nwide, &nkept);
	push(&walk, &root);
	while (walk.depth > 0) {
		struct flamegraph_box box = walk.stack[--walk.depth];
		size_t index = emit(layout, &box);

		if (box.gathered > 0)
			continue;
		ndrawn++;
		if (box.depth + 1 < limits->max_levels)
			place_children(&walk, &box, index);
	}
	free(walk.stack);
	ndrawn--; /* the root is no frame */
	layout->hidden_small = nwide - nkept;
	layout->hidden_deep = nkept > ndrawn ? nkept - ndrawn : 0;
}

void
flamegraph_layout_release(struct flamegraph_layout *layout)
{
	free(layout->boxes);
	*layout = (struct flamegraph_layout){0};
}
