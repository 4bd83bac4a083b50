/*
 * A thread that does one task at a time, beside its owner.
 */
#ifndef BASE_BACKGROUND_H
#define BASE_BACKGROUND_H

struct background;

typedef void (*background_task)(void *argument);

/* Without a thread to be had, its tasks are done by those who start them. */
struct background *background_new(void);
/* Waits for the task that is under way. NULL is fine. */
void background_free(struct background *background);

/* Begins a task; the one before must have been waited for. */
void background_start(struct background *background, background_task task, void *argument);
/* Waits until the task that was started last is done; what it wrote can then be read. */
void background_wait(struct background *background);

#endif
