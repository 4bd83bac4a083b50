/*
 * The groups of functions that the policy's rules are about.
 */
#ifndef GATE_GROUP_H
#define GATE_GROUP_H

#include "compare/comparison.h"
#include "spec/policy.h"

#include <stdbool.h>

/* Which cost of the group is meant. */
enum quantity group_quantity(const struct gate_rule_spec *spec);
/* Which frames are of it, by frame_id; free() it. */
bool *group_members(const struct comparison *comparison, const struct gate_rule_spec *spec);
/*
 * The effect of each of the policy's rules by the runs of `model`, in their order; empty for those
 * that are about each function by itself. free() it.
 */
struct effect *group_effects(const struct comparison *comparison, const struct gate_policy *policy,
	const struct model *model);

#endif
