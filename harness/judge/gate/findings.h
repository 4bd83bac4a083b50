/*
 * From tests to findings: a decided test as reports show it, with its effect (finding_effect.h) and
 * the reason of its status (reason.h).
 */
#ifndef GATE_FINDINGS_H
#define GATE_FINDINGS_H

#include "gate/judgement.h"

/* Its texts belong to the judgement. */
struct finding finding_of_test(struct judgement *judgement, const struct test *test);

#endif
