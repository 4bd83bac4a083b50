/*
 * The files of a workload's `inputs` as they were before the runs, to find one that a run changed:
 * both builds read the same files, so that the later run would have other data.
 */
#ifndef BUILDS_INPUT_STATES_H
#define BUILDS_INPUT_STATES_H

#include "base/arena.h"
#include "builds/file_states.h"
#include "spec/workload.h"

#include <stdbool.h>
#include <stddef.h>

/* All zeros: none. */
struct input_states {
	struct file_state *states; /* their paths are the arena's */
	size_t count;
	size_t capacity;
	struct arena arena;
};

/* Takes the states of the inputs as they are in the build that `workload` is run in. */
void input_states_take(struct input_states *states, const struct workload *workload);
void input_states_release(struct input_states *states);

/*
 * The path of the first that is gone or has other contents (a large file: was written); NULL if
 * there is none.
 */
const char *input_states_find_changed(const struct input_states *states);

#endif
