/* Why a growth was decided as it was. */
#include "format/figures.h"
#include "gate/reason.h"
#include "profile/executions.h"

#include <math.h>
#include <string.h>

static const struct threshold *
threshold_of(const struct judgement *judgement, const struct finding *finding)
{
	const struct gate_policy *policy = judgement_policy(judgement);

	if (finding->named)
		return &finding->named->threshold;
	for (size_t i = 0; finding->counter && i < policy->ncounters; i++)
		if (strcmp(policy->counters[i].name, finding->counter->name) == 0)
			return &policy->counters[i].threshold;
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
	const char *here = judgement_setting(judgement, finding->asked);

	if (!(finding->asked > set * 1.0001))
		return judgement_text(judgement, "the %s threshold", here);
	/* The larger of the two; the threshold comes from all runs, this effect maybe from some. */
	if (!(policy->min_cost / effect->before_cost > policy->floor / effect->before_share))
		return judgement_text(judgement,
			"the threshold (%s, here %s because %s is %s of the program and the floor is %s)",
			judgement_setting(judgement, set), here, what,
			judgement_percent(judgement, effect->before_share),
			judgement_setting(judgement, policy->floor));
	return judgement_text(judgement,
		"the threshold (%s, here %s because %s costs %s per %s and min_cost is %s)",
		judgement_setting(judgement, set), here, what,
		judgement_cost(judgement, effect->before_cost),
		executions_basis(&judgement->comparison.profile),
		judgement_cost(judgement, policy->min_cost));
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

	if (judgement->criteria.early)
		return judgement_text(judgement, "Above %s after %u of at most %u pairs.",
			threshold, (unsigned)judgement->comparison.model.npairs,
			judgement->input.looks.most);
	if (!finding->first.tested)
		return judgement_text(judgement, "Above %s.", threshold);
	return judgement_text(judgement, "Above %s; confirmed by %s (first runs: %s).", threshold,
		fresh_runs(judgement),
		judgement_figure(judgement, format_change, finding->first.change));
}

/* The reason of a growth that was flagged but does not fail. */
static const char *
flagged_reason(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	const struct effect *effect = &finding->effect;
	const char *threshold = threshold_text(judgement, finding);
	const char *first = judgement_figure(judgement, format_change, finding->first.change);

	if (!finding->first.tested)
		return judgement_text(judgement, "Above %s%s.", threshold,
			test->decision.weakness == WEAKNESS_NONE &&
					test->evidence.waiver_use != WAIVER_ACCEPTS
				? ", but not confirmed: no time was left for fresh runs"
				: "");
	if (!test_is_significant(effect, judgement->criteria.alpha))
		return judgement_text(judgement,
			"Not confirmed: %s in the first runs, not significant in %s.", first,
			fresh_runs(judgement));
	if (growth_exceeds(effect->change, finding->fail_at))
		return judgement_text(judgement,
			"Estimate above %s, but its confidence interval is not.", threshold);
	return judgement_text(judgement, "Not confirmed: %s in the first runs, in %s below %s.",
		first, fresh_runs(judgement), threshold);
}

bool
reason_is_left_undecided(const struct judgement *judgement, const struct finding *finding)
{
	const struct criteria *criteria = &judgement->criteria;
	double taken = finding->first.tested ? criteria->runs_fresh
					     : criteria->runs_after - criteria->runs_fresh;

	if (!judgement->input.may_confirm || taken >= judgement->input.workload->capture.max_runs)
		return false;
	for (size_t i = 0; i < judgement->ntests; i++) {
		if (judgement->tests[i].decision.status == STATUS_FAIL)
			return true;
	}
	return false;
}

/* Where each side has one run. */
static const char *
single_runs_remedy(const struct judgement *judgement)
{
	return judgement->input.mode == GATE_FILES ? "Compare several files a side, at least 3."
						   : "Take at least 3 runs.";
}

/* Advice for the user, by the larger part of the uncertainty. */
static const char *
remedy(struct judgement *judgement, const struct finding *finding)
{
	const struct baseline_info *baseline = judgement->input.before_info;

	if (judgement->criteria.single_runs)
		return single_runs_remedy(judgement);
	if (isfinite(finding->more_runs) && reason_is_left_undecided(judgement, finding))
		return "No more runs were taken, because the workload fails already.";
	if (isfinite(finding->more_runs))
		return judgement_text(judgement, "Add about %s run%s.",
			judgement_figure(judgement, format_count, finding->more_runs),
			finding->more_runs > 1 ? "s" : "");
	if (judgement->input.instructions)
		return reason_may_be_load(judgement)
			       ? "Measure longer runs, or on a quieter machine: instructions were "
				 "counted and do not tell."
			       : "Measure longer runs: instructions were counted and do not tell.";
	if (judgement->criteria.counted)
		return "The count is not the same in each run of a build: look at what it depends on.";
	if (judgement->criteria.adds_before || judgement->input.mode != GATE_STORED)
		return reason_may_be_load(judgement)
			       ? "Measure longer runs, count instructions or use a quieter machine."
			       : "Measure longer runs or count instructions.";
	if (judgement->criteria.disturbed_before || judgement->criteria.disturbed_after)
		return reason_load_remedy(judgement);
	const char *sessions =
		baseline && baseline->nsessions > 0
			? judgement_text(judgement, " (now %u)", (unsigned)baseline->nsessions)
			: "";

	if (!(judgement->criteria.most_changed > 0))
		return judgement_text(
			judgement, "Record the baseline in more sessions%s.", sessions);
	return judgement_text(judgement,
		"Most functions changed, by %s (SD), as on another day: record the baseline in "
		"more sessions%s, or measure both builds here (--against).",
		judgement_percent(judgement, judgement->criteria.most_changed), sessions);
}

