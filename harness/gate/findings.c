/* What reports say of a decided test: its finding, and why it was decided as it was. */
#include "gate/findings.h"

#include "format/figures.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* "12.3 ms" of times, "250,000 instructions" of what is counted. */
static const char *
cost_text(struct judgement *judgement, double cost)
{
	const struct profile *profile = &judgement->comparison.profile;
	const char *unit = strtab_str(&profile->strings, profile->cost_unit);
	struct buf text = {0};

	format_cost(&text, cost, unit[0] ? unit : "ns");
	return judgement_keep(judgement, &text);
}

/* "15 %": a setting of the policy, without the decimals that it does not have. */
static const char *
setting(struct judgement *judgement, double ratio)
{
	return judgement_figure(judgement, format_setting, ratio);
}

static const struct threshold *
threshold_of(const struct judgement *judgement, const struct finding *finding)
{
	const struct gate_policy *policy = judgement_policy(judgement);

	if (finding->named)
		return &finding->named->threshold;
	return finding->rule == FINDING_TOTAL ? &policy->total : &policy->functions;
}

/*
 * "the 15 % threshold", or where the floor raised it: "the threshold (15 %, here 38 % because the
 * function is 2.6 % of the program and the floor is 1 %)".
 */
static const char *
threshold_text(struct judgement *judgement, const struct finding *finding)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	const struct threshold *threshold = threshold_of(judgement, finding);
	const struct effect *effect = &finding->effect;
	const char *what = finding->frame ? "the function" : "it";
	double set = isnan(threshold->fail) ? threshold->warn : threshold->fail;
	const char *here = setting(judgement, finding->asked);

	if (!(finding->asked > set * 1.0001))
		return judgement_text(judgement, "the %s threshold", here);
	if (policy->floor / effect->before_share >= finding->asked * 0.9999)
		return judgement_text(judgement,
			"the threshold (%s, here %s because %s is %s of the program and the floor is %s)",
			setting(judgement, set), here, what,
			judgement_percent(judgement, effect->before_share),
			setting(judgement, policy->floor));
	return judgement_text(judgement,
		"the threshold (%s, here %s because %s costs %s per run and min_cost is %s)",
		setting(judgement, set), here, what, cost_text(judgement, effect->before_cost),
		cost_text(judgement, policy->min_cost));
}

/* "10 fresh runs" */
static const char *
fresh_runs(struct judgement *judgement)
{
	struct buf text = {0};

	format_plural(&text, (size_t)judgement->criteria.runs_fresh, "fresh run", "fresh runs");
	return judgement_keep(judgement, &text);
}

static const char *
failure_reason(struct judgement *judgement, const struct finding *finding)
{
	const char *threshold = threshold_text(judgement, finding);

	if (!finding->first.tested)
		return judgement_text(judgement, "Above %s.", threshold);
	return judgement_text(judgement, "Above %s; confirmed by %s (first runs: %s).", threshold,
		fresh_runs(judgement),
		judgement_figure(judgement, format_change, finding->first.change));
}

/* Of what was flagged, and yet does not fail. */
static const char *
flagged_reason(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	const struct effect *effect = &finding->effect;
	const char *threshold = threshold_text(judgement, finding);
	const char *first = judgement_figure(judgement, format_change, finding->first.change);

	if (!finding->first.tested)
		return judgement_text(judgement, "Above %s%s.", threshold,
			test->decision.weakness == WEAKNESS_NONE
				? ", but not confirmed: no time was left for fresh runs"
				: "");
	if (!test_is_significant(effect, judgement->criteria.alpha))
		return judgement_text(judgement,
			"Not confirmed: %s in the first runs, not significant in %s.", first,
			fresh_runs(judgement));
	if (effect->change > finding->fail_at)
		return judgement_text(judgement,
			"Estimate above %s, but its confidence interval is not.", threshold);
	return judgement_text(judgement, "Not confirmed: %s in the first runs, in %s below %s.",
		first, fresh_runs(judgement), threshold);
}

