/*
 * The inputs of a workload, files outside git that every build of it reads from the working tree,
 * and whether these or other files that a run used were changed since. In the worktree of a commit
 * inputs are links to the files here.
 */
#ifndef BUILDS_INPUTS_H
#define BUILDS_INPUTS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/sha256.h"
#include "builds/build_side.h"
#include "process/file_watch.h"
#include "spec/workload.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* The files and folders that the workload's `inputs` name, without repetition. */
struct inputs {
	char **names; /* as seen from its `cwd`: "data/a.bin" */
	size_t count;
};

/*
 * Finds the inputs as they are in the build that `workload` is run in. A pattern that matches
 * nothing is an error, which names it. On error nothing needs releasing.
 */
int inputs_find(const struct workload *workload, struct inputs *inputs, struct err *err);
void inputs_release(struct inputs *inputs);

/*
 * Whether the file at `path`, absolute and without links, is one of the workload's inputs in the
 * working tree or below one: builds share it by intent.
 */
bool inputs_cover(const struct workload *workload, const char *path);

/*
 * Makes the inputs of `here`, which are there now, those of the build `side` as well, in which it
 * is run as `there`. In a folder that is not ours nothing is made: an input that it lacks is an
 * error.
 */
int inputs_link(const struct build_side *side, const struct workload *here,
	const struct workload *there, struct err *err);

/*
 * A hash of the inputs' contents (of a large file, of its size and time), to tell whether they were
 * changed. False where that is not known.
 */
bool inputs_hash(const struct workload *workload, char hash[SHA256_TEXT_SIZE]);

/*
 * The files of a run as they were when it ended, to find out whether something changed them since.
 */

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
