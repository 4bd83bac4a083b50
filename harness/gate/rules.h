/*
 * The rules of the gate, one a file; and what they share.
 */
#ifndef GATE_RULES_H
#define GATE_RULES_H

#include "gate/judge.h"

extern const struct gate_rule rule_measurement;
extern const struct gate_rule rule_baseline;
extern const struct gate_rule rule_validity;
extern const struct gate_rule rule_total;
extern const struct gate_rule rule_functions;
extern const struct gate_rule rule_named;

/* Whether the policy lets this candidate be compared with this baseline at all. */
bool baseline_is_comparable(const struct judgement *judgement);
/* Why findings may only warn, as a sentence; NULL if they may fail. */
const char *baseline_limits(const struct judgement *judgement);

/* The effect of each of the policy's rules, in their order; free() it. */
struct effect *named_groups(const struct judgement *judgement);

#endif
