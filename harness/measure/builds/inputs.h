/*
 * The inputs of a workload: files outside git that every build of it reads from the working tree.
 * In the worktree of a commit they are links to the files here.
 */
#ifndef BUILDS_INPUTS_H
#define BUILDS_INPUTS_H

#include "base/err.h"
#include "base/sha256.h"
#include "builds/build_side.h"
#include "spec/workload.h"

#include <stdbool.h>
#include <stddef.h>

/* The files and folders that the workload's `inputs` name, without repetition. */
struct inputs {
	char **names; /* as seen from its `cwd`: "data/a.bin" */
	size_t count;
};

/*
 * Finds them as they are in the build that `workload` is run in. A pattern that matches nothing is
 * an error, which names it. On error nothing needs releasing.
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

#endif
