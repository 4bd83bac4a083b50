/*
 * The commits from one to another, as a line: each is the first parent of the next, so that merged
 * commits count as the merge.
 */
#ifndef BUILDS_COMMIT_LINE_H
#define BUILDS_COMMIT_LINE_H

#include "base/arena.h"
#include "base/err.h"
#include "builds/repository.h"

#include <stddef.h>
#include <stdint.h>

/* Author and subject are as committed: not to be trusted. */
struct commit_of_line {
	const char *commit; /* the full name */
	const char *author;
	const char *subject;
	int64_t authored; /* seconds since 1970 */
	size_t nparents;
};

struct commit_line {
	struct arena arena; /* owns the strings */
	struct commit_of_line *commits;
	size_t ncommits; /* 2 or more */
	size_t capacity;
};

/*
 * Reads the line from the commit `good` to `bad`, both included. The commits between them are those
 * of the line of `bad` that `good` does not have; if `good` itself is on another line, that is
 * logged. An error if `good` is no ancestor of `bad`. On error nothing needs releasing.
 */
int commit_line_read(struct commit_line *line, const struct repository *repository,
	const char *good, const char *bad, struct err *err);
void commit_line_release(struct commit_line *line);

#endif
