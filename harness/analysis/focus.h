/*
 * A profile reduced to the stacks that hold a frame whose name matches.
 */
#ifndef ANALYSIS_FOCUS_H
#define ANALYSIS_FOCUS_H

#include "base/err.h"
#include "profile/profile.h"

#include <stdbool.h>

struct analysis_focus {
	const char *pattern; /* borrowed */
	double whole;        /* the weight of all stacks, those that do not match included */
};

/* Whether `pattern` is an expression at all, before a large profile is read: -1 as below. */
int analysis_focus_check(const char *pattern, struct err *err);

/*
 * Takes the weight of every stack that has no frame matching `pattern`, a POSIX extended regular
 * expression (regex(7)) that is matched against each name with the suffix of its kind, anywhere in
 * it. A wrong expression is an error of usage that shows where it goes wrong; it is as well an
 * error that nothing matches. The profile is as it was then.
 */
int analysis_focus(struct analysis_focus *focus, struct profile *profile, const char *pattern,
	struct err *err);

/*
 * By frame of the profile: whether it is meant by `pattern`, the name of one or an expression as
 * above; *name is that of the only one, or the pattern. free() the result; NULL on error.
 */
bool *analysis_focus_frames(
	const struct profile *profile, const char *pattern, const char **name, struct err *err);

/* Takes the weight of every stack that has none of these; -1 on error. */
int analysis_focus_keep(struct profile *profile, const char *pattern, struct err *err);

#endif
