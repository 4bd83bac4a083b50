/*
 * Completion scripts of shells, made from what the verbs take. Each shell is a const struct in
 * completion_shells[] (completions.c): to add one, write its function and put it there; `make
 * install` has the file's name.
 */
#ifndef CLI_COMPLETIONS_H
#define CLI_COMPLETIONS_H

#include "base/buf.h"
#include "cli/options.h"
#include "cli/verb.h"

#include <stddef.h>

/* A verb and all its options, the common ones included. */
struct completed_verb {
	const struct cli_verb *verb;
	struct cli_option *options; /* ended by one without a name; the caller's */
	size_t noptions;
};

struct completion_shell {
	const char *name;
	/* Appends the script that completes these verbs, which end with one that has no `verb`. */
	void (*write)(struct buf *out, const struct completed_verb *verbs);
};

extern const struct completion_shell *const completion_shells[];

#endif
