/*
 * The cost of the whole program: all that shows a slow-down of everything alike, for functions are
 * judged relative to each other. It cannot tell that from a slower machine, so it warns where only
 * the estimate is above the limit, and says what the stable rest of the program did.
 */
#include "gate/growth.h"
#include "gate/rules.h"

#include <math.h>

static void
apply_total(const struct judgement *judgement, struct verdict_builder *builder)
{
	const struct comparison *comparison = &judgement->comparison;
	const struct gate_policy *policy = &judgement->workload->gate;
	const struct growth_policy growth = {
		.alpha = policy->alpha,
		.warns_when_unsure = true,
		.limited = builder->verdict->limited != NULL,
	};
	struct finding finding = finding_of("total", "whole program");

	if (!judgement->compared)
		return;
	finding.of = QUANTITY_TOTAL;
	finding.effect = comparison->whole;
	growth_limits(&finding, &policy->total, 0);
	if (!comparison->whole.tested) {
		finding.status = growth_limited(STATUS_INCONCLUSIVE, growth.limited);
		finding.reason = "There are no costs on both sides to compare.";
	} else {
		growth_judge(&finding, &growth, builder);
	}
	if (finding.status > STATUS_PASS && isfinite(comparison->machine_speed))
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
