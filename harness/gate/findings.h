/*
 * From tests to findings: what reports say of a test once it is decided.
 */
#ifndef GATE_FINDINGS_H
#define GATE_FINDINGS_H

#include "gate/judgement.h"

/* Its texts are the judgement's. */
struct finding finding_of_test(struct judgement *judgement, const struct test *test);

#endif
