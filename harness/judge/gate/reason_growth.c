/* Why a growth was decided as it was. */
#include "gate/reason_growth.h"

#include "format/figures.h"
#include "gate/reason_remedy.h"
#include "profile/counters.h"
#include "profile/weights.h"

#include <math.h>
#include <string.h>

/* ", because most runs of ... were disturbed by other load", where those of a side were; or "". */
static const char *
disturbance_reason(struct judgement *judgement)
{
	const struct criteria *criteria = &judgement->criteria;

	if (criteria->disturbed_before && criteria->disturbed_after)
		return ", because most runs of both sides were disturbed by other load";
	if (criteria->disturbed_before)
		return ", because most runs of the baseline were disturbed by other load";
	return criteria->disturbed_after
		       ? ", because most runs of the candidate were disturbed by other load"
		       : "";
}

static const char *
undecided_by_load(struct judgement *judgement, const struct test *test)
{
	const struct criteria *criteria = &judgement->criteria;
	const char *remedy = reason_remedy(judgement, test);

	if (criteria->disturbed_before || criteria->disturbed_after)
		return judgement_text(
			judgement, " Undecided%s; %s.", disturbance_reason(judgement), remedy);
	return judgement_text(judgement,
		" Undecided, because the cost of a run spreads by %s (SD), that of the baseline by "
		"%s; %s.",
		judgement_percent(judgement, criteria->spread.after),
		judgement_percent(judgement, criteria->spread.before), remedy);
}

/* Load on the machine: why the growth fails all the same, or does not. */
static const char *
load_reason(struct judgement *judgement, const struct test *test)
{
	const struct test *grown =
		test->kind == TEST_NEW && test->evidence.callers ? test->evidence.callers : test;

	switch (test->decision.load) {
	case LOAD_NONE:
	case LOAD_EXPLAINS:
		break;
	case LOAD_BEFORE:
		return " Most runs of the baseline were disturbed by other load, which made them "
		       "slower: the growth is no less.";
	case LOAD_EXCEEDED:
		return judgement_text(judgement,
			" Runs were disturbed by other load, which does not explain it: the other "
			"functions changed by %s (SD).",
			judgement_percent(judgement, expm1(grown->load.spread)));
	}
	return undecided_by_load(judgement, test);
}

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
 * "the 15 % threshold", or where the floor raised it: "the 38 % threshold (15 %, raised because 1 %
 * of the program is the floor)".
 */
static const char *
threshold_text(struct judgement *judgement, const struct finding *finding)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	const struct threshold *threshold = threshold_of(judgement, finding);
	const struct effect *effect = &finding->effect;
	double set = isnan(threshold->fail) ? threshold->warn : threshold->fail;
	const char *here = judgement_setting(judgement, finding->asked);

	if (!(finding->asked > set * 1.0001))
		return judgement_text(judgement, "the %s threshold", here);
	/* The larger of the two; the threshold comes from all runs, this effect maybe from some. */
	if (!(policy->min_cost / effect->before_cost > policy->floor / effect->before_share))
		return judgement_text(judgement,
			"the %s threshold (%s, raised because %s of the program is the floor)",
			here, judgement_setting(judgement, set),
			judgement_setting(judgement, policy->floor));
	return judgement_text(judgement,
		"the %s threshold (%s, raised because %s per %s is the least cost)", here,
		judgement_setting(judgement, set), judgement_cost(judgement, policy->min_cost),
		executions_basis(&judgement->comparison.profile));
}

/* "10 new runs" */
static const char *
fresh_runs(struct judgement *judgement)
{
	struct buf text = {0};

	format_plural(&text, (size_t)judgement->criteria.runs_fresh, "new run", "new runs");
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
	if (judgement->criteria.by_looks)
		return judgement_text(judgement, "Above %s after %u pairs.", threshold,
			(unsigned)judgement->comparison.model.npairs);
	if (!finding->first.tested)
		return judgement_text(judgement, "Above %s.", threshold);
	return judgement_text(judgement, "Above %s; confirmed by %s (first runs: %s).", threshold,
		fresh_runs(judgement),
		judgement_figure(judgement, format_change, finding->first.change));
}

/* "; take about 20 more runs": what decides it, where it is not decided. */
static const char *
to_decide(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	return finding_is_open(finding)
		       ? judgement_text(judgement, "; %s", reason_remedy(judgement, test))
		       : "";
}

