/*
 * Unwinding many samples at once, by as many threads as there are CPUs.
 *
 * Samples are handed over in batches. While the threads walk one batch, the caller can use the
 * results of those before and collect the next.
 */
#ifndef UNWIND_POOL_H
#define UNWIND_POOL_H

#include "unwind/unwinder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One sample to be walked. What it points to stays as it is until the batch is finished. */
struct unwind_job {
	const struct unwind_space *space; /* NULL: nothing is known of the process */
	uint64_t regs_mask;               /* sample_regs_user */
	const uint64_t *regs;
	size_t nregs;
	const unsigned char *stack;
	size_t stack_bytes;
	size_t stack_wanted;

	/* Filled in. */
	const struct unwind_frame *frames; /* leaf first; until a batch with the same place began */
	size_t nframes;                    /* 0: the registers are not usable */
	enum unwind_end end;
	uint64_t reached_bytes;
	size_t first; /* where the frames lie among those of its thread */
	unsigned thread;
};

/* Waking another thread takes longer than doing less than this. */
#define UNWIND_WORTH_WAKING 128

struct unwind_pool;

/*
 * `nthreads` unwinders, the caller's thread counted; 0: one for each CPU this process may use. The
 * threads are started by the first batch that is worth it.
 */
struct unwind_pool *unwind_pool_new(const struct unwind_machine *machine, unsigned nthreads);
void unwind_pool_free(struct unwind_pool *pool);
/* How many threads work in it, or will, the caller's counted. */
unsigned unwind_pool_nthreads(const struct unwind_pool *pool);

/* Frames of so many batches are kept. */
#define UNWIND_PLACES 6

/*
 * Begins to walk `jobs`; the batch before must have been finished. The frames take `place`, below
 * UNWIND_PLACES, from those that had it.
 */
void unwind_pool_start(
	struct unwind_pool *pool, struct unwind_job *jobs, size_t njobs, unsigned place);
/* Helps until all jobs that were started are done. Nothing to do is fine. */
void unwind_pool_finish(struct unwind_pool *pool);

/* The frame-pointer check of every unwinder (unwinder.h), and its sums. */
void unwind_pool_check_frame_pointers(struct unwind_pool *pool, bool on);
void unwind_pool_frame_pointers(const struct unwind_pool *pool, const struct unwind_table *table,
	uint64_t *steps, uint64_t *alike);

#endif
