/* The reason of a finding in a phrase, for one line of a terminal. */
#include "gate/reason.h"

#include "format/figures.h"
#include "gate/reason_growth.h"

#include <math.h>

static const char *
not_confirmed(struct judgement *judgement)
{
	return judgement_text(judgement, "not confirmed by %u new run%s",
		(unsigned)judgement->criteria.runs_fresh,
		judgement->criteria.runs_fresh > 1 ? "s" : "");
}

static const char *
cause(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	const struct effect *effect = &finding->effect;

	if (judgement->criteria.single_runs)
		return "one run a side does not show how runs differ";
	if (test->decision.doubted)
		return "runs of one build differ as much";
	if (test->decision.weakness == WEAKNESS_DISTURBED)
		return "runs were disturbed";
	if (test->flagged)
		return finding->first.tested ? not_confirmed(judgement) : "not confirmed";
	if (growth_reaches(effect->change, finding->asked))
		return judgement_text(judgement, "not significant (threshold %s)",
			judgement_setting(judgement, finding->asked));
	return judgement_text(judgement, "so noisy that it %s (threshold %s)",
		reason_of_possible(judgement, finding),
		judgement_setting(judgement, finding->asked));
}

static const char *
undecided(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	return judgement_text(judgement, "%s; %s", cause(judgement, test, finding),
		reason_remedy(judgement, test));
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
	case WEAKNESS_SINGLE_RUNS:
		break;
	case WEAKNESS_SAME_PROGRAM:
		return "both sides are the same program";
	case WEAKNESS_OTHER_BUILD:
		return "the baseline's commit builds this program: record a new baseline";
	case WEAKNESS_MOVED:
		return "its cost moved here from elsewhere";
	case WEAKNESS_LAYOUT:
		if (test->rule == FINDING_TOTAL)
			return "what the change reaches grew by less: layout, data or load";
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
	if (finding_is_open(finding))
		return undecided(judgement, test, finding);
	switch (finding->status) {
	case STATUS_WARN:
		return warned(judgement, test, finding);
	case STATUS_FAIL:
		return test->evidence.accepted > 0
			       ? reason_accepted_in_part(judgement, test, finding)
			       : "";
	case STATUS_PASS:
	case STATUS_INCONCLUSIVE:
	case STATUS_ERROR:
	case STATUS_SKIPPED:
		break;
	}
	return "";
}

/* By which threshold a new function is judged; NULL: by none. */
static const char *
reason_brief_of_new(struct judgement *judgement, const struct test *test)
{
	const struct test *callers = test->evidence.callers;
	const struct gate_policy *policy = judgement_policy(judgement);

	if (test->decision.weakness == WEAKNESS_MOVED || test->rule != FINDING_FUNCTIONS)
		return NULL;
	if (callers)
		return judgement_text(judgement, "%s %s, threshold %s",
			test->evidence.was_called ? "with all it calls" : "its callers",
			judgement_figure(judgement, format_change, test_effect(callers)->change),
			judgement_setting(judgement, callers->limits.fail_at));
	return judgement_text(judgement, "threshold for new functions: %s of the program",
		judgement_setting(judgement, policy->floor));
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
			"%s samples, fewer than the %d needed; take more runs",
			judgement_figure(judgement, format_count,
				fmax(test->all->before_weight, test->all->after_weight)),
			MODEL_MIN_SAMPLES);
	if (test->kind == TEST_NEW)
		return reason_brief_of_new(judgement, test);
	return test->kind == TEST_GROWTH && finding->effect.tested
		       ? growth_brief(judgement, test, finding)
		       : NULL;
}
