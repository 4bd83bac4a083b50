/*
 * Why a test was decided as it was, in the words of its finding: in a sentence or two, and in a
 * phrase. All sentences of findings are made here, but for those about a growth (reason_growth.h)
 * and those of conditions, which their rules make. Texts live in the judgement's arena.
 */
#ifndef GATE_REASON_H
#define GATE_REASON_H

#include "gate/judgement.h"

/*
 * One sentence or two, without the numbers of the effect. `finding` is complete but for its reason
 * and its brief.
 */
const char *reason_of_test(
	struct judgement *judgement, const struct test *test, const struct finding *finding);

/*
 * The reason in a phrase without its full stop, to stand behind the effect in a line: "not
 * confirmed by 10 new runs"; "" where the effect says it all, NULL where the first sentence of the
 * reason does.
 */
const char *reason_brief(
	struct judgement *judgement, const struct test *test, const struct finding *finding);

/*
 * "+27.3 ms is accepted with walk, and the rest of +14.7 ms (+9.5 %) is not"; NULL where no part of
 * the growth is accepted.
 */
const char *reason_accepted_in_part(
	struct judgement *judgement, const struct test *test, const struct finding *finding);

#endif
