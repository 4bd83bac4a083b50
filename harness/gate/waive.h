/*
 * Waivers: growth that was accepted for a while changes no verdict, and is said all the same.
 */
#ifndef GATE_WAIVE_H
#define GATE_WAIVE_H

#include "gate/judge.h"

/*
 * Whether the waiver is about what the finding is about, whatever it accepts of it:
 *
 *     function  functions that match, and rules about a pattern that does (as a text)
 *     subtree   rules about a subtree whose pattern does
 *     module    functions of the modules that match, and rules about modules
 *     total     the whole program
 */
bool waiver_matches(const struct judgement *judgement, const struct waiver *waiver,
	const struct finding *finding);

/*
 * Whether a finding tells of a growth beyond its threshold, confirmed or not, or of a new function;
 * that a growth could not be told, or that something is gone, is nothing to waive.
 */
bool waiver_is_for(const struct judgement *judgement, const struct finding *finding);

/* At judgement->input.now; it holds to the end of its last day, UTC. */
bool waiver_is_expired(const struct judgement *judgement, const struct waiver *waiver);

/*
 * Applies the policy's waivers to the findings so far: what warns or fails, or would fail and is
 * still to be measured again, by a growth that one accepts is a pass that says so; beyond that it
 * stays, and says what was accepted. Of a function that is new, the growth is its share of the
 * program. To be called once, after all rules and before verdict_end().
 */
void waive_findings(const struct judgement *judgement, struct verdict_builder *builder);

#endif
