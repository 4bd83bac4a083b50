#include "unwind/pool.h"

#include "base/mem.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Jobs taken at a time: enough to pay for the taking, few enough to end together. */
#define CHUNK 16
/* How much of a stack is fetched ahead of its turn, at most. */
#define AHEAD_BYTES ((size_t)2048)
#define LINE_BYTES ((size_t)64)
#define THREADS_MAX 64

/* The frames that one thread found of a batch. */
struct found {
	struct unwind_frame *frames;
	size_t count;
	size_t capacity;
};

struct worker {
	struct unwind_pool *pool;
	unsigned index;
	pthread_t thread;
	struct unwinder *unwinder;
	struct unwind_stack *stack;
	struct found found[UNWIND_PLACES];
};

struct unwind_pool {
	const struct unwind_machine *machine;
	struct worker *workers; /* the first is the caller */
	unsigned nworkers;
	unsigned nstarted; /* threads beside the caller */
	pthread_mutex_t lock;
	pthread_cond_t begin;
	pthread_cond_t end;
	unsigned batch; /* counts the batches begun; under the lock */
	unsigned busy;  /* threads that still work on it; under the lock */
	bool closing;
	struct unwind_job *jobs;
	size_t njobs;
	unsigned place; /* of their frames */
	atomic_size_t next;
};

static unsigned
usable_cpus(void)
{
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) < 0)
		return 1;
	return (unsigned)CPU_COUNT(&cpus);
}

struct unwind_pool *
unwind_pool_new(const struct unwind_machine *machine, unsigned nthreads)
{
	struct unwind_pool *pool = mem_zalloc(1, sizeof(*pool));

	pool->machine = machine;
	pool->nworkers = nthreads > 0 ? nthreads : usable_cpus();
	if (pool->nworkers > THREADS_MAX)
		pool->nworkers = THREADS_MAX;
	pool->workers = mem_zalloc(pool->nworkers, sizeof(*pool->workers));
	for (unsigned i = 0; i < pool->nworkers; i++) {
		struct worker *worker = &pool->workers[i];

		worker->pool = pool;
		worker->index = i;
		worker->unwinder = unwinder_new(machine);
		worker->stack = mem_zalloc(1, sizeof(*worker->stack));
	}
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->begin, NULL);
	pthread_cond_init(&pool->end, NULL);
	return pool;
}

unsigned
unwind_pool_nthreads(const struct unwind_pool *pool)
{
	return pool->nworkers;
}

static void
keep(struct worker *worker, struct unwind_job *job)
{
	const struct unwind_stack *stack = worker->stack;
	struct found *found = &worker->found[worker->pool->place];

	found->frames = mem_grow(found->frames, &found->capacity, found->count + stack->count,
		sizeof(*found->frames));
	memcpy(found->frames + found->count, stack->frames, stack->count * sizeof(*stack->frames));
	job->thread = worker->index;
	job->first = found->count;
	job->nframes = stack->count;
	job->end = stack->end;
	job->reached_bytes = stack->reached_bytes;
	found->count += stack->count;
}

static void
do_job(struct worker *worker, struct unwind_job *job)
{
	struct unwind_input input = {
		.space = job->space,
		.stack = job->stack,
		.stack_bytes = job->stack_bytes,
		.stack_wanted = job->stack_wanted,
	};

	job->nframes = 0;
	job->end = UNWIND_BROKEN;
	if (!unwind_regs_from_sample(
		    worker->pool->machine, job->regs_mask, job->regs, job->nregs, &input.regs))
		return;
	unwinder_walk(worker->unwinder, &input, worker->stack);
	keep(worker, job);
}

/*
 * Samples lie in memory that nobody has looked at for long, and a walk goes from word to word: each
 * would be waited for on its own. As much is fetched as the walk before took.
 */
static void
fetch_ahead(const struct worker *worker, const struct unwind_job *job)
{
	size_t bytes = worker->stack->reached_bytes < AHEAD_BYTES ? worker->stack->reached_bytes
								  : AHEAD_BYTES;
	const char *regs = (const char *)job->regs;

	if (bytes > job->stack_bytes)
		bytes = job->stack_bytes;
	for (size_t at = 0; at < job->nregs * sizeof(*job->regs); at += LINE_BYTES)
		__builtin_prefetch(regs + at);
	for (size_t at = 0; at < bytes; at += LINE_BYTES)
		__builtin_prefetch(job->stack + at);
}

