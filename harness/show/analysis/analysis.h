/*
 * The text view of one profile, for `analyze` and for each workload's report.txt: header, symbol
 * quality, recommendations drawn from the data, and the hotspots, numbered, with self and total
 * share and their callees or callers below them.
 */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * A profile reduced to the stacks that hold a frame whose name matches.
 */

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

struct analysis_options {
	size_t top;     /* functions shown; 0: up to 20 that have weight */
	bool colour;    /* ANSI colours */
	bool by_labels; /* the weight of each label that the profile was cut by */
	bool callers;   /* callers of each function, not its callees */
	size_t columns; /* of a line, 60 at least; 0: 100 */
	const struct analysis_focus *focus; /* what the profile was reduced to; NULL: nothing */
	const char *packages; /* where dpkg(1) lists the files of packages; NULL: not looked up */
};

void analysis_write(
	const struct profile *profile, const struct analysis_options *options, struct buf *out);

/*
 * The Debian package of a file, and the package with its symbols.
 */

/* dpkg's, which has a list of each package's files. */
#define PACKAGE_LISTS "/var/lib/dpkg/info"

/*
 * Appends the name of the package whose list in `folder` (dpkg's info folder, dpkg-query(1)) has
 * `path`, with or without the /usr that merging put ahead of it. False where none has.
 */
bool package_of_file(const char *folder, const char *path, struct buf *out);

/* Appends "libc6-dbg", or NAME-dbgsym as debhelper(7) names packages of debug symbols. */
void package_put_symbols(struct buf *out, const char *package);

#endif
