/*
 * From a stack to the source lines and addresses at which one function stands in it.
 */
#ifndef INGEST_FUNCTION_LINES_H
#define INGEST_FUNCTION_LINES_H

#include "ingest/stacks.h"
#include "profile/line_weights.h"

#include <stddef.h>
#include <stdint.h>

/* Zero it and set `weights`. */
struct function_lines {
	struct line_weights *weights; /* borrowed; NULL: not wanted */
	uint8_t *known;               /* by frame: 0 not asked yet, 1 another function, 2 it is */
	size_t nknown;
};

void function_lines_release(struct function_lines *lines);

/* Adds a weight to the stack that ended last, at the node that got it: its leaf, or near it. */
void function_lines_add(
	struct function_lines *lines, struct stacks *stacks, node_id node, double weight);

#endif
