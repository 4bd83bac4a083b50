/*
 * The lines of the working tree that a commit does not have, by git's diff.
 */
#ifndef BUILDS_CHANGED_LINES_H
#define BUILDS_CHANGED_LINES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lines that were added or changed; for lines that were removed, the line above them. */
struct changed_range {
	const char *path; /* in the repository */
	uint32_t first;   /* line numbers from 1, both included */
	uint32_t last;
	bool removed; /* the line itself is unchanged: lines behind it were removed */
};

/* All zeros: none are known. */
struct changed_lines {
	struct arena arena; /* of the paths */
	struct changed_range *ranges;
	size_t count;
	size_t capacity;
};

/* Reads them; none, where git does not have the commit. Lines that differ by white space only are
 * not changed.
 */
void changed_lines_read(struct changed_lines *lines, const char *commit);
void changed_lines_release(struct changed_lines *lines);

bool changed_lines_have(const struct changed_lines *lines, const char *path, uint32_t line);

/* The changed line from `first` to `last` that is nearest to `line`, above it if possible; 0: none.
 */
uint32_t changed_lines_near(const struct changed_lines *lines, const char *path, uint32_t first,
	uint32_t last, uint32_t line);

#endif
