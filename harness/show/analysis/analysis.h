/*
 * The text view of one profile, for `analyze` and for each workload's report.txt: header, symbol
 * quality, recommendations drawn from the data, and the hotspots, numbered, with self and total
 * share and their callees or callers below them.
 */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "analysis/focus.h"
#include "base/buf.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

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
