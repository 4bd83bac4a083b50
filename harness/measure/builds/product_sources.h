/*
 * Whether a program or library outside of both builds was compiled from their sources: by the names
 * of source files in its symbol table (STT_FILE), and the functions that it defines. A program
 * without a symbol table, or of another language than C and its like, has none.
 */
#ifndef BUILDS_PRODUCT_SOURCES_H
#define BUILDS_PRODUCT_SOURCES_H

#include "base/arena.h"
#include "builds/tree_text.h"

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
 * Whether at least half of the sources that the file at `path` names are among those of the builds,
 * and one of these has a function that the file defines. Looks for the builds' sources if need be.
 * False without `texts`, which has the folders of both builds.
 */
bool product_source_is(
	struct product_sources *sources, const struct tree_text *texts, const char *path);

#endif
