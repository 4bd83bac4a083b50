/*
 * Which functions are inlined into those of a gate whose machine code changed, by the debug
 * information of the candidate's files.
 */
#ifndef PIPELINE_INLINED_CALLS_H
#define PIPELINE_INLINED_CALLS_H

#include "compare/causes.h"
#include "compare/comparison.h"
#include "gate/module_pairs.h"

#include <stddef.h>
#include <stdint.h>

/* Texts are borrowed from the pairs. */
struct inlined_call {
	frame_id into; /* of the comparison */
	const char *name;
	const char *file; /* that declares it; NULL: not known */
	uint32_t line;    /* of the declaration; 0: not known */
};

/* Owned. */
struct inlined_calls {
	struct inlined_call *all;
	size_t count;
	size_t capacity;
};

/* For the functions whose lines are the same, which have one that is inlined as a possible cause.
 */
void inlined_calls_read(struct inlined_calls *calls, struct module_pairs *pairs,
	const struct comparison *comparison, const struct code_states *code);
void inlined_calls_release(struct inlined_calls *calls);

#endif