/* The reason of a growth that was flagged but does not fail. */
static const char *
flagged_reason(struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	const struct effect *effect = &finding->effect;
	const char *threshold = threshold_text(judgement, finding);
	const char *first = judgement_figure(judgement, format_change, finding->first.change);

	if (!finding->first.tested && (test->decision.weakness != WEAKNESS_NONE ||
					      test->evidence.waiver_use == WAIVER_ACCEPTS))
		return judgement_text(judgement, "Above %s.", threshold);
	if (!finding->first.tested)
		return judgement_text(judgement, "Undecided: above %s, but %s; %s.", threshold,
			reason_is_left_undecided(judgement, test)
				? "not confirmed"
				: "no time was left to confirm it",
			reason_remedy(judgement, test));
	if (!test_is_significant(effect, judgement->criteria.alpha))
		return judgement_text(judgement,
			"Not confirmed: %s in the first runs, not significant in %s%s.", first,
			fresh_runs(judgement), to_decide(judgement, test, finding));
	if (growth_exceeds(effect->change, finding->fail_at))
		return judgement_text(judgement,
			"Estimate above %s, but its confidence interval is not.", threshold);
	return judgement_text(judgement, "Not confirmed: %s in the first runs, in %s below %s%s.",
		first, fresh_runs(judgement), threshold, to_decide(judgement, test, finding));
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

/* "at most 2.1 % slower": effect_put_most(). */
static const char *
reason_of_most(struct judgement *judgement, const struct finding *finding)
{
	const struct profile *profile = &judgement->comparison.profile;
	struct buf text = {0};

	effect_put_most(
		&finding->effect, finding->counter ? "more" : weights_growth_word(profile), &text);
	return judgement_keep(judgement, &text);
}

const char *
reason_of_possible(struct judgement *judgement, const struct finding *finding)
{
	const struct effect *effect = &finding->effect;
	const struct profile *profile = &judgement->comparison.profile;
	const char *slower = finding->counter ? "more" : weights_growth_word(profile);

	return isfinite(effect->high)
		       ? judgement_text(judgement, "may be up to %s %s",
				 judgement_percent(judgement, effect->high), slower)
		       : judgement_text(judgement, "may be %s by any amount", slower);
}

/* Why these runs do not decide it: ", because ..."; or "". */
static const char *
spread_text(struct judgement *judgement)
{
	const struct criteria *criteria = &judgement->criteria;

	if (judgement->input.mode != GATE_STORED)
		return "";
	if (criteria->disturbed_before || criteria->disturbed_after)
		return disturbance_reason(judgement);
	return criteria->most_changed > 0
		       ? judgement_text(judgement,
				 ", because most functions changed, by %s (SD), as on another day",
				 judgement_percent(judgement, criteria->most_changed))
		       : "";
}

static const char *
inconclusive_reason(
	struct judgement *judgement, const struct test *test, const struct finding *finding)
{
	const struct effect *effect = &finding->effect;
	const char *state = finding->status == STATUS_INCONCLUSIVE ? "Undecided" : "Too coarse";
	const char *spread = spread_text(judgement);
	const char *remedy = reason_remedy(judgement, test);

	if (growth_reaches(effect->change, finding->asked))
		return judgement_text(judgement,
			"%s: estimate above %s, but not significant%s%s; %s.", state,
			threshold_text(judgement, finding),
			effect->p <= judgement->criteria.alpha
				? judgement_text(judgement, " after correction for %zu tests",
					  judgement->ncorrected[COMPARISON_SCREEN])
				: "",
			spread, remedy);
	return judgement_text(judgement, "Too coarse for %s: it %s%s; %s.",
		threshold_text(judgement, finding), reason_of_possible(judgement, finding), spread,
		remedy);
}

/* Whose instructions decided in its own place; NULL: its own did. */
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
	const bool whole = finding->rule == FINDING_TOTAL;

	if (growth_reaches(finding->effect.change, finding->asked))
		return judgement_text(judgement, "Estimate above %s, but not significant.",
			threshold_text(judgement, finding));
	return judgement_text(judgement,
		"Below %s (detectable only from %s); no more runs were taken for it, because %s.",
		threshold_text(judgement, finding),
		judgement_percent(judgement, finding->effect.detectable),
		whole ? "the functions that the change reaches grew by less"
		      : "no changed code is on any sampled path to it");
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
				     : inconclusive_reason(judgement, test, finding);
	case STATUS_PASS:
		if (finding->first.tested)
			return flagged_reason(judgement, test, finding);
		break;
	case STATUS_ERROR:
	case STATUS_SKIPPED:
		break;
	}
	const char *threshold = isnan(finding->asked) ? NULL : threshold_text(judgement, finding);

	if (!threshold)
		return "No threshold is set.";
	if (is_at_threshold(finding))
		return judgement_text(judgement, "At %s, not above it.", threshold);
	if (effect_is_exact(&finding->effect) || !(finding->effect.high < finding->asked))
		return judgement_text(judgement, "Below %s.", threshold);
	return judgement_text(
		judgement, "Below %s: %s.", threshold, reason_of_most(judgement, finding));
}

/* For a function whose file is the same on both sides; NULL: it is not, or not known. */
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

	if (test->rule == FINDING_TOTAL)
		return " Only a warning: the functions that the change reaches grew by less, so "
		       "layout, data or other load is the cause.";
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
		return load_reason(judgement, test);
	case WEAKNESS_SAME_PROGRAM:
		return " Both sides ran the same program: the difference is the machine's.";
	case WEAKNESS_OTHER_BUILD:
		return " Only a warning: the baseline's commit, built here, is this program, so the "
		       "change did not make it slower; another compiler, library or option did, or "
		       "the machine. Record a new baseline.";
	case WEAKNESS_SINGLE_RUNS:
		return judgement_text(judgement,
			" Undecided, because one run a side does not show how much runs differ; "
			"%s.",
			reason_remedy(judgement, test));
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
		return judgement_text(judgement,
			" Undecided, because runs of one build differ here as much; %s.",
			reason_remedy(judgement, test));
	if (decision->weakness != WEAKNESS_NONE)
		return reason_of_weakness(judgement, test);
	if (decision->load != LOAD_NONE && finding->status == STATUS_FAIL)
		return load_reason(judgement, test);
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
		!finding_is_open(finding) && comparison->mode == COMPARISON_STORED &&
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
