/*
 * The rules of the gate: each adds the tests of one kind of subject. rules.c has the array, and
 * says how to add one; rule_total.c is the shortest.
 */
#ifndef GATE_RULES_H
#define GATE_RULES_H

#include "gate/judgement.h"

struct gate_rule {
	enum finding_rule rule;
	const char *summary;
	/*
	 * Adds its tests; `comparison`, `criteria` and `groups` of the judgement are made. A rule
	 * with `sees_decisions` is called after the tests were decided by the runs alone.
	 */
	void (*add)(struct judgement *judgement);
	bool sees_decisions;
};

/* The extension point; ends with NULL. */
extern const struct gate_rule *const gate_rules[];

/* Whether the policy lets the candidate be compared with the baseline at all. */
bool baseline_is_comparable(const struct gate_input *input);
/* Whether no run of the side is usable. */
bool validity_has_no_run(const struct profile *profile);
/* Why findings may only warn; NULL if they may fail. */
const char *baseline_limits(const struct gate_input *input);

extern const struct gate_rule rule_measurement;
extern const struct gate_rule rule_baseline;
extern const struct gate_rule rule_validity;
extern const struct gate_rule rule_total;
extern const struct gate_rule rule_functions;
extern const struct gate_rule rule_named;
extern const struct gate_rule rule_counters;
extern const struct gate_rule rule_self_check;
extern const struct gate_rule rule_waivers;

/* The base can be compared with itself by so many runs. */
#define SELF_CHECK_LEAST_RUNS 6

#endif
