/*
 * Waivers: growth that was accepted for a while changes no verdict, and is said all the same.
 */
#ifndef GATE_WAIVE_H
#define GATE_WAIVE_H

#include "gate/judgement.h"

/*
 * Whether the waiver is about what the test is about, whatever it accepts of it:
 *
 * - `function`: functions that match, and rules about a pattern that does (as a text);
 * - `subtree`: rules about a subtree whose pattern does;
 * - `module`: functions of the modules that match, and rules about modules;
 * - `total`: the whole program.
 */
bool waiver_matches(
	const struct judgement *judgement, const struct waiver *waiver, const struct test *test);

/*
 * Whether a decided test tells of a growth beyond its threshold, confirmed or not, or of something
 * new; that a growth could not be told, or that something is gone, is nothing to waive.
 */
bool waiver_is_for(const struct judgement *judgement, const struct test *test);

/* At input.now; it holds to the end of its last day, UTC. */
bool waiver_is_expired(const struct judgement *judgement, const struct waiver *waiver);

/*
 * Sets evidence.waiver of the decided tests that warn or fail, or would fail and are still to be
 * measured again: the one that accepts the growth, or else one that does not. Of a function that is
 * new, the growth is its share of the program.
 */
void waive_tests(struct judgement *judgement);

#endif
