/*
 * The waiver that a finding needs: the way back from a report to the file of waivers.
 */
#ifndef GATE_WAIVER_OF_H
#define GATE_WAIVER_OF_H

#include "gate/judgement.h"

/*
 * Whether a waiver can accept the finding: a growth, or a new function, that does not pass. Fills
 * in what it is about, the workload, and the growth that is accepted: the upper end of the
 * interval, rounded up, so that it holds for other runs of the same programs. Texts are the
 * arena's.
 */
bool waiver_of_finding(const struct judgement *judgement, const struct finding *finding,
	struct arena *arena, struct waiver *waiver);

#endif
