/*
 * How much of a profile a picture shows, so that it does not become too large: boxes, and of the
 * longest names.
 */
#ifndef FLAMEGRAPH_BUDGET_H
#define FLAMEGRAPH_BUDGET_H

#include "flamegraph/flamegraph.h"

#include <stdbool.h>
#include <stddef.h>

/* A picture is not to be larger, unless by what the caller asks for, or by the least there can be.
 */
#define FLAMEGRAPH_MAX_BYTES ((size_t)1000000)

/* Of names in titles and headings, and in the tooltips of a picture that would be too large. */
#define FLAMEGRAPH_NAME_BYTES_MAX 1000

struct flamegraph_budget {
	size_t boxes;
	bool fixed;        /* the caller wants so many */
	size_t name_bytes; /* in tooltips: a longer name loses its middle */
};

/* What to try first: all of the names, and boxes as the options say or `boxes`. */
struct flamegraph_budget flamegraph_budget_first(
	const struct profile *profile, const struct flamegraph_options *options, size_t boxes);
/* Whether there can be no less. */
bool flamegraph_budget_is_least(const struct flamegraph_budget *budget);
/* What to try after a picture of `bytes`; false if that is small enough, or the least. */
bool flamegraph_budget_cut(struct flamegraph_budget *budget, size_t bytes);

#endif
