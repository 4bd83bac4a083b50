/*
 * Why a test of growth was decided as it was, in sentences: its threshold, its significance, load
 * on the machine, and its remedy where it is undecided (reason_remedy.h).
 */
#ifndef GATE_REASON_GROWTH_H
#define GATE_REASON_GROWTH_H

#include "gate/judgement.h"

/* The part of it about an effect that was tested for growth, without its waiver. */
const char *reason_of_growth(
	struct judgement *judgement, const struct test *test, const struct finding *finding);

/* " Only a warning: ...": a sentence to append, on why the growth is doubted; or "". */
const char *reason_of_weakness(struct judgement *judgement, const struct test *test);
/* "may be up to 2.1 % slower", of what is undecided. */
const char *reason_of_possible(struct judgement *judgement, const struct finding *finding);

#endif
