/*
 * Whether a growth passes: the one place that turns effects and thresholds into a status.
 *
 * In two stages, what the first runs flag is measured again, and the fresh runs decide:
 *
 *     flagged       significant after Holm over all that the gate tests (at twice alpha, since it
 *                   only chooses what is looked at again), and the estimate is fail_at or more
 *     fail          flagged, and in the fresh runs significant after Holm over all that was
 *                   flagged, with an estimate of fail_at or more; strict: all of its interval
 *                   above fail_at
 *
 * In one stage, both are one, at alpha. What does not fail:
 *
 *     warn          flagged and not confirmed; or significant after Holm and the estimate is
 *                   warn_at or more; or significant by itself and what the gate asks about or more
 *     inconclusive  flagged, and no fresh runs could be taken; or the estimate is what the gate
 * asks about or more, and yet none of the above; or a growth of what the gate asks about could not
 * have been seen, and does not lie above the one-sided interval either pass          none of these
 *
 * Interval, p and what could have been seen all have the spread between occasions in them.
 *
 * more_runs of a finding is set where its status may be another one by more runs: inconclusive;
 * significant by itself and not after Holm; flagged, and by the fresh runs neither significant nor
 * below what fails.
 */
#ifndef GATE_GROWTH_H
#define GATE_GROWTH_H

#include "gate/verdict.h"

/*
 * Thresholds for a subject of this share of the program before: a growth matters when it is worth
 * `floor` of the whole, and `min_cost` of its own unit a run. Sets warn_at, fail_at and asked,
 * which stay NAN for what was not there.
 */
void growth_limits(
	struct finding *finding, const struct threshold *threshold, double floor, double min_cost);

struct growth_policy {
	double alpha;
	bool strict;
	bool two_stages;
	bool warns_when_unsure;  /* an estimate that may be chance warns, instead of being
				    inconclusive */
	bool limited;            /* warns at most */
	enum policy_action most; /* the most that a growth does */
	double runs_before;      /* behind `all`: what more of them would do */
	double runs_after;
	double runs_fresh; /* of the second stage, a side */
	bool adds_before;  /* runs can be added to both sides, not only to the candidate's */
};

/* What the runs say of one subject. */
struct growth_evidence {
	const struct effect *all;
	const struct effect *stages[COMPARISON_STAGES]; /* NULL: there is one stage only */
};

/* Whether the first stage sends it to the second; `finding` has its limits. */
bool growth_is_flagged(const struct finding *finding, const struct growth_evidence *evidence,
	const struct growth_policy *policy);

/*
 * Sets effect, status and reason of a finding that has its limits and whose effect was tested; and
 * what would decide it.
 */
void growth_judge(struct finding *finding, const struct growth_evidence *evidence,
	const struct growth_policy *policy, struct verdict_builder *builder);

/* Lowers what may only warn. */
enum status growth_limited(enum status status, bool limited);

#endif
