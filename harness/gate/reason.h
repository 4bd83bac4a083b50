/*
 * Why a test was decided as it was: one sentence or two, for people. The numbers of the effect are
 * not in it.
 */
#ifndef GATE_REASON_H
#define GATE_REASON_H

#include "gate/judgement.h"

/* `finding` is that of the decided test, but for its reason. The text is the judgement's. */
const char *reason_of(
	struct judgement *judgement, const struct test *test, const struct finding *finding);

#endif
