/*
 * The layout of a flame graph: which boxes are drawn within the budget, and where each stands; and
 * the reversal of the stacks, for a picture whose boxes are the callers of hot functions.
 */
#include "flamegraph/layout.h"

#include "base/mem.h"
#include "flamegraph/flamegraph.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Nodes wider than `width` are kept, and of those exactly as wide the first `ties` met. */
struct threshold {
	double width;
	size_t ties;
};

struct placed {
	struct flamegraph_box box;
	const char *name;     /* siblings are ordered by it, */
	enum frame_kind kind; /* then by this */
};

struct walk {
	const struct profile *profile;
	const struct ctree *tree;
	const double *widths;
	const struct flamegraph_limits *limits;
	struct threshold threshold;
	struct placed *stack; /* boxes placed and not yet taken, the next one last */
	size_t depth;
	size_t capacity;
};

/*
 * The n-th largest of `count` positive numbers, n counting from 1. Their bits have the same order:
 * each round finds nine of the 63 below the sign, from the highest on.
 */
static double
nth_largest(const double *values, size_t count, size_t n)
{
	enum { DIGIT_BITS = 9, DIGITS = 1 << DIGIT_BITS };
	uint64_t found = 0;
	double value;

	for (int shift = 63 - DIGIT_BITS; shift >= 0; shift -= DIGIT_BITS) {
		size_t counts[DIGITS] = {0};
		size_t digit = DIGITS - 1;

		for (size_t i = 0; i < count; i++) {
			uint64_t bits;

			memcpy(&bits, &values[i], sizeof(bits));
			if (bits >> (shift + DIGIT_BITS) == found >> (shift + DIGIT_BITS))
				counts[bits >> shift & (DIGITS - 1)]++;
		}
		for (; counts[digit] < n; digit--)
			n -= counts[digit];
		found |= (uint64_t)digit << shift;
	}
	memcpy(&value, &found, sizeof(value));
	return value;
}

/* Counts what has a width, what is wide enough, and finds the threshold that keeps the budget. */
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
			wide = mem_grow(wide, &capacity, count + 1, sizeof(*wide));
			wide[count++] = widths[i];
		}
	}
	*nkept = count;
	if (count > limits->max_boxes) {
		threshold.width = nth_largest(wide, count, limits->max_boxes + 1);
		threshold.ties = limits->max_boxes;
		for (size_t i = 0; i < count; i++)
			threshold.ties -= wide[i] > threshold.width;
		*nkept = limits->max_boxes;
	}
	free(wide);
	return threshold;
}

static void
push_box(struct walk *walk, const struct placed *placed)
{
	walk->stack = mem_grow(walk->stack, &walk->capacity, walk->depth + 1, sizeof(*walk->stack));
	walk->stack[walk->depth++] = *placed;
}

