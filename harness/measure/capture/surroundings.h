/*
 * The surroundings of a counted run, in place of the caller's: an environment that is the same
 * everywhere, and paths of the same length. A program reads both, so that they are among what it
 * counts.
 *
 * The environment is that of the workload, and besides it HOME, PATH, PWD, TZ, the seeds of hashing
 * that a runtime takes from a variable, and the code that the C library chooses for the CPU.
 */
#ifndef CAPTURE_SURROUNDINGS_H
#define CAPTURE_SURROUNDINGS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "process/fixed_place.h"

#include <stdbool.h>
#include <stddef.h>

struct surroundings {
	struct arena arena; /* owns what is below */
	const char *const *argv;
	const char *const *env;    /* all of it */
	const char *const *wanted; /* the workload's part of it; borrowed; may be NULL */
	const char *cwd;
	struct fixed_place place; /* `folder` NULL: refused here, or of no use */
};

/* Makes them for a command as struct child_spec has it; `placed`: fixed_place_try() succeeded. */
void surroundings_make(struct surroundings *surroundings, const char *const *argv,
	const char *const *env, const char *cwd, bool placed);
void surroundings_release(struct surroundings *surroundings);

/*
 * A path as it is outside of the place, in `out`. False where it is none of the place's.
 */
bool surroundings_outside(
	const struct surroundings *surroundings, const char *path, size_t len, struct buf *out);

/*
 * The variables of our own environment that it does not have, or PATH with another value, those
 * ahead that say where something is; the arena's, as is the next one.
 */
const char *const *surroundings_dropped(struct surroundings *surroundings, size_t *n);
/*
 * The environment with some variables added, and as a run without valgrind has it: the C library
 * chooses its code for this CPU.
 */
const char *const *surroundings_uncounted_env(
	struct surroundings *surroundings, const char *const *added, size_t nadded);

/*
 * Adds a note to the error of a program that failed: the variables of our own environment that it
 * does not have.
 */
void surroundings_note_missing(const struct surroundings *surroundings, struct err *err);

#endif
