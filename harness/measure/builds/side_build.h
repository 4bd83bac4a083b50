/*
 * Building a workload in another build's folder, once for each commit, and checking that its
 * program is there.
 */
#ifndef BUILDS_SIDE_BUILD_H
#define BUILDS_SIDE_BUILD_H

#include "base/err.h"
#include "builds/build_side.h"
#include "spec/workload.h"

/*
 * Runs the build command of the workload, as it is run in this build, in the time of
 * program_build_limit_s(). The build of a commit is noted, and not repeated while its program is
 * there. Nothing is done for a side that is not built. `output_path` is as in program_build().
 */
int build_side_build(const struct build_side *side, const struct workload *there,
	const char *output_path, struct err *err);

/*
 * After build and setup: it is an error if the program, a path in the command, is not there. The
 * programs that setup made are noted, as those of the build are.
 */
int build_side_check_program(
	const struct build_side *side, const struct workload *there, struct err *err);

#endif
