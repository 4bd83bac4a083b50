#include "base/stages.h"

#include "base/mem.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

/* The second stage is serial: more threads would have nothing to do. */
#define THREADS_MAX 16

enum parcel_state {
	PARCEL_FREE, /* or being filled */
	PARCEL_FILLED,
	PARCEL_IN_FIRST,
	PARCEL_BETWEEN,
	PARCEL_IN_SECOND,
};

struct worker {
	struct stages *stages;
	unsigned index;
	pthread_t thread;
};

struct stages {
	struct stages_options options;
	struct worker *workers; /* without the owner: from 1 on */
	unsigned nstarted;      /* including the owner */

	pthread_mutex_t lock;      /* protects all that follows */
	pthread_cond_t work;       /* signals one of the others that there may be work */
	pthread_cond_t done;       /* signals the owner that a second stage is done */
	enum parcel_state *states; /* a ring */
	unsigned oldest;           /* that is not through the second stage */
	unsigned next;             /* that goes into the first */
	unsigned filling;
	bool held;
	bool closing;
};

unsigned
stages_usable_cpus(void)
{
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) < 0)
		return 1;
	return (unsigned)CPU_COUNT(&cpus);
}

struct stages *
stages_new(const struct stages_options *options)
{
	struct stages *stages = mem_zalloc(1, sizeof(*stages));

	stages->options = *options;
	if (options->nthreads == 0)
		stages->options.nthreads = stages_usable_cpus();
	if (stages->options.nthreads > THREADS_MAX)
		stages->options.nthreads = THREADS_MAX;
	stages->workers = mem_zalloc(stages->options.nthreads, sizeof(*stages->workers));
	stages->states = mem_zalloc(options->nparcels, sizeof(*stages->states));
	stages->nstarted = 1;
	pthread_mutex_init(&stages->lock, NULL);
	pthread_cond_init(&stages->work, NULL);
	pthread_cond_init(&stages->done, NULL);
	return stages;
}

unsigned
stages_nthreads(const struct stages *stages)
{
	return stages->options.nthreads;
}

/*
 * Does one stage of a parcel without the lock, which is then held again. Nobody is woken for what
 * this makes possible: the thread itself looks for more.
 */
static void
do_stage(struct stages *stages, unsigned parcel, unsigned thread, stage_work work,
	enum parcel_state during, enum parcel_state after)
{
	stages->states[parcel] = during;
	pthread_mutex_unlock(&stages->lock);
	work(stages->options.context, parcel, thread);
	pthread_mutex_lock(&stages->lock);
	stages->states[parcel] = after;
}

static unsigned
following(const struct stages *stages, unsigned parcel)
{
	return parcel + 1 < stages->options.nparcels ? parcel + 1 : 0;
}

/* Does what can be done next, under the lock; false where there is nothing. */
static bool
do_next(struct stages *stages, unsigned thread)
{
	unsigned oldest = stages->oldest;
	unsigned next = stages->next;

	if (stages->states[oldest] == PARCEL_BETWEEN && !stages->held) {
		do_stage(stages, oldest, thread, stages->options.second, PARCEL_IN_SECOND,
			PARCEL_FREE);
		stages->oldest = following(stages, oldest);
		pthread_cond_signal(&stages->done);
		return true;
	}
	if (stages->states[next] == PARCEL_FILLED) {
		stages->next = following(stages, next);
		do_stage(stages, next, thread, stages->options.first, PARCEL_IN_FIRST,
			PARCEL_BETWEEN);
		return true;
	}
	return false;
}

static void *
run_stages(void *argument)
{
	struct worker *worker = argument;
	struct stages *stages = worker->stages;

	pthread_mutex_lock(&stages->lock);
	while (!stages->closing)
		if (!do_next(stages, worker->index))
			pthread_cond_wait(&stages->work, &stages->lock);
	pthread_mutex_unlock(&stages->lock);
	return NULL;
}

/* If a thread cannot be started, those that run do the work. */
static void
start_threads(struct stages *stages)
{
	while (stages->nstarted < stages->options.nthreads) {
		struct worker *worker = &stages->workers[stages->nstarted];

		*worker = (struct worker){.stages = stages, .index = stages->nstarted};
		if (pthread_create(&worker->thread, NULL, run_stages, worker) != 0)
			stages->options.nthreads = stages->nstarted;
		else
			stages->nstarted++;
	}
}

/* Helps until the parcel is free. */
static void
wait_for(struct stages *stages, unsigned parcel)
{
	while (stages->states[parcel] != PARCEL_FREE)
		if (!do_next(stages, 0))
			pthread_cond_wait(&stages->done, &stages->lock);
}

unsigned
stages_pass(struct stages *stages)
{
	start_threads(stages);
	pthread_mutex_lock(&stages->lock);
	unsigned passed = stages->filling;

	stages->states[passed] = PARCEL_FILLED;
	stages->filling = following(stages, passed);
	stages->held = false;
	pthread_cond_signal(&stages->work);
	/* A single thread does the work at once, while the parcel is in the caches. */
	wait_for(stages, stages->nstarted > 1 ? stages->filling : passed);
	pthread_mutex_unlock(&stages->lock);
	return stages->filling;
}

void
stages_wait(struct stages *stages)
{
	pthread_mutex_lock(&stages->lock);
	stages->held = false;
	for (unsigned i = 0; i < stages->options.nparcels; i++)
		wait_for(stages, i);
	pthread_mutex_unlock(&stages->lock);
}

void
stages_hold(struct stages *stages)
{
	pthread_mutex_lock(&stages->lock);
	stages->held = true;
	while (stages->states[stages->oldest] == PARCEL_IN_SECOND)
		pthread_cond_wait(&stages->done, &stages->lock);
	pthread_mutex_unlock(&stages->lock);
}

void
stages_free(struct stages *stages)
{
	if (!stages)
		return;
	pthread_mutex_lock(&stages->lock);
	stages->closing = true;
	pthread_cond_broadcast(&stages->work);
	pthread_mutex_unlock(&stages->lock);
	for (unsigned i = 1; i < stages->nstarted; i++)
		pthread_join(stages->workers[i].thread, NULL);
	pthread_cond_destroy(&stages->work);
	pthread_cond_destroy(&stages->done);
	pthread_mutex_destroy(&stages->lock);
	free(stages->workers);
	free(stages->states);
	free(stages);
}
