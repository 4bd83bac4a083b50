/*
 * Whether a program or library that is installed outside of both builds was compiled from their
 * sources: by the names of source files in its symbol table (STT_FILE), and the functions that it
 * defines. A program without a symbol table, or of another language than C and its like, has none.
 */
#ifndef BUILDS_PRODUCT_SOURCE_H
#define BUILDS_PRODUCT_SOURCE_H

#include "base/arena.h"
#include "builds/tree_text.h"
#include "spec/workload.h"

#include <stdbool.h>
#include <stddef.h>

/* The source files below the folders of both builds. All zeros: not looked for yet. */
struct product_sources {
	const char **paths; /* the arena's */
	size_t count;
	size_t capacity;
	bool known;
	struct arena arena;
};

void product_sources_release(struct product_sources *sources);

/*
 * Whether at least half of the sources that the file names are among those of the builds (NULL:
 * none are), and one of these has a function that it defines. Looks for the sources if need be.
 */
bool product_source_is(
	struct product_sources *sources, const struct tree_text *texts, const char *path);

/*
 * A build that left its program as it was although sources or flags changed: its rules do not name
 * all that it is made of.
 */

/*
 * Names files of the working tree that differ from `commit`, and that the build of the workload's
 * program, which is the same, has not seen: they are newer than it, or they are sources of it whose
 * code changed. "Makefile, a.c and 3 more"; free() it. NULL: there are none, or that is not known.
 */
char *stale_build_files(const struct workload *workload, const char *commit);

#endif