/* What a person can do. The larger part of the uncertainty decides. */
static const char *
remedy(struct judgement *judgement, const struct finding *finding)
{
	const struct baseline_info *baseline = judgement->input.before_info;

	if (isfinite(finding->more_runs))
		return judgement_text(judgement, "Add about %s runs.",
			judgement_figure(judgement, format_count, finding->more_runs));
	if (judgement->criteria.adds_before || judgement->input.mode != GATE_STORED)
		return "Measure longer runs, count instructions or use a quieter machine.";
	return judgement_text(judgement, "Record the baseline in more sessions%s.",
		baseline && baseline->nsessions > 0
			? judgement_text(judgement, " (now %u)", (unsigned)baseline->nsessions)
			: "");
}

static const char *
warn_reason(struct judgement *judgement, const struct finding *finding)
{
	const struct criteria *criteria = &judgement->criteria;
	const struct effect *effect = &finding->effect;
	const char *threshold = threshold_text(judgement, finding);
	const char *spread =
		effect->spread > 0 ? judgement_percent(judgement, effect->spread) : NULL;

	if (!(effect->change >= finding->fail_at))
		return judgement_text(judgement, "Above the %s warning threshold.",
			setting(judgement, finding->warn_at));
	if (criteria->two_stages)
		return judgement_text(judgement,
			"Above %s in all runs together, but not in the first runs alone.",
			threshold);
	if (!spread)
		return judgement_text(judgement,
			"Estimate above %s, but its confidence interval is not.", threshold);
	return judgement_text(judgement,
		"Estimate above %s, but its confidence interval, with the spread between sessions (SD "
		"%s), is not.",
		threshold, spread);
}

static const char *
inconclusive_reason(struct judgement *judgement, const struct finding *finding)
{
	const struct effect *effect = &finding->effect;
	const double alpha = judgement->criteria.alpha;

	if (effect->change >= finding->asked && effect->p <= alpha)
		return judgement_text(judgement,
			"Undecided: estimate above %s, but not significant after correction for %zu "
			"tests. %s",
			threshold_text(judgement, finding),
			judgement->ncorrected[COMPARISON_SCREEN], remedy(judgement, finding));
	if (effect->change >= finding->asked)
		return judgement_text(judgement,
			"Undecided: estimate above %s, but not significant. %s",
			threshold_text(judgement, finding), remedy(judgement, finding));
	return judgement_text(judgement, "Undecided: threshold %s, detectable only from %s. %s",
		setting(judgement, finding->asked),
		judgement_percent(judgement, effect->detectable), remedy(judgement, finding));
}

static const char *
growth_by_runs(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	switch (test->decision.by_runs) {
	case STATUS_FAIL:
		return failure_reason(judgement, finding);
	case STATUS_WARN:
		return test->flagged && judgement->criteria.two_stages
			       ? flagged_reason(judgement, test, finding)
			       : warn_reason(judgement, finding);
	case STATUS_INCONCLUSIVE:
		return test->flagged ? flagged_reason(judgement, test, finding)
				     : inconclusive_reason(judgement, finding);
	case STATUS_PASS:
		if (finding->first.tested)
			return flagged_reason(judgement, test, finding);
		break;
	case STATUS_ERROR:
		break;
	}
	return isnan(finding->asked)
		       ? "No threshold is set."
		       : judgement_text(judgement, "Below %s.", threshold_text(judgement, finding));
}

/* "", or what made it warn. */
static const char *
weakness_text(enum weakness weakness)
{
	static const char *const texts[] = {
		[WEAKNESS_NONE] = "",
		[WEAKNESS_MOVED] = " Only a warning: its cost moved here from elsewhere in the "
				   "program.",
		[WEAKNESS_LAYOUT] = " Only a warning: no changed code is on any sampled path to "
				    "it, so layout or data is the cause.",
		[WEAKNESS_SAME_WORK] = " Only a warning: the same code executes the same "
				       "instructions, so layout, cache or memory is the cause.",
		[WEAKNESS_DISTURBED] = " Most runs were disturbed by other load: measure both "
				       "builds here (--against), or when the machine is quieter "
				       "(--wait-quiet 10m).",
		[WEAKNESS_SAME_PROGRAM] = " Both sides ran the same program: the difference is "
					  "the machine's.",
	};

	return texts[weakness];
}

