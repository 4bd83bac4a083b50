#include "gate/group.h"

#include "base/mem.h"
#include "gate/pattern.h"

#include <stdlib.h>

enum quantity
group_quantity(const struct gate_rule_spec *spec)
{
	return spec->kind == RULE_SUBTREE ? QUANTITY_TOTAL : spec->of;
}

bool *
group_members(const struct comparison *comparison, const struct gate_rule_spec *spec)
{
	bool *member = mem_zalloc(comparison->nframes + 1, sizeof(*member));

	for (frame_id frame = 1; frame < comparison->nframes; frame++)
		member[frame] =
			pattern_matches(spec->kind, spec->pattern, &comparison->profile, frame);
	return member;
}

struct effect *
group_effects(const struct comparison *comparison, const struct gate_policy *policy,
	const struct model *model)
{
	struct effect *groups = mem_zalloc(policy->nrules + 1, sizeof(*groups));

	for (size_t i = 0; i < policy->nrules; i++) {
		const struct gate_rule_spec *spec = &policy->rules[i];

		effect_clear(&groups[i]);
		/* These are tested one by one, with the functions. */
		if (spec->kind == RULE_EACH)
			continue;
		bool *member = group_members(comparison, spec);

		comparison_group(comparison, model, member, group_quantity(spec) == QUANTITY_SELF,
			&groups[i]);
		free(member);
	}
	return groups;
}
