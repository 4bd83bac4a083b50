/*
 * The functions that are inlined into functions whose machine code changed, by the debug
 * information of the candidate's files: one of them may be the cause.
 */
#ifndef GATE_INLINED_CALLS_H
#define GATE_INLINED_CALLS_H

#include "compare/causes.h"
#include "compare/comparison.h"
#include "gate/module_pairs.h"

#include <stddef.h>
#include <stdint.h>

struct inlined_call {
	frame_id into;    /* the function that it is inlined into; a frame of the comparison */
	const char *name; /* borrowed from the pairs, as is `file` */
	const char *file; /* that declares it; NULL: not known */
	uint32_t line;    /* of the declaration; 0: not known */
};

/* Owned. */
struct inlined_calls {
	struct inlined_call *all;
	size_t count;
	size_t capacity;
};

/* For the functions whose code changed although their own lines are the same. */
void inlined_calls_read(struct inlined_calls *calls, struct module_pairs *pairs,
	const struct comparison *comparison, const struct code_states *code);
void inlined_calls_release(struct inlined_calls *calls);

#endif
