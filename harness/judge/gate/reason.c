#include "gate/reason.h"

#include "format/figures.h"
#include "gate/finding_effect.h"
#include "gate/reason_growth.h"
#include "gate/reason_remedy.h"
#include "profile/counters.h"

#include <assert.h>
#include <math.h>

/* "+12.0 % (95 % CI 8.0 to 16.1)" of the callers of a new function, or itself, with all they call.
 */
static const char *
callers_change(struct judgement *judgement, const struct test *callers)
{
	const struct effect *effect = test_effect(callers);
	struct buf change = {0};

	if (isfinite(effect->low) && isfinite(effect->high))
		effect_put_estimate(effect, &change);
	else
		effect_put_change(effect, &change);
	return judgement_keep(judgement, &change);
}

static const char *
new_reason(struct judgement *judgement, const struct test *test)
{
	const struct test *callers = test->evidence.callers;
	const struct gate_policy *policy = judgement_policy(judgement);

	if (test->rule != FINDING_FUNCTIONS)
		return "New: nothing to compare it with.";
	if (test->decision.weakness == WEAKNESS_MOVED)
		return test->decision.status == STATUS_WARN
			       ? "New; most of its cost was elsewhere before."
			       : "New; its cost was elsewhere before.";
	const bool fails = test->decision.status == STATUS_FAIL;
	const char *advice = (fails && callers) || test->evidence.was_called
				     ? ""
				     : judgement_update_advice(judgement,
					       "If it was renamed, record a new baseline");

	if (callers)
		return judgement_text(judgement, "%s changed by %s, %s the %s threshold.%s",
			test->evidence.was_called
				? "Had no cost of its own before; with all it calls it"
				: "New; its callers with all they call",
			callers_change(judgement, callers),
			fails ? "above"
			: growth_exceeds(test_effect(callers)->change, callers->limits.fail_at)
				? "not significantly above"
				: "below",
			judgement_setting(judgement, callers->limits.fail_at), advice);
	return judgement_text(judgement,
		"New: equal to %s of the program before, %s the threshold for new functions, %s.%s%s",
		judgement_percent(judgement, test->worth),
		test->worth < policy->floor ? "below" : "above",
		judgement_setting(judgement, policy->floor),
		judgement->criteria.new_functions == POLICY_WARN
			? " Only a warning by 'new_functions: warn' of the policy."
			: "",
		advice);
}

static const char *
too_few_reason(struct judgement *judgement, const struct test *test)
{
	switch (test->rule) {
	case FINDING_TOTAL:
		return "No costs on both sides to compare.";
	case FINDING_COUNTERS:
		return "Too few runs to compare.";
	case FINDING_FUNCTIONS:
		assert(test->all);
		return judgement_text(judgement,
			"Too few samples to compare: %s, at least %d are needed.",
			judgement_figure(judgement, format_count,
				fmax(test->all->before_weight, test->all->after_weight)),
			MODEL_MIN_SAMPLES);
	case FINDING_MEASUREMENT:
	case FINDING_BASELINE:
	case FINDING_VALIDITY:
	case FINDING_SELF_CHECK:
	case FINDING_NAMED:
	case FINDING_WAIVERS:
		break;
	}
	return "Too few samples to compare.";
}

/* For a value whose estimate alone is over its budget. */
static const char *
chance_text(const struct budget *budget)
{
	return budget->least > budget->limit ? "" : ", but not significantly above it";
}

static const char *
share_reason(struct judgement *judgement, const struct budget *budget)
{
	if (!isfinite(budget->value))
		return "No samples, so no share.";
	if (budget->value > budget->limit)
		return judgement_text(judgement, "%s of the program now, above its budget of %s%s.",
			judgement_percent(judgement, budget->value),
			judgement_setting(judgement, budget->limit), chance_text(budget));
	return judgement_text(judgement, "%s of the program now, within its budget of %s.",
		judgement_percent(judgement, budget->value),
		judgement_setting(judgement, budget->limit));
}

/* In the unit of the counter; of the metric where `counter` is NULL. */
static const char *
budget_cost(struct judgement *judgement, const struct counter_kind *counter, double cost)
{
	struct buf text = {0};

	if (!counter)
		return judgement_cost(judgement, cost);
	counter_put(&text, counter, cost);
	return judgement_keep(judgement, &text);
}

static const char *
cost_reason(struct judgement *judgement, const struct test *test)
{
	const struct budget *budget = &test->budget;

	if (!isfinite(budget->value))
		return "The cost of the runs is not known.";
	const char *cost = budget_cost(judgement, test->counter, budget->value);
	const char *most = budget_cost(judgement, test->counter, budget->limit);
	const char *basis = counter_basis(test->counter, &judgement->comparison.profile);

	/* Of a file there is no basis either. */
	if (test->counter || !basis)
		return judgement_text(judgement, "%s%s%s, %s its limit of %s%s.", cost,
			basis ? " per " : "", basis ? basis : "",
			budget->value > budget->limit ? "above" : "within", most,
			budget->value > budget->limit ? chance_text(budget) : "");

	if (budget->value > budget->limit)
		return judgement_text(judgement, "Costs %s per %s, above its budget of %s%s.", cost,
			basis, most, chance_text(budget));
	return judgement_text(
		judgement, "Costs %s per %s, within its budget of %s.", cost, basis, most);
}

