#include "unwind/jobs.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* At most this much of a stack is prefetched. */
#define AHEAD_BYTES ((size_t)2048)
#define LINE_BYTES ((size_t)64)

void
unwind_jobs_release(struct unwind_jobs *jobs)
{
	free(jobs->jobs);
	free(jobs->frames);
	*jobs = (struct unwind_jobs){.count = 0};
}

void
unwind_jobs_clear(struct unwind_jobs *jobs)
{
	jobs->count = 0;
	jobs->nframes = 0;
}

struct unwind_job *
unwind_jobs_add(struct unwind_jobs *jobs)
{
	jobs->jobs = mem_grow(jobs->jobs, &jobs->capacity, jobs->count + 1, sizeof(*jobs->jobs));
	struct unwind_job *job = &jobs->jobs[jobs->count++];

	*job = (struct unwind_job){.end = UNWIND_BROKEN};
	return job;
}

static void
keep(struct unwind_jobs *jobs, struct unwind_job *job, const struct unwind_stack *stack)
{
	jobs->frames = mem_grow(jobs->frames, &jobs->frames_capacity, jobs->nframes + stack->count,
		sizeof(*jobs->frames));
	memcpy(jobs->frames + jobs->nframes, stack->frames, stack->count * sizeof(*stack->frames));
	job->nframes = stack->count;
	job->end = stack->end;
	job->reached_bytes = stack->reached_bytes;
	jobs->nframes += stack->count;
}

/*
 * Samples are no longer in the caches, and a walk goes from word to word: each would be another
 * cache miss. As much is prefetched as the previous walk read.
 */
static void
fetch_ahead(const struct unwind_job *job, uint64_t reached_bytes)
{
	size_t bytes = reached_bytes < AHEAD_BYTES ? reached_bytes : AHEAD_BYTES;
	const char *regs = (const char *)job->regs;

	if (bytes > job->stack_bytes)
		bytes = job->stack_bytes;
	for (size_t at = 0; at < job->nregs * sizeof(*job->regs); at += LINE_BYTES)
		__builtin_prefetch(regs + at);
	for (size_t at = 0; at < bytes; at += LINE_BYTES)
		__builtin_prefetch(job->stack + at);
}

/* Only after all are walked: the frames move when they grow. */
static void
find_frames(struct unwind_jobs *jobs)
{
	const struct unwind_frame *frames = jobs->frames;

	for (size_t i = 0; i < jobs->count; i++) {
		jobs->jobs[i].frames = frames;
		frames += jobs->jobs[i].nframes;
	}
}

void
unwind_jobs_walk(struct unwind_jobs *jobs, struct unwinder *unwinder)
{
	const struct unwind_machine *machine = unwinder_machine(unwinder);
	struct unwind_stack *stack = mem_zalloc(1, sizeof(*stack));

	for (size_t i = 0; i < jobs->count; i++) {
		struct unwind_job *job = &jobs->jobs[i];
		struct unwind_input input = {
			.space = job->space,
			.stack = job->stack,
			.stack_bytes = job->stack_bytes,
			.stack_wanted = job->stack_wanted,
			.returns = job->returns,
			.nreturns = job->nreturns,
		};

		if (i + 1 < jobs->count)
			fetch_ahead(job + 1, stack->reached_bytes);
		if (!unwind_regs_from_sample(
			    machine, job->regs_mask, job->regs, job->nregs, &input.regs))
			continue;
		input.regs.pc -= job->pc_back;
		unwinder_walk(unwinder, &input, stack);
		keep(jobs, job, stack);
	}
	find_frames(jobs);
	free(stack);
}