static void
work(struct worker *worker)
{
	struct unwind_pool *pool = worker->pool;
	size_t at;

	while ((at = atomic_fetch_add(&pool->next, CHUNK)) < pool->njobs) {
		size_t end = at + CHUNK < pool->njobs ? at + CHUNK : pool->njobs;

		for (; at < end; at++) {
			if (at + 1 < pool->njobs)
				fetch_ahead(worker, &pool->jobs[at + 1]);
			do_job(worker, &pool->jobs[at]);
		}
	}
}

static void *
run(void *argument)
{
	struct worker *worker = argument;
	struct unwind_pool *pool = worker->pool;
	unsigned seen = 0;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		while (pool->batch == seen && !pool->closing)
			pthread_cond_wait(&pool->begin, &pool->lock);
		if (pool->closing)
			break;
		seen = pool->batch;
		/* A batch that is too small for others is the caller's alone. */
		if (pool->busy == 0)
			continue;
		pthread_mutex_unlock(&pool->lock);
		work(worker);
		pthread_mutex_lock(&pool->lock);
		if (--pool->busy == 0)
			pthread_cond_signal(&pool->end);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

static void
start_threads(struct unwind_pool *pool)
{
	while (pool->nstarted + 1 < pool->nworkers) {
		struct worker *worker = &pool->workers[pool->nstarted + 1];

		/* Where no more threads can be had, those that are there do the work. */
		if (pthread_create(&worker->thread, NULL, run, worker) != 0) {
			pool->nworkers = pool->nstarted + 1;
			break;
		}
		pool->nstarted++;
	}
}

void
unwind_pool_start(struct unwind_pool *pool, struct unwind_job *jobs, size_t njobs, unsigned place)
{
	bool together = njobs >= UNWIND_WORTH_WAKING && pool->nworkers > 1;

	if (together)
		start_threads(pool);
	pthread_mutex_lock(&pool->lock);
	pool->jobs = jobs;
	pool->njobs = njobs;
	pool->place = place;
	atomic_store(&pool->next, 0);
	pool->batch++;
	pool->busy = together ? pool->nstarted : 0;
	for (unsigned i = 0; i < pool->nworkers; i++)
		pool->workers[i].found[place].count = 0;
	if (together)
		pthread_cond_broadcast(&pool->begin);
	pthread_mutex_unlock(&pool->lock);
}

void
unwind_pool_finish(struct unwind_pool *pool)
{
	if (!pool->jobs)
		return;
	work(&pool->workers[0]);
	pthread_mutex_lock(&pool->lock);
	while (pool->busy > 0)
		pthread_cond_wait(&pool->end, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
	/* Only now: arrays that grew have moved. */
	for (size_t i = 0; i < pool->njobs; i++) {
		struct unwind_job *job = &pool->jobs[i];

		if (job->nframes > 0)
			job->frames =
				pool->workers[job->thread].found[pool->place].frames + job->first;
	}
	pool->jobs = NULL;
	pool->njobs = 0;
}

void
unwind_pool_free(struct unwind_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->closing = true;
	pthread_cond_broadcast(&pool->begin);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 0; i < pool->nstarted; i++)
		pthread_join(pool->workers[i + 1].thread, NULL);
	for (unsigned i = 0; i < pool->nworkers; i++) {
		unwinder_free(pool->workers[i].unwinder);
		free(pool->workers[i].stack);
		for (unsigned place = 0; place < UNWIND_PLACES; place++)
			free(pool->workers[i].found[place].frames);
	}
	pthread_cond_destroy(&pool->begin);
	pthread_cond_destroy(&pool->end);
	pthread_mutex_destroy(&pool->lock);
	free(pool->workers);
	free(pool);
}

void
unwind_pool_check_frame_pointers(struct unwind_pool *pool, bool on)
{
	for (unsigned i = 0; i < pool->nworkers; i++)
		unwinder_check_frame_pointers(pool->workers[i].unwinder, on);
}

void
unwind_pool_frame_pointers(const struct unwind_pool *pool, const struct unwind_table *table,
	uint64_t *steps, uint64_t *alike)
{
	*steps = 0;
	*alike = 0;
	for (unsigned i = 0; i < pool->nworkers; i++) {
		uint64_t its_steps;
		uint64_t its_alike;

		unwinder_frame_pointers(pool->workers[i].unwinder, table, &its_steps, &its_alike);
		*steps += its_steps;
		*alike += its_alike;
	}
}
