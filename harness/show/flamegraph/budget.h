/*
 * How much a flame graph may hold, so that its file stays small enough to be sent and opened.
 */
#ifndef FLAMEGRAPH_BUDGET_H
#define FLAMEGRAPH_BUDGET_H

#include "base/buf.h"
#include "flamegraph/flamegraph.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The most bytes of a picture, unless the caller asks for more or the smallest budget needs more.
 */
#define FLAMEGRAPH_MAX_BYTES ((size_t)1200000)

/* For names in titles and headings, and in the tooltips of a picture that would be too large. */
#define FLAMEGRAPH_NAME_BYTES_MAX 1000

/* For a function that only search finds, beside its name. */
#define FLAMEGRAPH_LISTED_BYTES 8

struct flamegraph_budget {
	size_t boxes;
	bool fixed;            /* the caller has set `boxes` */
	size_t name_bytes;     /* in tooltips: a longer name loses its middle */
	size_t function_bytes; /* for functions with nodes that are not in the layout */
	size_t fitting; /* after a picture of too many bytes: how many boxes there is room for */
};

/*
 * The budget to try first: whole names, and as many boxes as the options say, else `boxes`; of a
 * large tree as many as there is room for, at `box_bytes` each.
 */
struct flamegraph_budget flamegraph_budget_first(const struct profile *profile,
	const struct flamegraph_options *options, size_t boxes, size_t box_bytes);
/* Whether the budget cannot be cut further. */
bool flamegraph_budget_is_least(const struct flamegraph_budget *budget);
/*
 * The bytes to leave out of a picture of `bytes`; 0: it is small enough. Two hundredths more than
 * is too much, as the bytes of the next one are a guess.
 */
size_t flamegraph_budget_surplus(size_t bytes);
/*
 * Cuts the budget after a picture of `bytes`; false if that is small enough, or the budget is the
 * least.
 */
bool flamegraph_budget_cut(struct flamegraph_budget *budget, size_t bytes);

/*
 * Appends a picture that is drawn with `budget`, and returns its bytes; draws nothing and returns a
 * guess where that is more than `most_bytes`. Of too many bytes, it sets budget->fitting.
 */
typedef size_t flamegraph_draw_fn(
	const void *picture, struct flamegraph_budget *budget, size_t most_bytes, struct buf *out);
/* Appends the picture, drawn with smaller budgets until it is small enough. */
void flamegraph_budget_draw(struct flamegraph_budget first, flamegraph_draw_fn *draw,
	const void *picture, struct buf *out);

#endif
