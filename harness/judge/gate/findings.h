/*
 * From tests to findings: a decided test as reports show it, with its effect, the reason of its
 * status in one sentence or two, and the same in a phrase.
 *
 * The one place that makes the sentences of findings, but for those of conditions, which their
 * rules make; those of a growth are in reason_growth.h.
 */
#ifndef GATE_FINDINGS_H
#define GATE_FINDINGS_H

#include "gate/judgement.h"

/* Its texts belong to the judgement. */
struct finding finding_of_test(struct judgement *judgement, const struct test *test);

/*
 * The effect of a test as its finding shows it: corrected where it was selected for being large,
 * and with costs that agree with it. An empty effect where nothing was tested.
 */
struct effect finding_effect(const struct judgement *judgement, const struct test *test);

/* Its cost less that before, at the machine's speed after; 0 where that is not known. */
double finding_growth_of(const struct judgement *judgement, const struct test *test);

/*
 * Why a test was decided as it was, for people: one sentence or two, without the numbers of the
 * effect. `finding` is complete but for the reason. The result lives in the judgement's arena.
 */
const char *reason_of_test(
	struct judgement *judgement, const struct test *test, const struct finding *finding);

/*
 * The same in a phrase without its full stop, behind the effect in a line: "not confirmed by 10
 * new runs"; "" where the effect says it all, NULL where the first sentence of the reason does.
 */
const char *reason_brief(
	struct judgement *judgement, const struct test *test, const struct finding *finding);

#endif
