/*
 * The Debian package of a file, and the package with its symbols.
 */
#ifndef ANALYSIS_PACKAGE_H
#define ANALYSIS_PACKAGE_H

#include "base/buf.h"

#include <stdbool.h>

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
