/*
 * Finds which kind of suite a program or a folder is, and tries the workload that is made of it:
 * for `profile_run init --suite`.
 */
#ifndef MEASUREMENT_SUITE_FIND_H
#define MEASUREMENT_SUITE_FIND_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "spec/suite.h"
#include "spec/workload.h"

/* A suite whose program a build makes in its own folder. All of the arena. */
struct suite_package {
	const char *build; /* a command for the shell */
	const char *program;
};

/*
 * The kind of suite of a program, by what its `--help` names. NULL, with an error, where that is
 * none that is known.
 */
const struct suite_preset *suite_find_kind(const char *program, struct err *err);

/* Sets `package` to that of the Go benchmarks in a folder. An error where there are none. */
int suite_find_package(
	const char *folder, struct suite_package *package, struct arena *arena, struct err *err);

/*
 * Builds and lists the suite of a workload's file, runs each benchmark once, for a minute in all,
 * and appends a line for each, with the time of that run. An error where it cannot be built or
 * listed.
 */
int suite_try(const char *path, const struct config *config, struct buf *out, struct err *err);

#endif
