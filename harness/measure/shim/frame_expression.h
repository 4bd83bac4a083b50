/*
 * Expressions for the CFA, of the kinds that there are.
 */
#ifndef SHIM_FRAME_EXPRESSION_H
#define SHIM_FRAME_EXPRESSION_H

#include "dwarf/cursor.h"

#include <stdbool.h>
#include <stdint.h>

/* A register plus an offset: the CFA itself, or with `load` where it is in memory. */
struct frame_place {
	uint64_t reg; /* FRAME_SP or FRAME_FP */
	int64_t offset;
	bool load;
};

/*
 * The place that an expression gives at `pc`; false for one that gives none: that of the stubs
 * which call other modules (the stack pointer, and 8 more behind the stub's push), and those of
 * functions that realign their stack, which end with a load, are known.
 */
bool frame_expression(struct cursor expression, uintptr_t pc, struct frame_place *place);

#endif
