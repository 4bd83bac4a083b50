/*
 * Whether a new function made the program slower.
 */
#ifndef GATE_NEW_FUNCTION_H
#define GATE_NEW_FUNCTION_H

#include "gate/judge.h"

/*
 * Judges `finding`, about a function that was not there before, by the growth of its callers
 * (the nearest that are not new themselves) with all they call, as one group: to functions'
 * thresholds, in as many stages, with the error budget of one more test each. Fails where they
 * grew; warns where they did not, or it has none.
 */
void new_function_judge(const struct judgement *judgement, struct finding *finding,
	struct verdict_builder *builder);

#endif
