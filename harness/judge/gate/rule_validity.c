/* Whether the runs are usable for a judgement. A run set too poor is never a pass. */
#include "format/figures.h"
#include "gate/rules.h"
#include "profile/counters.h"
#include "profile/quality.h"
#include "profile/weights.h"

#include <math.h>

/* With fewer runs on a side nothing is known of how they vary. */
#define LEAST_RUNS 3
/* Counts do not vary. */
#define LEAST_RUNS_COUNTED 1

bool
validity_has_no_run(const struct profile *profile)
{
	const struct quality_tally tally = quality_count_poor(profile);

	return tally.npoor == tally.nruns;
}

/* "10 runs of 60 executions each" */
static const char *
runs_text(struct judgement *judgement, const struct profile *profile)
{
	struct buf text = {0};

	executions_put_runs(profile, 0, profile->nruns, &text);
	return judgement_keep(judgement, &text);
}

static void
judge_runs(struct judgement *judgement, const struct profile *profile, const char *subject)
{
	const double samples = weights_are_samples(profile) ? profile_total(profile) : INFINITY;
	const unsigned least = weights_are_counted(profile) ? LEAST_RUNS_COUNTED : LEAST_RUNS;
	enum test_condition condition = CONDITION_UNUSABLE;
	const char *reason;
	const struct quality_tally tally = quality_count_poor(profile);

	if (tally.nruns < least) {
		reason = judgement_text(judgement,
			"%zu run%s cannot show how much runs differ: at least %u are needed.",
			tally.nruns, tally.nruns == 1 ? "" : "s", least);
	} else if (samples < QUALITY_MIN_SAMPLES) {
		reason = judgement_text(judgement,
			"%s samples in all runs together say nothing: at least %d are needed.",
			judgement_figure(judgement, format_count, samples), QUALITY_MIN_SAMPLES);
	} else if (quality_rejects(&tally)) {
		reason = judgement_text(judgement,
			"%zu of %zu runs are not usable, the first because %s%s.", tally.npoor,
			tally.nruns, tally.first, tally.remedy);
	} else if (tally.npoor > 0) {
		condition = CONDITION_DOUBTFUL;
		reason = judgement_text(judgement, "%zu of %zu runs %s poor: %s.", tally.npoor,
			tally.nruns, tally.npoor == 1 ? "is" : "are", tally.first);
	} else {
		condition = CONDITION_MET;
		reason = judgement_text(judgement,
			profile->nruns == 1 ? "The %s is usable." : "All %s are usable.",
			runs_text(judgement, profile));
	}
	judgement_add_condition(judgement, FINDING_VALIDITY, subject, condition, reason);
}

/* Name of the runs of the side before, by mode. */
static const char *
other_runs(enum gate_mode mode)
{
	static const char *const names[] = {
		[GATE_STORED] = "baseline runs",
		[GATE_PAIRED] = "runs of the base",
		[GATE_FILES] = "runs before",
	};

	return names[mode];
}

/* Work of the kernel for other programs: more of it is load on the machine and fails nothing. */
static void
add_background(struct judgement *judgement)
{
	const struct comparison *comparison = &judgement->comparison;
	double before = 0;
	double after = 0;

	for (frame_id frame = 1; frame < comparison->nframes; frame++) {
		const struct effect *effect = &comparison->self[frame];

		if (!comparison->background[frame])
			continue;
		before += effect->before_share > 0 ? effect->before_share : 0;
		after += effect->after_share > 0 ? effect->after_share : 0;
	}
	if (fmax(before, after) < judgement_policy(judgement)->min_share)
		return;
	judgement_add_condition(judgement, FINDING_VALIDITY, "scheduling and interrupts",
		CONDITION_MET,
		judgement_text(judgement,
			"%s of the program before, %s after; not compared function by function.",
			judgement_percent(judgement, before), judgement_percent(judgement, after)));
}

static void
add_validity(struct judgement *judgement)
{
	const struct profile *candidate = judgement->input.candidate;

	if (judgement->input.error || !candidate || candidate->nruns == 0)
		return;
	/* Runs for the picture alone. */
	if (!judgement->compared && (judgement->input.base_problem || judgement->input.not_judged ||
					    judgement->input.not_measured))
		return;
	judge_runs(judgement, candidate, "runs");
	if (!judgement->compared)
		return;
	judge_runs(judgement, judgement->input.before, other_runs(judgement->input.mode));
	add_background(judgement);
}

const struct gate_rule rule_validity = {
	.rule = FINDING_VALIDITY,
	.summary = "enough runs with enough samples, on both sides",
	.add = add_validity,
};