static const char *
warn_reason(struct judgement *judgement, const struct finding *finding)
{
	const struct criteria *criteria = &judgement->criteria;
	const struct effect *effect = &finding->effect;
	const char *threshold = threshold_text(judgement, finding);
	const char *spread =
		effect->spread > 0 ? judgement_percent(judgement, effect->spread) : NULL;

	if (!growth_exceeds(effect->change, finding->fail_at))
		return judgement_text(judgement, "Above the %s warning threshold.",
			judgement_setting(judgement, finding->warn_at));
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

	if (growth_reaches(effect->change, finding->asked) && effect->p <= alpha)
		return judgement_text(judgement,
			"Undecided: estimate above %s, but not significant after correction for %zu "
			"tests. %s",
			threshold_text(judgement, finding),
			judgement->ncorrected[COMPARISON_SCREEN], remedy(judgement, finding));
	if (growth_reaches(effect->change, finding->asked))
		return judgement_text(judgement,
			"Undecided: estimate above %s, but not significant. %s",
			threshold_text(judgement, finding), remedy(judgement, finding));
	return judgement_text(judgement, "Undecided: threshold %s, detectable only from %s. %s",
		judgement_setting(judgement, finding->asked),
		judgement_percent(judgement, effect->detectable), remedy(judgement, finding));
}

/* Whose instructions decided in place of its own; NULL: its own did. */
static const char *
counted_caller(const struct test *test)
{
	return test->evidence.work ? test->evidence.work->caller : NULL;
}

/* "its instructions", "the instructions of its caller 'read', compared with stored counts". */
static const char *
work_text(struct judgement *judgement, const struct test *test)
{
	const char *caller = counted_caller(test);

	return judgement_text(judgement, "%s%s%s%s",
		caller ? "the instructions of its caller '" : "its instructions",
		caller ? caller : "", caller ? "'" : "",
		judgement->input.mode == GATE_STORED ? ", compared with stored counts" : "");
}

/*
 * "Time cannot decide it (detectable only from 9.1 %); its instructions are above ..."; or what the
 * first runs say, which instructions confirm.
 */
static const char *
growth_by_work(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	const struct effect *effect = &finding->effect;
	const char *comma = judgement->input.mode == GATE_STORED ? "," : "";
	const char *caller = counted_caller(test);

	if (test->flagged && judgement->criteria.two_stages && !test_is_confirmed(test))
		return judgement_text(judgement, "Above %s; confirmed by %s.",
			threshold_text(judgement, finding), work_text(judgement, test));
	const char *open = isfinite(effect->detectable)
				   ? judgement_text(judgement,
					     "Time cannot decide it (detectable only from %s)",
					     judgement_percent(judgement, effect->detectable))
				   : "Time cannot decide it";
	switch (test->decision.by_runs) {
	case STATUS_FAIL:
		return judgement_text(judgement, "%s; %s%s are above %s.", open,
			work_text(judgement, test), comma, threshold_text(judgement, finding));
	case STATUS_WARN:
		return judgement_text(judgement, "%s; %s%s are above the %s warning threshold.",
			open, work_text(judgement, test), comma,
			judgement_setting(judgement, finding->warn_at));
	case STATUS_PASS:
	case STATUS_INCONCLUSIVE:
	case STATUS_ERROR:
	case STATUS_SKIPPED:
		break;
	}
	if (caller)
		return judgement_text(judgement,
			"%s; the whole program and its caller '%s' execute as many instructions.",
			open, caller);
	return judgement_text(judgement, "%s; the same code executes as many instructions.", open);
}

/* As a count may be that is the same in every run. */
static bool
is_at_threshold(const struct finding *finding)
{
	return effect_is_exact(&finding->effect) &&
	       growth_reaches(finding->effect.change, finding->asked) &&
	       !growth_exceeds(finding->effect.change, finding->asked);
}

/* Its weakness tells why, where the estimate is above the threshold. */
static const char *
unreached_reason(struct judgement *judgement, const struct finding *finding)
{
	if (growth_reaches(finding->effect.change, finding->asked))
		return judgement_text(judgement, "Estimate above %s, but not significant.",
			threshold_text(judgement, finding));
	return judgement_text(judgement,
		"Below %s (detectable only from %s); no more runs were taken for it, because no "
		"changed code is on any sampled path to it.",
		threshold_text(judgement, finding),
		judgement_percent(judgement, finding->effect.detectable));
}