/* The reason of a new or gone function that is doubted. */
static const char *
doubted_reason(struct judgement *judgement, const struct test *test, const char *reason)
{
	/* The reason itself says that it moved. */
	if (test->decision.weakness == WEAKNESS_MOVED)
		return reason;
	return judgement_text(judgement, "%s%s", reason, reason_of_weakness(judgement, test));
}

static const char *
reason_by_kind(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	switch (test->kind) {
	case TEST_GROWTH:
		return reason_of_growth(judgement, test, finding);
	case TEST_NEW:
		return doubted_reason(judgement, test, new_reason(judgement, test));
	case TEST_GONE:
		return doubted_reason(judgement, test,
			judgement_text(judgement, "Gone: it was %s of the program before.",
				judgement_percent(judgement, test->worth)));
	case TEST_TOO_FEW:
		return too_few_reason(judgement, test);
	case TEST_NEGLIGIBLE:
		return "It has almost none of the program's cost.";
	case TEST_SHARE_BUDGET:
		return share_reason(judgement, &test->budget);
	case TEST_COST_BUDGET:
		return cost_reason(judgement, test);
	case TEST_CONDITION:
		break;
	}
	return test->reason;
}

/* The name of a test's subject. */
static const char *
subject_of(struct judgement *judgement, size_t number)
{
	const struct test *test = &judgement->tests[number - 1];
	struct buf name = {0};

	if (test->frame == 0)
		return test->subject;
	profile_put_frame(&judgement->comparison.profile, test->frame, &name);
	return judgement_keep(judgement, &name);
}

/* The growth beyond what is accepted with another test: "+14.7 ms (+9.5 %)". */
static const char *
beyond(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	const double growth = finding_growth_of(judgement, test) - test->evidence.accepted;
	const double before = finding->effect.before_cost *
			      comparison_before_scale(&judgement->comparison, &finding->effect);

	return judgement_text(judgement, "+%s (%s)", judgement_cost(judgement, growth),
		judgement_figure(judgement, format_change, growth / before));
}

const char *
reason_accepted_in_part(
	struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	if (!(test->evidence.accepted > 0))
		return NULL;
	return judgement_text(judgement, "+%s is accepted with %s, and the rest of %s is not",
		judgement_cost(judgement, test->evidence.accepted),
		subject_of(judgement, test->evidence.accepted_with),
		beyond(judgement, test, finding));
}

/* The sentence on its waiver, with the bound of that. */
static const char *
accepted_text(struct judgement *judgement, const struct test *test)
{
	const struct waiver *waiver = test->evidence.waiver;

	if (test->evidence.accepted_with != 0)
		return judgement_text(judgement, "Accepted with %s by %s until %s: %s.",
			subject_of(judgement, test->evidence.accepted_with), waiver->owner,
			waiver->last_day, waiver->reason);
	return judgement_text(judgement, "Accepted by %s until %s, up to %s: %s.", waiver->owner,
		waiver->last_day, judgement_setting(judgement, waiver->max_effect), waiver->reason);
}

const char *
reason_of_test(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	const struct waiver *waiver = test->evidence.waiver;
	const char *reason = reason_by_kind(judgement, test, finding);

	switch (test->evidence.waiver_use) {
	case WAIVER_ACCEPTS:
		return judgement_text(judgement, "%s %s", reason, accepted_text(judgement, test));
	case WAIVER_EXPIRED:
		return judgement_text(judgement, "%s The waiver of %s expired on %s.", reason,
			waiver->owner, waiver->last_day);
	case WAIVER_EXCEEDED:
		return judgement_text(judgement, "%s The waiver of %s accepts up to %s.", reason,
			waiver->owner, judgement_setting(judgement, waiver->max_effect));
	case WAIVER_NONE:
		break;
	}
	const char *in_part = reason_accepted_in_part(judgement, test, finding);

	return in_part ? judgement_text(judgement, "%s Of its growth, %s.", reason, in_part)
		       : reason;
}

/* The phrases: reason_brief() and its parts. */

static const char *
not_confirmed(struct judgement *judgement)
{
	return judgement_text(judgement, "not confirmed by %u new run%s",
		(unsigned)judgement->criteria.runs_fresh,
		judgement->criteria.runs_fresh > 1 ? "s" : "");
}

static const char *
undecided_cause(struct judgement *judgement, const struct test *test, const struct finding *finding)
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
undecided_brief(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	return judgement_text(judgement, "%s; %s", undecided_cause(judgement, test, finding),
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
warned_brief(struct judgement *judgement, const struct test *test, const struct finding *finding)
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
		return undecided_brief(judgement, test, finding);
	switch (finding->status) {
	case STATUS_WARN:
		return warned_brief(judgement, test, finding);
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
new_brief(struct judgement *judgement, const struct test *test)
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
		return new_brief(judgement, test);
	return test->kind == TEST_GROWTH && finding->effect.tested
		       ? growth_brief(judgement, test, finding)
		       : NULL;
}
