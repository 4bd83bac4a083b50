#include "base/background.h"

#include "base/mem.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct background {
	pthread_t thread;
	bool threaded;
	pthread_mutex_t lock; /* what follows is under it */
	pthread_cond_t changed;
	background_task task; /* NULL: there is nothing to do */
	void *argument;
	bool closing;
};

static void *
run(void *argument)
{
	struct background *background = argument;

	pthread_mutex_lock(&background->lock);
	for (;;) {
		while (!background->task && !background->closing)
			pthread_cond_wait(&background->changed, &background->lock);
		if (!background->task)
			break;
		background_task task = background->task;
		void *its = background->argument;

		pthread_mutex_unlock(&background->lock);
		task(its);
		pthread_mutex_lock(&background->lock);
		background->task = NULL;
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
	pthread_mutex_lock(&background->lock);
	background->task = task;
	background->argument = argument;
	pthread_cond_broadcast(&background->changed);
	pthread_mutex_unlock(&background->lock);
}

void
background_wait(struct background *background)
{
	pthread_mutex_lock(&background->lock);
	while (background->task)
		pthread_cond_wait(&background->changed, &background->lock);
	pthread_mutex_unlock(&background->lock);
}
