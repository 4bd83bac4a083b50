/*
 * The waiver that would accept a finding: from a report to an entry of the file of waivers.
 */
#ifndef GATE_NEW_WAIVER_H
#define GATE_NEW_WAIVER_H

#include "gate/judgement.h"

#include <stdbool.h>

/* For how long `waive WORKLOAD SUBJECT` accepts a growth, where nothing else is given. */
#define WAIVER_DAYS 90

/*
 * Whether a waiver can accept the finding: a growth, or a new function, that does not pass. Fills
 * in its subject, the workload and the accepted growth: the upper end of the interval, rounded up,
 * so that it also covers other runs of the same programs. Texts belong to the arena.
 */
bool waiver_of_finding(const struct judgement *judgement, const struct finding *finding,
	struct arena *arena, struct waiver *waiver);

#endif
