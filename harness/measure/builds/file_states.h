/*
 * The states of files at one time (size, time, contents), to find out which were changed since:
 * those that a run used, and a workload's inputs.
 */
#ifndef BUILDS_FILE_STATES_H
#define BUILDS_FILE_STATES_H

#include "base/arena.h"
#include "base/sha256.h"
#include "process/run_files.h"
#include "spec/workload.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* One file; its path is borrowed. */
struct file_state {
	const char *path;
	struct stat status;
	bool is_code;                /* it was executed or mapped as code */
	bool is_system;              /* it is installed, and no build's */
	char hash[SHA256_TEXT_SIZE]; /* of its contents; "" where they were not read, as it is large
				      */
};

/* The files of a run as they were when it ended. All zeros: none. */
struct file_states {
	struct file_state *states; /* to be freed */
	size_t count;
};

/*
 * Takes the states of the files that were executed, mapped or read, and not written, by the run. Of
 * files of the system only code is taken, except below `folder` (absolute, without links; NULL:
 * none).
 */
void file_states_take(
	struct file_states *states, const struct run_files *files, const char *folder);
void file_states_release(struct file_states *states);

/*
 * The first file, none of the system's, that is not as it was: in `folder` (as above) one that was
 * written, elsewhere one whose contents changed. NULL if there is none.
 */
const struct file_state *file_states_find_changed(
	const struct file_states *states, const char *folder);
/*
 * The first file of code that is gone or is known to have other contents; one that was written
 * again with the same contents does not count. NULL if there is none.
 */
const struct file_state *file_states_find_other_code(const struct file_states *states);

/*
 * The files of a workload's `inputs` as they were before the runs: both builds read the same files,
 * so that after a run that changes one the next run would have other data. All zeros: none.
 */
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
