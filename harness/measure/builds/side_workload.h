/*
 * A workload as it is run in another build: its paths below the working tree are replaced by those
 * of that build, in its commands and in its environment.
 */
#ifndef BUILDS_SIDE_WORKLOAD_H
#define BUILDS_SIDE_WORKLOAD_H

#include "base/arena.h"
#include "base/err.h"
#include "builds/build_side.h"
#include "builds/tree_text.h"
#include "spec/workload.h"

/*
 * Sets `to` to the workload as it is run in this build: `from` with its cwd there, and with those
 * words of `run` replaced that the map names. All paths below the working tree are replaced by
 * those of this build, in its commands and in its environment, to which those variables of our own
 * are added that hold such a path. Replaced paths are added to `moved` (if not NULL). Replacements
 * live in `arena`, all else in `from`, which outlives `to`; `to` is not to be released. It is an
 * error if a map of the user's names no word of `run`.
 */
int build_side_workload(const struct build_side *side, const struct workload *from,
	struct workload *to, struct moved_paths *moved, struct arena *arena, struct err *err);

/* A command with its paths replaced in the same way; the arena's, or `text` itself. */
const char *side_text(const struct build_side *side, const char *text, struct arena *arena);
/*
 * The variables `env` (NULL-ended; may be NULL) with their paths replaced, and the variables of our
 * own environment that hold such a path; the arena's. NULL: there are none.
 */
const char *const *side_environment(
	const struct build_side *side, const char *const *env, struct arena *arena);

#endif
