/*
 * Budgets of the rules that a workload names: the largest share of the program, or the largest cost
 * a run. They ask only about the candidate, so they need no baseline.
 *
 * What is over its budget for sure, by the one-sided limit at the gate's alpha, fails; what is so
 * by the estimate alone warns. A share is as sure as the draw of its samples; the mean cost as the
 * spread between runs makes it.
 */
#ifndef GATE_RULE_BUDGET_H
#define GATE_RULE_BUDGET_H

#include "gate/judgement.h"

/* Adds the tests of the budgets of the policy's rule with that index; `group` says what it is of.
 */
void budgets_add(struct judgement *judgement, size_t rule, const char *group);

#endif
