/*
 * Waivers: which tests a waiver is about, which of them it accepts, and the waiver that would
 * accept a finding. A growth that is accepted for a time changes no verdict, but is still reported.
 */
#ifndef GATE_WAIVE_H
#define GATE_WAIVE_H

#include "gate/judgement.h"

#include <stdbool.h>

/*
 * Sets evidence.waiver of the decided tests that warn or fail, or would fail and are still to be
 * measured again: the one that accepts the growth, or else one that does not. The growth of a new
 * function is its share of the program.
 */
void waive_tests(struct judgement *judgement);

/*
 * Whether the waiver is about the subject of the test, whatever growth it accepts:
 *
 * - `function`: functions that match, and rules about a pattern that does (as a text);
 * - `subtree`: rules about a subtree whose pattern does;
 * - `module`: functions of the modules that match, and rules about modules;
 * - `total`: the whole program;
 * - `counter`: the counters that match.
 */
bool waiver_matches(
	const struct judgement *judgement, const struct waiver *waiver, const struct test *test);

/*
 * Whether a decided test reports a growth above its threshold, confirmed or not, or something new.
 * An undetectable growth or a gone function needs no waiver.
 */
bool waiver_is_for(const struct judgement *judgement, const struct test *test);

/* Whether the waiver has ended at input.now: it holds to the end of its last day, UTC. */
bool waiver_is_expired(const struct judgement *judgement, const struct waiver *waiver);

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
