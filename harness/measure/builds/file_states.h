/*
 * The files of a run as they were when it ended, to find out whether something changed them since.
 */
#ifndef BUILDS_FILE_STATES_H
#define BUILDS_FILE_STATES_H

#include "base/arena.h"
#include "base/hash.h"
#include "process/run_files.h"
#include "spec/workload.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* A file; its path is borrowed from the run's files. */
struct file_state {
	const char *path;
	struct stat status;
	bool is_code;              /* it was executed or mapped as code */
	bool is_system;            /* it is installed, and no build's */
	char hash[HASH_TEXT_SIZE]; /* of its contents; "" where it is large, or one that we never
				      look into */
};

/* All zeros: none. */
struct file_states {
	struct file_state *states; /* to be freed */
	size_t count;
};

/*
 * Takes the states of those that were executed, mapped or read, and not written, by the run. Of
 * files of the system only code is taken, but for those below `folder` (as below).
 */
void file_states_take(
	struct file_states *states, const struct run_files *files, const char *folder);
void file_states_release(struct file_states *states);

/*
 * The first that is no file of the system and not as it was: changed in `folder` (absolute, without
 * links; NULL: none) by being written, elsewhere in its contents. NULL if there is none.
 */
const struct file_state *file_states_find_changed(
	const struct file_states *states, const char *folder);
/*
 * The first that is code and is gone, or is known to have other contents: a build may have made the
 * same anew. NULL if there is none.
 */
const struct file_state *file_states_find_other_code(const struct file_states *states);

/*
 * The files of a workload's `inputs` as they were before the runs, to find one that a run changed:
 * both builds read the same files, so that the later run would have other data.
 */

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