/* The second sentence of a growth, the one that says most; "" where the first says it all. */
static const char *
growth_addition(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	const struct decision *decision = &test->decision;
	const struct comparison *comparison = &judgement->comparison;

	if (finding->accepted && !finding->waiver)
		return " Accepted by 'regression: pass' of the policy, without an end date.";
	if (decision->doubted)
		return " It does not fail, because runs of the same build differ here as well.";
	if (decision->weakness != WEAKNESS_NONE)
		return weakness_text(decision->weakness);
	if (decision->by_runs == STATUS_FAIL && finding->status == STATUS_WARN)
		return judgement->criteria.regression == POLICY_WARN
			       ? " Only a warning by 'regression: warn' of the policy."
			       : "";
	if (test->rule == FINDING_TOTAL && finding->status > STATUS_PASS &&
		finding->status != STATUS_INCONCLUSIVE && comparison->mode == COMPARISON_STORED &&
		isfinite(comparison->model.machine_speed))
		return judgement_text(judgement,
			" The stable rest of the program costs %s: because of the machine, or a change that "
			"affects all code.",
			judgement_figure(
				judgement, format_change, comparison->model.machine_speed - 1));
	return "";
}

static const char *
growth_reason(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	return judgement_text(judgement, "%s%s", growth_by_runs(judgement, test, finding),
		growth_addition(judgement, test, finding));
}

static const char *
new_reason(struct judgement *judgement, const struct test *test)
{
	const struct test *callers = test->evidence.callers;

	if (test->rule != FINDING_FUNCTIONS)
		return "New: nothing to compare it with.";
	if (test->decision.weakness == WEAKNESS_MOVED)
		return test->decision.status == STATUS_WARN
			       ? "New; most of its cost was elsewhere before."
			       : "New; its cost was elsewhere before.";
	if (callers && test->decision.status == STATUS_FAIL) {
		const struct effect *effect = test_effect(callers);
		struct buf change = {0};

		format_estimate_interval(&change, effect->change, effect->low, effect->high);
		return judgement_text(judgement,
			"New; its callers with all they call changed by %s, above the %s threshold.",
			judgement_keep(judgement, &change),
			setting(judgement, callers->limits.fail_at));
	}
	return judgement_text(judgement,
		"New: it costs %s of the whole program before. If it was renamed, record a new "
		"baseline.",
		judgement_percent(judgement, test->worth));
}

