/*
 * Data that the two builds of a workload read and that differ: a run that costs more may do more.
 */
#ifndef BUILDS_CHANGED_INPUT_H
#define BUILDS_CHANGED_INPUT_H

#include "builds/build_side.h"
#include "process/run_files.h"
#include "spec/workload.h"

/*
 * The first file that the candidate's run `used` to read, and neither executed, mapped nor wrote,
 * whose contents are others in the build `side`, or that this has not:
 * "data/a.bin (1,000 B before, 2,000 B now)"; free() it. NULL: none is known to differ. Scripts of
 * the workload's interpreter are code; what `inputs` lists is shared.
 */
char *changed_input_find(
	const struct build_side *side, const struct workload *here, const struct run_files *used);

#endif
