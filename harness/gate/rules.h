/*
 * The rules of the gate, one a file; and what they share.
 */
#ifndef GATE_RULES_H
#define GATE_RULES_H

#include "gate/growth.h"
#include "gate/judge.h"

extern const struct gate_rule rule_measurement;
extern const struct gate_rule rule_baseline;
extern const struct gate_rule rule_validity;
extern const struct gate_rule rule_total;
extern const struct gate_rule rule_functions;
extern const struct gate_rule rule_named;
extern const struct gate_rule rule_self_check;
extern const struct gate_rule rule_waivers;

/* What a condition that the policy answers with `action` makes of the verdict. */
enum status status_of_action(enum policy_action action);

/* Whether the policy lets this candidate be compared with this baseline at all. */
bool baseline_is_comparable(const struct judgement *judgement);
/* Why findings may only warn, as a sentence; NULL if they may fail. */
const char *baseline_limits(const struct judgement *judgement);

/* The effect of each of the policy's rules by the runs of `model`, in their order; free() it. */
struct effect *named_groups(const struct judgement *judgement, const struct model *model);

/* How a growth is judged in this gate. */
struct growth_policy growth_policy_of(
	const struct judgement *judgement, const struct verdict_builder *builder);

/*
 * What the stages say of a function, of the rule with this index and of the whole program; for
 * those of a rule, whether it is tested at all.
 */
struct growth_evidence evidence_of_function(const struct judgement *judgement, frame_id frame);
struct growth_evidence evidence_of_rule(const struct judgement *judgement, size_t rule);
struct growth_evidence evidence_of_whole(const struct judgement *judgement);

/* Sets the limits of a finding about each of these, whose effect is set. */
void functions_limits(const struct judgement *judgement, frame_id frame, struct finding *finding);
void named_limits(const struct judgement *judgement, size_t rule, struct finding *finding);
void total_limits(const struct judgement *judgement, struct finding *finding);

/* Which frames are of the rule, by frame_id; free() it. */
bool *named_members(const struct judgement *judgement, size_t rule);
/* Which cost of them is meant. */
enum quantity named_quantity(const struct gate_rule_spec *spec);
/* Adds what the rule's budgets find; `named` says what they are about. */
void budgets_judge(const struct judgement *judgement, size_t rule, const struct finding *named,
	struct verdict_builder *builder);

/* Of what was not there before, and is worth as much as the gate cares for. */
enum status status_of_new(const struct judgement *judgement, const struct verdict_builder *builder);

/* Whether the rule tests a growth; a budget alone does not. */
bool named_has_threshold(const struct gate_rule_spec *spec);

#endif