static const char *
too_few_reason(struct judgement *judgement, const struct test *test)
{
	switch (test->rule) {
	case FINDING_TOTAL:
		return "No costs on both sides to compare.";
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

/* Of what is over its budget by the estimate alone. */
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
		return judgement_text(judgement, "%s of the program, above its budget of %s%s.",
			judgement_percent(judgement, budget->value),
			setting(judgement, budget->limit), chance_text(budget));
	return judgement_text(judgement, "%s of the program, within its budget of %s.",
		judgement_percent(judgement, budget->value), setting(judgement, budget->limit));
}

static const char *
cost_reason(struct judgement *judgement, const struct budget *budget)
{
	if (!isfinite(budget->value))
		return "The cost of the runs is not known.";
	const char *cost = cost_text(judgement, budget->value);
	const char *most = cost_text(judgement, budget->limit);

	if (budget->value > budget->limit)
		return judgement_text(judgement, "Costs %s per run, above its budget of %s%s.",
			cost, most, chance_text(budget));
	return judgement_text(judgement, "Costs %s per run, within its budget of %s.", cost, most);
}

static const char *
reason_by_kind(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	switch (test->kind) {
	case TEST_GROWTH:
		return growth_reason(judgement, test, finding);
	case TEST_NEW:
		return new_reason(judgement, test);
	case TEST_GONE:
		return judgement_text(judgement, "Gone: it was %s of the program.",
			judgement_percent(judgement, test->worth));
	case TEST_TOO_FEW:
		return too_few_reason(judgement, test);
	case TEST_NEGLIGIBLE:
		return "It has next to none of the cost of the program.";
	case TEST_SHARE_BUDGET:
		return share_reason(judgement, &test->budget);
	case TEST_COST_BUDGET:
		return cost_reason(judgement, &test->budget);
	case TEST_CONDITION:
		break;
	}
	return test->reason;
}

/* One sentence or two, for people, without the numbers of the effect. */
static const char *
reason_of(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	const struct waiver *waiver = test->evidence.waiver;
	const char *reason = reason_by_kind(judgement, test, finding);

	switch (test->evidence.waiver_use) {
	case WAIVER_ACCEPTS:
		return judgement_text(judgement, "%s Accepted by %s until %s, up to %s: %s.",
			reason, waiver->owner, waiver->last_day,
			setting(judgement, waiver->max_effect), waiver->reason);
	case WAIVER_EXPIRED:
		return judgement_text(judgement, "%s The waiver of %s expired on %s.", reason,
			waiver->owner, waiver->last_day);
	case WAIVER_EXCEEDED:
		return judgement_text(judgement, "%s The waiver of %s accepts up to %s.", reason,
			waiver->owner, setting(judgement, waiver->max_effect));
	case WAIVER_NONE:
		break;
	}
	return reason;
}

static const char *
name_of_function(struct judgement *judgement, frame_id frame)
{
	struct buf name = {0};

	profile_put_frame(&judgement->comparison.profile, frame, &name);
	return judgement_keep(judgement, &name);
}

static const char *
source_of_function(struct judgement *judgement, frame_id frame)
{
	const struct profile *profile = &judgement->comparison.profile;
	const struct frame *f = &profile->frames.frames[frame];

	if (f->file == 0)
		return NULL;
	const char *file = strtab_str(&profile->strings, f->file);

	return f->line > 0 ? judgement_text(judgement, "%s:%u", file, f->line)
			   : judgement_text(judgement, "%s", file);
}

/* A growth that would warn or fail, but for `regression: pass`. */
static bool
is_accepted_by_policy(const struct judgement *judgement, const struct test *test)
{
	const struct decision *decision = &test->decision;

	return judgement->criteria.regression == POLICY_PASS && test->kind == TEST_GROWTH &&
	       decision->status == STATUS_PASS && decision->weakness == WEAKNESS_NONE &&
	       (decision->by_runs == STATUS_FAIL || decision->by_runs == STATUS_WARN);
}

struct finding
finding_of_test(struct judgement *judgement, const struct test *test)
{
	struct finding finding = finding_of(test->rule, test->subject);

	finding.status = test->decision.status;
	finding.unconfirmed = test->decision.unconfirmed;
	finding.more_runs = test->decision.more_runs;
	finding.of = test->of;
	finding.frame = test->frame;
	finding.named = test->named;
	finding.asked = test->limits.asked;
	finding.warn_at = test->limits.warn_at;
	finding.fail_at = test->limits.fail_at;
	finding.source = test->source;
	finding.causes = test->evidence.causes;
	if (test->evidence.waiver_use == WAIVER_ACCEPTS)
		finding.waiver = test->evidence.waiver;
	finding.accepted = finding.waiver || is_accepted_by_policy(judgement, test);
	if (test->all)
		finding.effect = *test_effect(test);
	finding.effect.tested = finding.effect.tested && test_is_corrected(test);
	if (test_is_confirmed(test))
		finding.first = *test_first_effect(test);
	if (test->frame != 0) {
		finding.subject = name_of_function(judgement, test->frame);
		finding.source = source_of_function(judgement, test->frame);
	}
	finding.reason = reason_of(judgement, test, &finding);
	return finding;
}
