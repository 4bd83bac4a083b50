#include "unwind/unwind_batch.h"

#include "base/mem.h"
#include "unwind/unwinder.h"

#include <stdlib.h>
#include <string.h>

/* At most this much of a stack is prefetched. */
#define AHEAD_BYTES ((size_t)2048)
#define LINE_BYTES ((size_t)64)

void
unwind_batch_release(struct unwind_batch *batch)
{
	free(batch->samples);
	free(batch->frames);
	*batch = (struct unwind_batch){.count = 0};
}

void
unwind_batch_clear(struct unwind_batch *batch)
{
	batch->count = 0;
	batch->nframes = 0;
}

struct unwind_sample *
unwind_batch_add(struct unwind_batch *batch)
{
	batch->samples = mem_grow(
		batch->samples, &batch->capacity, batch->count + 1, sizeof(*batch->samples));
	struct unwind_sample *sample = &batch->samples[batch->count++];

	*sample = (struct unwind_sample){.end = UNWIND_BROKEN};
	return sample;
}

static void
add_stack(
	struct unwind_batch *batch, struct unwind_sample *sample, const struct unwind_stack *stack)
{
	batch->frames = mem_grow(batch->frames, &batch->frames_capacity,
		batch->nframes + stack->count, sizeof(*batch->frames));
	memcpy(batch->frames + batch->nframes, stack->frames,
		stack->count * sizeof(*stack->frames));
	sample->nframes = stack->count;
	sample->end = stack->end;
	sample->reached_bytes = stack->reached_bytes;
	batch->nframes += stack->count;
}

/*
 * Samples are no longer in the caches, and a walk goes from word to word: each would be another
 * cache miss. As much is prefetched as the previous walk read.
 */
static void
fetch_ahead(const struct unwind_sample *sample, uint64_t reached_bytes)
{
	size_t bytes = reached_bytes < AHEAD_BYTES ? reached_bytes : AHEAD_BYTES;
	const char *regs = (const char *)sample->regs;

	if (bytes > sample->stack_bytes)
		bytes = sample->stack_bytes;
	for (size_t at = 0; at < sample->nregs * sizeof(*sample->regs); at += LINE_BYTES)
		__builtin_prefetch(regs + at);
	for (size_t at = 0; at < bytes; at += LINE_BYTES)
		__builtin_prefetch(sample->stack + at);
}

/* Only after all are unwound: the frames move when they grow. */
static void
find_frames(struct unwind_batch *batch)
{
	size_t begin = 0;

	/* Without a frame in any sample there is no memory. */
	for (size_t i = 0; i < batch->count; i++) {
		batch->samples[i].frames = batch->frames ? batch->frames + begin : NULL;
		begin += batch->samples[i].nframes;
	}
}

void
unwind_batch_run(struct unwind_batch *batch, struct unwinder *unwinder)
{
	const struct unwind_machine *machine = unwinder_machine(unwinder);
	struct unwind_stack *stack = mem_zalloc(1, sizeof(*stack));

	for (size_t i = 0; i < batch->count; i++) {
		struct unwind_sample *sample = &batch->samples[i];
		struct unwind_input input = {
			.space = sample->space,
			.stack = sample->stack,
			.stack_bytes = sample->stack_bytes,
			.stack_wanted = sample->stack_wanted,
			.returns = sample->returns,
			.nreturns = sample->nreturns,
		};

		if (i + 1 < batch->count)
			fetch_ahead(sample + 1, stack->reached_bytes);
		if (!unwind_regs_from_sample(
			    machine, sample->regs_mask, sample->regs, sample->nregs, &input.regs))
			continue;
		input.regs.pc -= sample->pc_back;
		unwinder_walk(unwinder, &input, stack);
		add_stack(batch, sample, stack);
	}
	find_frames(batch);
	free(stack);
}
