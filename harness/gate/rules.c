/*
 * To add a rule: write rule_NAME.c with a const struct gate_rule, declare it in rules.h and put it
 * in the array below; place its name in rank_of_rule() of verdict.c if its findings should not come
 * last. If it needs settings, they go into struct gate_policy and its keys in spec/. If it tests
 * effects of its own, judge.c must hand them to comparison_adjust(), or the error budget of the
 * gate does not cover them. Then a case in tests/unit/gate/ and the manual page.
 */
#include "gate/rules.h"

const struct gate_rule *const gate_rules[] = {
	&rule_measurement,
	&rule_baseline,
	&rule_validity,
	&rule_total,
	&rule_functions,
	&rule_named,
	&rule_self_check, /* after the growth that it may put in doubt */
	&rule_waivers,    /* after all that may be waived */
	NULL,
};