static const char *
growth_by_runs(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	if (test->decision.by_instructions)
		return growth_by_work(judgement, test, finding);
	if (test->screened && test->decision.by_runs == STATUS_WARN)
		return judgement_text(judgement,
			"Above the %s warning threshold in pairs, but not by the stored runs.",
			judgement_setting(judgement, finding->warn_at));
	if (test->screened)
		return "Passed by the stored runs; not tested again by pairs.";
	switch (test->decision.by_runs) {
	case STATUS_FAIL:
		return failure_reason(judgement, finding);
	case STATUS_WARN:
		return test->flagged && judgement->criteria.two_stages
			       ? flagged_reason(judgement, test, finding)
			       : warn_reason(judgement, finding);
	case STATUS_INCONCLUSIVE:
		if (test->decision.unreached)
			return unreached_reason(judgement, finding);
		return test->flagged ? flagged_reason(judgement, test, finding)
				     : inconclusive_reason(judgement, finding);
	case STATUS_PASS:
		if (finding->first.tested)
			return flagged_reason(judgement, test, finding);
		break;
	case STATUS_ERROR:
	case STATUS_SKIPPED:
		break;
	}
	if (isnan(finding->asked))
		return "No threshold is set.";
	return judgement_text(judgement,
		is_at_threshold(finding) ? "At %s, not above it." : "Below %s.",
		threshold_text(judgement, finding));
}

/* Of a function whose file is the same on both sides; NULL: it is not, or not known. */
static const char *
same_file_of_test(const struct test *test)
{
	return test->evidence.causes ? test->evidence.causes->same_file : NULL;
}

static const char *
layout_text(struct judgement *judgement, const struct test *test)
{
	const struct causes *causes = test->evidence.causes;
	const char *file = same_file_of_test(test);

	if (causes && causes->changed_input)
		return judgement_text(judgement,
			" Only a warning: no changed code is on any sampled path to it, and the input "
			"%s differs.",
			causes->changed_input);
	if (!file)
		return !causes || causes_may_be_layout(causes)
			       ? " Only a warning: no changed code is on any sampled path to it, so "
				 "layout or data is the cause."
			       : " Only a warning: no changed code is on any sampled path to it, so "
				 "data is the cause.";
	return judgement_text(judgement,
		" Only a warning: %s is the same file on both sides, and no changed code is on any "
		"sampled path to it.",
		file);
}

const char *
reason_of_weakness(struct judgement *judgement, const struct test *test)
{
	switch (test->decision.weakness) {
	case WEAKNESS_NONE:
		break;
	case WEAKNESS_MOVED:
		return " Only a warning: its cost moved here from elsewhere in the program.";
	case WEAKNESS_LAYOUT:
		return layout_text(judgement, test);
	case WEAKNESS_SAME_WORK:
		return !test->evidence.causes || causes_may_be_layout(test->evidence.causes)
			       ? " Only a warning: the same code executes the same instructions, so "
				 "layout, cache or memory is the cause."
			       : " Only a warning: the same code executes the same instructions, so "
				 "cache or memory is the cause.";
	case WEAKNESS_DISTURBED:
		return reason_of_load(judgement, test);
	case WEAKNESS_SAME_PROGRAM:
		return " Both sides ran the same program: the difference is the machine's.";
	case WEAKNESS_SINGLE_RUNS:
		return judgement_text(judgement,
			" Undecided: one run a side does not show how much runs differ. %s",
			single_runs_remedy(judgement));
	}
	return "";
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
		return reason_of_weakness(judgement, test);
	if (decision->load != LOAD_NONE && finding->status == STATUS_FAIL)
		return reason_of_load(judgement, test);
	if (decision->by_runs == STATUS_FAIL && finding->status == STATUS_WARN)
		return judgement->criteria.regression == POLICY_WARN
			       ? " Only a warning by 'regression: warn' of the policy."
			       : "";
	if (same_file_of_test(test) && !finding->accepted && finding->status > STATUS_PASS)
		return judgement_text(judgement,
			" %s is the same file on both sides: changed code calls it more often, or with "
			"other data.",
			same_file_of_test(test));
	if (test->rule == FINDING_TOTAL && finding->status > STATUS_PASS &&
		finding->status != STATUS_INCONCLUSIVE && comparison->mode == COMPARISON_STORED &&
		isfinite(comparison->model.machine_speed))
		return judgement_text(judgement,
			" The stable rest of the program changed by %s: the machine, or a change that "
			"affects all code.",
			judgement_figure(
				judgement, format_change, comparison->model.machine_speed - 1));
	return "";
}

const char *
reason_of_growth(
	struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	return judgement_text(judgement, "%s%s", growth_by_runs(judgement, test, finding),
		growth_addition(judgement, test, finding));
}
