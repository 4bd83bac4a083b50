/*
 * The changes of the nodes and functions of a differential flame graph, and their significance.
 *
 * Each is tested separately, from its own runs, by the model that judges functions in a gate
 * (compare/model.h): by the variance between runs, at least the binomial one; of single runs by
 * that alone. Shares are tested the same way with the whole as the rest. A node or function with
 * too few samples on a side for a ratio, such as a new or gone one, is compared with the binomial
 * noise of its counts and has no interval.
 *
 * A function that the comparison has tested has its costs, change, interval and verdict, and so has
 * a node that holds all of its own weight: a number is the same in the text, the list and the
 * tooltip.
 *
 * Any other interval is the 95 % confidence interval of this one number. `significant` is stricter:
 * it is corrected for all visible frames (Bonferroni), so that noise colours a frame in one picture
 * of twenty. Hence a change whose interval excludes 0 may not be significant.
 */
#ifndef FLAMEGRAPH_CHANGE_H
#define FLAMEGRAPH_CHANGE_H

#include "base/buf.h"
#include "flamegraph/sides.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

struct flamegraph_change {
	double before; /* sizes */
	double after;
	double ratio; /* after / before - 1, drift taken out; INFINITY for what is new */
	double skew;  /* how far the middle of that interval is above ln(1 + ratio) */
	double half;  /* half width of the interval of ln(1 + ratio); NAN where it is not known */
	bool significant;
};

/* The changes of nodes[count] with all below them, and of the nodes alone: total[count],
 * self[count].
 */
void flamegraph_change_nodes(const struct flamegraph_sides *sides, const node_id *nodes,
	size_t count, struct flamegraph_change *total, struct flamegraph_change *self);

/* The changes of every function's own cost (profile/functions.h), by frame_id; free() it. */
struct flamegraph_change *flamegraph_change_functions(const struct flamegraph_sides *sides);

/* The signs of growth and of shrinking, and the arrow from a value before to that after. */
#define FLAMEGRAPH_UP "\xe2\x96\xb2"
#define FLAMEGRAPH_DOWN "\xe2\x96\xbc"
#define FLAMEGRAPH_ARROW " \xe2\x86\x92 "

/* Appends the costs before and after: "1.2 ms -> 1.5 ms per run". */
void flamegraph_change_put_costs(const struct flamegraph_sides *sides,
	const struct flamegraph_change *change, struct buf *out);
/* Appends the change with its interval, or "new", or "gone". */
void flamegraph_change_put_ratio(const struct flamegraph_change *change, struct buf *out);

/* The class of a change in assets/colours.css, which has its colour. */
const char *flamegraph_change_class(const struct flamegraph_change *change);

/* Whether all of two changes are equal. */
bool flamegraph_change_is_same(
	const struct flamegraph_change *a, const struct flamegraph_change *b);

#endif
