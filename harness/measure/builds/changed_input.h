/*
 * Data that two builds of a workload read and that differ: a run that costs more may do more.
 */
#ifndef BUILDS_CHANGED_INPUT_H
#define BUILDS_CHANGED_INPUT_H

#include "builds/build_side.h"
#include "process/run_files.h"
#include "spec/workload.h"

/*
 * The first file among those that the candidate's run `used` that was read, and neither executed,
 * mapped nor written, and that has other contents in the build `side`, or does not exist there:
 * "data/a.bin (1,000 B before, 2,000 B now)"; free() it. NULL: none is known to differ. Scripts of
 * the workload's interpreter are code, not data; files that `inputs` lists are shared.
 */
char *changed_input_find(
	const struct build_side *side, const struct workload *here, const struct run_files *used);

#endif
