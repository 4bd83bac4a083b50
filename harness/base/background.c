#include "base/background.h"

#include "base/mem.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct task {
	background_task task;
	void *argument;
};

struct background {
	pthread_t thread;
	bool threaded;
	pthread_mutex_t lock; /* what follows is under it */
	pthread_cond_t changed;
	struct task tasks[BACKGROUND_TASKS]; /* a ring */
	unsigned first;                      /* the one to be done next, or being done */
	unsigned count;                      /* of those unfinished */
	bool closing;
};

static void *
run(void *argument)
{
	struct background *background = argument;

	pthread_mutex_lock(&background->lock);
	for (;;) {
		while (background->count == 0 && !background->closing)
			pthread_cond_wait(&background->changed, &background->lock);
		if (background->count == 0)
			break;
		struct task next = background->tasks[background->first];

		pthread_mutex_unlock(&background->lock);
		next.task(next.argument);
		pthread_mutex_lock(&background->lock);
		background->first = (background->first + 1) % BACKGROUND_TASKS;
		background->count--;
		pthread_cond_broadcast(&background->changed);
	}
	pthread_mutex_unlock(&background->lock);
	return NULL;
}

struct background *
background_new(void)
{
	struct background *background = mem_zalloc(1, sizeof(*background));

	pthread_mutex_init(&background->lock, NULL);
	pthread_cond_init(&background->changed, NULL);
	background->threaded = pthread_create(&background->thread, NULL, run, background) == 0;
	return background;
}

void
background_free(struct background *background)
{
	if (!background)
		return;
	if (background->threaded) {
		pthread_mutex_lock(&background->lock);
		background->closing = true;
		pthread_cond_broadcast(&background->changed);
		pthread_mutex_unlock(&background->lock);
		pthread_join(background->thread, NULL);
	}
	pthread_cond_destroy(&background->changed);
	pthread_mutex_destroy(&background->lock);
	free(background);
}

void
background_start(struct background *background, background_task task, void *argument)
{
	if (!background->threaded) {
		task(argument);
		return;
	}
	background_wait(background, BACKGROUND_TASKS - 1);
	pthread_mutex_lock(&background->lock);
	background->tasks[(background->first + background->count) % BACKGROUND_TASKS] =
		(struct task){task, argument};
	background->count++;
	pthread_cond_broadcast(&background->changed);
	pthread_mutex_unlock(&background->lock);
}

void
background_wait(struct background *background, unsigned left)
{
	pthread_mutex_lock(&background->lock);
	while (background->count > left)
		pthread_cond_wait(&background->changed, &background->lock);
	pthread_mutex_unlock(&background->lock);
}
