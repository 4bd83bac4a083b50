/*
 * The latest commits of the branch that is checked out, with who wrote them and who owns what they
 * changed: a merge counts as one commit of all that it merged.
 */
#ifndef BUILDS_RECENT_COMMITS_H
#define BUILDS_RECENT_COMMITS_H

#include "base/arena.h"
#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* Author and subject are as committed: not to be trusted. */
struct recent_commit {
	const char *commit; /* the full name */
	const char *author;
	const char *subject;
	const char *owners; /* of the changed files, "@parsers @anna"; "": nobody is known */
};

/* All zeros: none. */
struct recent_commits {
	struct arena arena;          /* of the texts */
	struct recent_commit *items; /* the newest first */
	size_t count;
	size_t capacity;
};

/* Reads up to `most`; none where there is no repository or no git. */
void recent_commits_read(struct recent_commits *commits, size_t most);
void recent_commits_release(struct recent_commits *commits);

/*
 * The commits after `before` up to `after`, the newest first, *n of them; none where one of both is
 * not among them.
 */
const struct recent_commit *recent_commits_between(
	const struct recent_commits *commits, const char *before, const char *after, size_t *n);

#endif
