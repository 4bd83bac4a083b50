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

/* Whether `pattern` is a valid expression, to check before a large profile is read: -1 as below. */
int analysis_focus_check(const char *pattern, struct err *err);

/*
 * Removes the weight of every stack that has no frame matching `pattern`, a POSIX extended regular
 * expression (regex(7)) that is matched against each name with the suffix of its kind, anywhere in
 * it. An invalid expression is a usage error that shows its position; no match is an error, too. On
 * error the profile is unchanged.
 */
int analysis_focus(struct analysis_focus *focus, struct profile *profile, const char *pattern,
	struct err *err);

/*
 * By frame of the profile: whether it matches `pattern`, a frame's name or an expression as above;
 * *name is the name of the only match, or the pattern. free() the result; NULL on error.
 */
bool *analysis_focus_frames(
	const struct profile *profile, const char *pattern, const char **name, struct err *err);

/* Removes the weight of every stack that has none of these; -1 on error. */
int analysis_focus_keep(struct profile *profile, const char *pattern, struct err *err);

#endif