static void
emit(struct flamegraph_layout *layout, const struct flamegraph_box *box)
{
	layout->boxes = mem_grow(
		layout->boxes, &layout->capacity, layout->nboxes + 1, sizeof(*layout->boxes));
	layout->boxes[layout->nboxes++] = *box;
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

static int
compare_siblings(const void *a, const void *b)
{
	const struct placed *x = a;
	const struct placed *y = b;
	int order = strcmp(x->name, y->name);

	return order != 0 ? order : (x->kind > y->kind) - (x->kind < y->kind);
}

static void
sort_siblings(const struct profile *profile, struct placed *siblings, size_t count)
{
	/* Names are far apart in memory, and most boxes stand alone on their caller. */
	for (size_t i = 0; i < count && count > 1; i++) {
		frame_id frame = profile->tree.nodes[siblings[i].box.node].frame;

		siblings[i].name = profile_frame_name(profile, frame);
		siblings[i].kind = profile->frames.frames[frame].kind;
	}
	/* Most profiles come sorted. */
	for (size_t i = 1; i < count; i++) {
		if (compare_siblings(&siblings[i - 1], &siblings[i]) > 0) {
			qsort(siblings, count, sizeof(*siblings), compare_siblings);
			return;
		}
	}
}

/* Pushes the children that are wide enough, unplaced, and adds up the others in `rest`. */
static void
push_children(struct walk *walk, node_id parent, struct flamegraph_box *rest)
{
	const struct ctree_node *nodes = walk->tree->nodes;

	for (node_id n = nodes[parent].first_child; n != CTREE_NONE; n = nodes[n].next_sibling) {
		double width = walk->widths[n];

		if (width > 0 && width >= walk->threshold.width) {
			struct placed child = {.box = {.node = n, .width = width}};

			push_box(walk, &child);
		} else if (width > 0) {
			rest->width += width;
			rest->gathered++;
		}
	}
}

/* Pushes the children of a box, so that the leftmost is taken next. */
static void
place_children(struct walk *walk, struct flamegraph_box *box)
{
	size_t first = walk->depth;
	struct placed rest = {.box = {.node = box->node}};

	push_children(walk, box->node, &rest.box);
	sort_siblings(walk->profile, walk->stack + first, walk->depth - first);
	double x = box->x;
	size_t kept = first;

	for (size_t i = first; i < walk->depth; i++) {
		struct flamegraph_box *child = &walk->stack[i].box;

		if (is_kept(&walk->threshold, child->width)) {
			child->x = x;
			x += child->width;
			walk->stack[kept++] = walk->stack[i];
		} else {
			rest.box.width += child->width;
			rest.box.gathered++;
		}
	}
	walk->depth = kept;
	rest.box.x = x;
	box->rest = rest.box.width;
	if (rest.box.gathered > 0 && rest.box.width >= walk->limits->min_rest_width)
		push_box(walk, &rest);
	for (size_t i = first; i < walk->depth; i++)
		walk->stack[i].box.depth = box->depth + 1;
	for (size_t i = first, j = walk->depth; i + 1 < j; i++, j--) {
		struct placed swapped = walk->stack[i];

		walk->stack[i] = walk->stack[j - 1];
		walk->stack[j - 1] = swapped;
	}
}

/* Pushes the box of siblings that were left out, if it is wide enough, and empties it. */
static void
push_gathered(struct walk *walk, struct placed *gathered)
{
	if (gathered->box.gathered > 0 && gathered->box.width >= walk->limits->min_rest_width)
		push_box(walk, gathered);
	gathered->box.gathered = 0;
	gathered->box.width = 0;
}

/* Places the children of a box of a chart; siblings are ordered from the latest to the first. */
static void
place_calls(struct walk *walk, const struct flamegraph_box *box)
{
	const struct ctree_node *nodes = walk->tree->nodes;
	struct placed gathered = {.box = {.node = box->node, .depth = box->depth + 1}};

	for (node_id n = nodes[box->node].first_child; n != CTREE_NONE; n = nodes[n].next_sibling) {
		const double width = walk->widths[n];
		const struct placed call = {.box = {.node = n,
						    .depth = box->depth + 1,
						    .x = walk->limits->begins[n],
						    .width = width}};

		if (is_kept(&walk->threshold, width)) {
			push_gathered(walk, &gathered);
			push_box(walk, &call);
			continue;
		}
		/* What ends before it begins is not adjacent. */
		if (gathered.box.gathered > 0 && call.box.x + width < gathered.box.x)
			push_gathered(walk, &gathered);
		gathered.box.width += width;
		gathered.box.x = call.box.x;
		gathered.box.gathered++;
	}
	push_gathered(walk, &gathered);
}

void
flamegraph_layout_init(struct flamegraph_layout *layout, const struct profile *profile,
	const double *widths, const struct flamegraph_limits *limits)
{
	struct walk walk = {
		.profile = profile,
		.tree = &profile->tree,
		.widths = widths,
		.limits = limits,
	};
	struct placed root = {.box = {.node = CTREE_ROOT, .width = widths[CTREE_ROOT]}};
	size_t nwide;
	size_t nkept;

	*layout = (struct flamegraph_layout){0};
	walk.threshold = find_threshold(&profile->tree, widths, limits, &nwide, &nkept);
	push_box(&walk, &root);
	while (walk.depth > 0) {
		struct flamegraph_box box = walk.stack[--walk.depth].box;

		if (box.gathered == 0 && limits->begins)
			place_calls(&walk, &box);
		else if (box.gathered == 0)
			place_children(&walk, &box);
		emit(layout, &box);
	}
	free(walk.stack);
	layout->hidden = nwide - nkept;
}

void
flamegraph_layout_release(struct flamegraph_layout *layout)
{
	free(layout->boxes);
	*layout = (struct flamegraph_layout){0};
}

static bool
has_weight(const struct ctree *tree, node_id node)
{
	for (size_t column = 0; column < tree->ncolumns; column++) {
		if (ctree_weight(tree, column, node) != 0)
			return true;
	}
	return false;
}

void
flamegraph_reverse(struct profile *profile)
{
	struct ctree *tree = &profile->tree;
	struct ctree reversed;

	ctree_init(&reversed);
	while (reversed.ncolumns < tree->ncolumns)
		ctree_add_column(&reversed);
	for (node_id node = 1; node < tree->nnodes; node++) {
		node_id to = CTREE_ROOT;
		size_t levels = 0;

		if (!has_weight(tree, node))
			continue;
		for (node_id from = node; from != CTREE_ROOT && levels < FLAMEGRAPH_REVERSE_LEVELS;
			from = tree->nodes[from].parent, levels++)
			to = ctree_child(&reversed, to, tree->nodes[from].frame);
		for (size_t column = 0; column < tree->ncolumns; column++)
			ctree_add(&reversed, column, to, ctree_weight(tree, column, node));
	}
	ctree_release(tree);
	*tree = reversed;
}
