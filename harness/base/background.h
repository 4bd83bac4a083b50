/*
 * A thread that does tasks beside its owner, one after the other.
 */
#ifndef BASE_BACKGROUND_H
#define BASE_BACKGROUND_H

struct background;

typedef void (*background_task)(void *argument);

/* Without a thread to be had, its tasks are done by those who start them. */
struct background *background_new(void);
/* Waits for the tasks that were started. NULL is fine. */
void background_free(struct background *background);

/* How many tasks can be unfinished. */
#define BACKGROUND_TASKS 8

/* Adds a task to be done behind those before it; waits where BACKGROUND_TASKS are unfinished. */
void background_start(struct background *background, background_task task, void *argument);
/* Waits until all tasks but the last `left` are done; what they wrote can then be read. */
void background_wait(struct background *background, unsigned left);

#endif
