/*
 * Waivers: growth that is accepted for a time changes no verdict, but is still reported; and the
 * waiver that would accept a finding: from a report to an entry of the file of waivers.
 */
#ifndef GATE_WAIVE_H
#define GATE_WAIVE_H

#include "gate/judgement.h"

/*
 * Sets evidence.waiver of the decided tests that warn or fail, or would fail and are still to be
 * measured again: the one that accepts the growth, or else one that does not. The growth of a new
 * function is its share of the program.
 */
void waive_tests(struct judgement *judgement);

/* For how long `waive WORKLOAD SUBJECT` accepts it, where nothing else is given. */
#define WAIVER_DAYS 90

/*
 * Whether a waiver can accept the finding: a growth, or a new function, that does not pass. Fills
 * in its subject, the workload and the accepted growth: the upper end of the interval, rounded up,
 * so that it also covers other runs of the same programs. Texts belong to the arena.
 */
bool waiver_of_finding(const struct judgement *judgement, const struct finding *finding,
	struct arena *arena, struct waiver *waiver);

#endif
