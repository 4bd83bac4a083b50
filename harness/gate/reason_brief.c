/* The reason in a phrase, for one line of a terminal. */
#include "compare/causes.h"
#include "format/figures.h"
#include "gate/reason.h"

#include <math.h>

#define COMPARE_HERE "use --against COMMIT"
#define QUIETER "use --wait-quiet 10m"

/* The one thing that decides it. */
static const char *
remedy(struct judgement *judgement, const struct finding *finding)
{
	const struct criteria *criteria = &judgement->criteria;

	if (isfinite(finding->more_runs) && reason_is_left_undecided(judgement, finding))
		return "no more runs, for the workload fails";
	if (isfinite(finding->more_runs))
		return judgement_text(judgement, "needs about %s more run%s",
			judgement_figure(judgement, format_count, finding->more_runs),
			finding->more_runs > 1 ? "s" : "");
	if (criteria->counted)
		return "the count differs between runs of one build";
	if (!criteria->adds_before && judgement->input.mode == GATE_STORED)
		return COMPARE_HERE;
	if (judgement->input.mode == GATE_PAIRED && reason_may_be_load(judgement))
		return QUIETER;
	return "needs longer runs";
}

static const char *
not_confirmed(struct judgement *judgement)
{
	return judgement_text(judgement, "not confirmed by %u fresh run%s",
		(unsigned)judgement->criteria.runs_fresh,
		judgement->criteria.runs_fresh > 1 ? "s" : "");
}

static const char *
undecided(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	const struct effect *effect = &finding->effect;

	if (judgement->criteria.single_runs)
		return "one run a side does not show how runs differ; needs 3";
	if (test->decision.doubted)
		return "runs of one build differ as much; " QUIETER;
	if (test->decision.weakness == WEAKNESS_DISTURBED)
		return judgement_text(judgement, "runs were disturbed; %s",
			judgement->input.mode == GATE_STORED ? COMPARE_HERE : QUIETER);
	if (test->decision.weakness == WEAKNESS_SAME_PROGRAM)
		return "both sides are the same program; " QUIETER;
	if (test->flagged)
		return finding->first.tested ? not_confirmed(judgement)
					     : "not confirmed: no time for fresh runs";
	if (growth_reaches(effect->change, finding->asked) || !isfinite(effect->detectable))
		return judgement_text(judgement, "not significant; %s", remedy(judgement, finding));
	return judgement_text(judgement, "detectable only from %s; %s",
		judgement_percent(judgement, effect->detectable), remedy(judgement, finding));
}

static const char *
warned_by_runs(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	if (test->decision.by_runs == STATUS_FAIL)
		return judgement->criteria.limited ? judgement->criteria.limited
						   : "only a warning by 'regression: warn'";
	if (!growth_exceeds(finding->effect.change, finding->fail_at))
		return judgement_text(judgement, "above the %s warning threshold",
			judgement_setting(judgement, finding->warn_at));
	if (finding->first.tested &&
		!test_is_significant(&finding->effect, judgement->criteria.alpha))
		return not_confirmed(judgement);
	return judgement_text(judgement, "above %s, its confidence interval is not",
		judgement_setting(judgement, finding->asked));
}

static const char *
warned(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	const struct causes *causes = test->evidence.causes;

	switch (test->decision.weakness) {
	case WEAKNESS_NONE:
	case WEAKNESS_DISTURBED:
	case WEAKNESS_SAME_PROGRAM:
	case WEAKNESS_SINGLE_RUNS:
		break;
	case WEAKNESS_MOVED:
		return "its cost moved here from elsewhere";
	case WEAKNESS_LAYOUT:
		return causes && causes->changed_input
			       ? "its code is the same, an input differs"
			       : "no changed code runs here: layout or data";
	case WEAKNESS_SAME_WORK:
		return "same code and instructions: layout or memory";
	}
	return warned_by_runs(judgement, test, finding);
}

static const char *
growth_brief(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	switch (finding->status) {
	case STATUS_INCONCLUSIVE:
		return undecided(judgement, test, finding);
	case STATUS_WARN:
		return warned(judgement, test, finding);
	case STATUS_PASS:
	case STATUS_FAIL:
	case STATUS_ERROR:
	case STATUS_SKIPPED:
		break;
	}
	return "";
}

const char *
reason_brief(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	const struct waiver *waiver = test->evidence.waiver;

	switch (test->evidence.waiver_use) {
	case WAIVER_ACCEPTS:
		return judgement_text(
			judgement, "accepted by %s until %s", waiver->owner, waiver->last_day);
	case WAIVER_EXPIRED:
		return judgement_text(judgement, "the waiver of %s expired on %s", waiver->owner,
			waiver->last_day);
	case WAIVER_EXCEEDED:
		return judgement_text(judgement, "the waiver of %s accepts %s", waiver->owner,
			judgement_setting(judgement, waiver->max_effect));
	case WAIVER_NONE:
		break;
	}
	if (finding->accepted)
		return "accepted by 'regression: pass'";
	if (test->kind == TEST_TOO_FEW && test->all)
		return judgement_text(judgement,
			"%s samples, fewer than the %d needed; needs more runs",
			judgement_figure(judgement, format_count,
				fmax(test->all->before_weight, test->all->after_weight)),
			MODEL_MIN_SAMPLES);
	return test->kind == TEST_GROWTH && finding->effect.tested
		       ? growth_brief(judgement, test, finding)
		       : NULL;
}
