/*
 * A batch of samples, unwound one after another by one unwinder: while a stack is walked, the next
 * is prefetched.
 */
#ifndef UNWIND_UNWIND_BATCH_H
#define UNWIND_UNWIND_BATCH_H

#include "unwind/unwinder.h"

#include <stddef.h>
#include <stdint.h>

/* A sample to be unwound. */
struct unwind_sample {
	const struct unwind_space *space; /* NULL: nothing is known of the process */
	uint64_t regs_mask;               /* sample_regs_user */
	const uint64_t *regs;
	size_t nregs;
	const unsigned char *stack;
	size_t stack_bytes;
	size_t stack_wanted;
	uint64_t returns[UNWIND_RETURNS_MAX]; /* struct unwind_input */
	size_t nreturns;
	uint64_t pc_back; /* the sample's instruction is so many bytes before its pc */

	/* Set by unwind_batch_run(): */
	const struct unwind_frame *frames; /* leaf first; the batch's */
	size_t nframes;                    /* 0: the registers are not usable */
	enum unwind_end end;
	uint64_t reached_bytes;
};

struct unwind_batch {
	struct unwind_sample *samples;
	size_t count;
	size_t capacity;
	struct unwind_frame *frames; /* of all of them, once they are unwound */
	size_t nframes;
	size_t frames_capacity;
};

void unwind_batch_release(struct unwind_batch *batch);
/* Removes all samples; the memory is kept for others. */
void unwind_batch_clear(struct unwind_batch *batch);

/* Adds a sample, zeroed; the pointer is valid until the next is added. */
struct unwind_sample *unwind_batch_add(struct unwind_batch *batch);
/* Unwinds all samples. The memory that they point to must still be valid. */
void unwind_batch_run(struct unwind_batch *batch, struct unwinder *unwinder);

#endif
