/*
 * A batch of samples to be unwound.
 */
#ifndef UNWIND_JOBS_H
#define UNWIND_JOBS_H

#include "unwind/unwinder.h"

#include <stddef.h>
#include <stdint.h>

/* One sample to be walked. */
struct unwind_job {
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

	/* Filled in. */
	const struct unwind_frame *frames; /* leaf first; the batch's */
	size_t nframes;                    /* 0: the registers are not usable */
	enum unwind_end end;
	uint64_t reached_bytes;
};

struct unwind_jobs {
	struct unwind_job *jobs;
	size_t count;
	size_t capacity;
	struct unwind_frame *frames; /* of all of them, once they are walked */
	size_t nframes;
	size_t frames_capacity;
};

void unwind_jobs_release(struct unwind_jobs *jobs);
/* Forgets all of them; the memory is kept for others. */
void unwind_jobs_clear(struct unwind_jobs *jobs);

/* A new one, zeroed; valid until the next is added. */
struct unwind_job *unwind_jobs_add(struct unwind_jobs *jobs);
/* The memory that the jobs point to must still be valid. */
void unwind_jobs_walk(struct unwind_jobs *jobs, struct unwinder *unwinder);

#endif
