/*
 * The files that ran, as profile->files has them: one line per file, by name, as of sha256sum. And
 * the cost of a counted profile by these files (by_file_*).
 */
#ifndef PROFILE_FILES_H
#define PROFILE_FILES_H

#include "base/buf.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/* In place of a hash: the contents of the file are not known. */
#define PROFILE_FILE_UNKNOWN "-"

/* One line, in place. */
struct profile_file {
	const char *hash;
	size_t hash_len;
	const char *name;
	size_t name_len;
	bool sampled; /* known from its samples only: "HASH *NAME" */
};

/* Reads the next file from *lines on, and moves *lines behind it; false at the end. */
bool profile_files_next(const char **lines, struct profile_file *file);
/* Finds the file of this name. */
bool profile_files_find(
	const char *lines, const struct profile_file *wanted, struct profile_file *found);

bool profile_file_is_known(const struct profile_file *file);
/* Whether the contents of both are known, and the same. */
bool profile_file_is_same(const struct profile_file *a, const struct profile_file *b);
/*
 * Whether a file whose contents differ was built again: it has a line in profile->code of both
 * sides, and these are the same.
 */
bool profile_file_is_built_again(
	const char *code_before, const char *code_after, const struct profile_file *wanted);

/*
 * A counted profile as the sums of its functions, each below the file that it is in: all that
 * stored counts have, and what a counted candidate is compared by. Stacks are left out.
 */

/* The frame of functions that are in no file, or in one that is not known. */
#define BY_FILE_UNKNOWN "[unknown]"

/*
 * Sums `from` into `into`, freshly initialised: stacks of two frames, the file and the function,
 * whose name is canonical. A file below `root` (an absolute path; NULL: none) is named as in
 * profile->files, relative to it, any other by its last component: systems have it in other
 * folders. All columns, runs and the description are those of `from`.
 */
void by_file_sum(struct profile *into, const struct profile *from, const char *root);

/*
 * Copies the stacks of `from`, as by_file_sum() made it, whose file is one of `keep[]`, by frame:
 * without the others' weight a run costs less, too.
 */
void by_file_select(struct profile *into, const struct profile *from, const bool *keep);

/* Sets out[nframes], by frame of a file, to the weight of its functions, all runs together; free()
 * it. */
double *by_file_weights(const struct profile *profile);

#endif
