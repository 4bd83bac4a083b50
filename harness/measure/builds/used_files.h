/*
 * Whether the runs of two builds of one program used the same files.
 */
#ifndef BUILDS_USED_FILES_H
#define BUILDS_USED_FILES_H

#include "builds/build_side.h"
#include "process/run_files.h"
#include "spec/workload.h"

#include <stdbool.h>

/*
 * Whether each file that a run of either build executed, mapped or read below its folder has in the
 * other build the same contents, or is a program of the same digest (code/program_digest.h). Files
 * that were only written are output; what `inputs` lists is shared, and so is what is outside both
 * folders. False where one of the runs was not watched, or a file cannot be read.
 */
bool used_files_agree(const struct build_side *base, const struct workload *here,
	const struct run_files *candidate, const struct run_files *other);

#endif
