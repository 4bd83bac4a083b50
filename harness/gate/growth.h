/*
 * Whether a growth passes: the one place that turns an effect and thresholds into a status.
 *
 *     fail          significant after Holm, and all of the interval lies above fail_at
 *     warn          significant after Holm and the estimate is warn_at or more; or significant by
 *                   itself and the estimate is what the gate asks about or more
 *     inconclusive  the estimate is what the gate asks about or more, and yet neither of the above;
 *                   or a growth of what the gate asks about could not have been seen, and does not
 *                   lie above the one-sided interval either
 *     pass          none of these
 *
 * Interval, p and what could have been seen all have the spread between occasions in them.
 */
#ifndef GATE_GROWTH_H
#define GATE_GROWTH_H

#include "gate/verdict.h"

/*
 * Thresholds for a subject of this share of the program before: a growth matters when it is worth
 * `floor` of the whole. Sets warn_at, fail_at and asked, which stay NAN for what
 * was not there.
 */
void growth_limits(struct finding *finding, const struct threshold *threshold, double floor);

struct growth_policy {
	double alpha;
	bool warns_when_unsure; /* an estimate that may be chance warns, instead of being
				   inconclusive */
	bool limited;           /* warns at most */
};

/* Sets status and reason of a finding whose effect was tested and has its limits. */
void growth_judge(struct finding *finding, const struct growth_policy *policy,
	struct verdict_builder *builder);

/* Lowers what may only warn. */
enum status growth_limited(enum status status, bool limited);

#endif
