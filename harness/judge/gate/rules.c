/*
 * To add a rule: write rule_NAME.c with a const struct gate_rule, give it a place and a name in
 * enum finding_rule (verdict.h, verdict.c), and put it in the array below. If it needs settings,
 * they go into struct gate_policy and its keys in spec/. Tests of growth share the error budget of
 * the gate by themselves. Then a case in tests/unit/judge/gate/ and the manual page.
 */
#include "gate/rules.h"

const struct gate_rule *const gate_rules[] = {
	&rule_measurement,
	&rule_baseline,
	&rule_validity,
	&rule_total,
	&rule_functions,
	&rule_named,
	&rule_counters,
	&rule_self_check,
	&rule_waivers,
	NULL,
};
