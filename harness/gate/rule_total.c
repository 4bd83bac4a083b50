/*
 * The cost of the whole program: all that shows a slow-down of everything alike, for functions are
 * judged relative to each other. It cannot tell that from a slower machine, so it warns where only
 * the estimate is above the limit, and says what the stable rest of the program did.
 */
#include "gate/growth.h"
#include "gate/rules.h"

#include <math.h>

void
total_limits(const struct judgement *judgement, struct finding *finding)
{
	growth_limits(finding, &judgement_policy(judgement)->total, 0, 0);
}

static void
apply_total(const struct judgement *judgement, struct verdict_builder *builder)
{
	const struct comparison *comparison = &judgement->comparison;
	const struct growth_evidence evidence = evidence_of_whole(judgement);
	struct growth_policy growth = growth_policy_of(judgement, builder);
	struct finding finding = finding_of(FINDING_TOTAL, "whole program");

	if (!judgement->compared)
		return;
	/* Between days a slower machine and a slower program look alike. */
	growth.warns_when_unsure = comparison->mode == COMPARISON_STORED;
	finding.of = QUANTITY_TOTAL;
	finding.effect = comparison->whole;
	total_limits(judgement, &finding);
	if (!comparison->whole.tested) {
		finding.status = growth_limited(STATUS_INCONCLUSIVE, growth.limited);
		finding.reason = "There are no costs on both sides to compare.";
	} else {
		growth_judge(&finding, &evidence, &growth, builder);
	}
	if (finding.status > STATUS_PASS && comparison->mode == COMPARISON_STORED &&
		isfinite(comparison->machine_speed))
		finding.reason = verdict_text(builder,
			"%s The stable rest of the program cost %+.1f %%, through the machine or through "
			"something that slows all code.",
			finding.reason, (comparison->machine_speed - 1) * 100);
	verdict_add(builder, &finding);
}

const struct gate_rule rule_total = {
	.name = "total",
	.summary = "CPU time of the whole program",
	.apply = apply_total,
};
