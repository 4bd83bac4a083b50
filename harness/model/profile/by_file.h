/*
 * A counted profile as the sums of its functions, each below the file that it is in: all that
 * stored counts have, and what a counted candidate is compared by. Stacks are left out.
 */
#ifndef PROFILE_BY_FILE_H
#define PROFILE_BY_FILE_H

#include "base/buf.h"
#include "profile/profile.h"

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
