#include "gate/decide.h"

#include "gate/growth_sample.h"
#include "unit.h"

#include <math.h>

void suite_gate_decide(void);

static enum status
judged(const struct measured *measured, const struct criteria *criteria, const char *part)
{
	struct sample sample;

	sample_init(&sample, measured, 0.08, 0.15);
	return finding_of_sample(&sample, criteria, part).status;
}

/* The same of the whole program. */
static enum status
judged_whole(const struct measured *measured, const struct criteria *criteria, const char *part)
{
	struct sample sample;

	sample_init(&sample, measured, 0.08, 0.15);
	sample.test.rule = FINDING_TOTAL;
	return finding_of_sample(&sample, criteria, part).status;
}

static void
only_an_interval_above_what_fails_fails(void)
{
	/* ln 1.15 + 1.96 * 0.03 is ln 1.2197. */
	const struct measured above = {0.221, 0.03, 0.028};
	const struct measured reaching = {0.218, 0.03, 0.028};

	CU_ASSERT_EQUAL(judged(&above, &firm, "Above the 15 % threshold."), STATUS_FAIL);
	CU_ASSERT_EQUAL(judged(&reaching, &firm, "with the spread between sessions"), STATUS_WARN);
}

static void
significant_growth_above_the_warning_threshold_warns(void)
{
	/* z = 3.15, and p = 0.0016 is significant among 20. */
	const struct measured above = {0.082, 0.025, 0};
	const struct measured below = {0.078, 0.024, 0};
	/* z = 2.6: 20 p is 0.17, so the estimate is not above what warns for sure. */
	const struct measured chance = {0.082, 0.030, 0};

	CU_ASSERT_EQUAL(judged(&above, &firm, "Above the 8 % warning threshold."), STATUS_WARN);
	CU_ASSERT_EQUAL(judged(&below, &firm, "Below the 15 % threshold"), STATUS_PASS);
	CU_ASSERT_EQUAL(judged(&chance, &firm, "Below the 15 % threshold"), STATUS_PASS);
}

/* At the threshold and above, an estimate that is not significant among all is undecided. */
static void
an_estimate_of_what_is_asked_never_passes(void)
{
	/* z = 2.7: p = 0.007, and 20 p is not significant. */
	const struct measured likely = {0.16, 0.055, 0};
	/* z = 1.5: p = 0.13. */
	const struct measured chance = {0.16, 0.099, 0};

	CU_ASSERT_EQUAL(judged(&likely, &firm, "but not significant"), STATUS_INCONCLUSIVE);
	CU_ASSERT_EQUAL(judged(&chance, &firm, "but not significant"), STATUS_INCONCLUSIVE);
	CU_ASSERT_EQUAL(judged_whole(&chance, &firm, "but not significant"), STATUS_INCONCLUSIVE);
}

static void
growth_of_less_than_the_floor_passes(void)
{
	const struct measured vague = {0.16, 0.5, 0};
	struct sample sample;

	sample_init(&sample, &vague, 0.08, 0.15);
	CU_ASSERT_EQUAL(finding_of_sample(&sample, &firm, "").status, STATUS_INCONCLUSIVE);
	sample.test.small_after = true;
	CU_ASSERT_EQUAL(
		finding_of_sample(&sample, &firm, "Below the 15 % threshold").status, STATUS_PASS);
}

static struct finding
judged_with_work(const struct measured *measured, const struct counted_work *work, const char *part)
{
	struct sample sample;

	sample_init(&sample, measured, 0.08, 0.15);
	sample.test.evidence.work = work;
	return finding_of_sample(&sample, &firm, part);
}

static void
instructions_decide_what_time_cannot(void)
{
	const struct measured vague = {0.02, 0.1, 0};
	const struct measured above = {0.221, 0.03, 0.028};
	const struct counted_work more = {.change = 0.151};
	const struct counted_work some = {.change = 0.08};
	const struct counted_work little = {.change = 0.0011, .same_code = true};
	const struct counted_work same = {.change = -0.001, .same_code = true};
	const struct counted_work other = {.change = 0};
	struct finding finding = judged_with_work(&vague, &more,
		"its instructions, compared with stored counts, are above the 15 % threshold");

	CU_ASSERT_EQUAL(finding.status, STATUS_FAIL);
	UNIT_NEAR(finding.instructions, 0.151, 0);
	CU_ASSERT(isnan(finding.more_runs));
	finding = judged_with_work(&vague, &some, "are above the 8 % warning");
	CU_ASSERT_EQUAL(finding.status, STATUS_WARN);
	finding = judged_with_work(&vague, &same, "the same code executes as many");
	CU_ASSERT_EQUAL(finding.status, STATUS_PASS);
	UNIT_NEAR(finding.instructions, -0.001, 0);
	finding = judged_with_work(&vague, &little, "Too coarse");
	CU_ASSERT_EQUAL(finding.status, STATUS_WARN);
	/* Other code that takes as many instructions may be slower. */
	finding = judged_with_work(&vague, &other, "Too coarse");
	CU_ASSERT_EQUAL(finding.status, STATUS_WARN);
	CU_ASSERT(!finding.by_instructions);
	/* What time decides stays as it is. */
	finding = judged_with_work(&above, &same, "Above the 15 % threshold.");
	CU_ASSERT_EQUAL(finding.status, STATUS_FAIL);
	CU_ASSERT(!finding.by_instructions);
}

/* More runs are advised as far as somebody might take them. */
static void
no_more_runs_are_advised_than_are_worth_it(void)
{
	const struct measured vague = {0, 0.12, 0};
	struct criteria criteria = firm;
	struct sample sample;

	criteria.adds_before = true;
	sample_init(&sample, &vague, 0.08, 0.15);
	/* 1.645 errors must come below ln 1.15: 0.085, which twice as many runs have. */
	const struct finding advised =
		finding_of_sample(&sample, &criteria, "take about 10 more runs");

	CU_ASSERT_EQUAL(advised.more_runs, 10);
	criteria.runs_worth = 19;
	CU_ASSERT(isinf(finding_of_sample(&sample, &criteria, "").more_runs));
}

static void
a_pass_needs_the_upper_end_that_is_shown_below_the_threshold(void)
{
	/* ln 1.05 + 1.645 * 0.05 is below ln 1.15, and ln 1.06 + 1.645 * 0.05 just above. */
	const struct measured excluded = {0.05, 0.05, 0};
	const struct measured open = {0.06, 0.05, 0};
	/* 14.5 % was detectable, and 10 % is not far enough below. */
	const struct measured near = {0.10, 0.0290, 0};
	struct sample sample;

	CU_ASSERT_EQUAL(
		judged(&excluded, &firm, "Below the 15 % threshold: at most 14."), STATUS_PASS);
	CU_ASSERT_EQUAL(judged(&open, &firm, "Too coarse for the 15 % threshold"), STATUS_WARN);
	CU_ASSERT(effect_with(&near).detectable < 0.15);
	/* Without a threshold that warns, or 10 % would. */
	sample_init(&sample, &near, NAN, 0.15);
	CU_ASSERT_EQUAL(finding_of_sample(&sample, &firm, "up to 15.").status, STATUS_WARN);
}

static void
the_remedy_is_for_the_larger_part_of_the_uncertainty(void)
{
	/* 1.645 errors must come below ln 1.15: 0.085. */
	const struct measured runs = {0, 0.1, 0.05};
	const struct measured days = {0, 0.1, 0.09};
	struct criteria paired = firm;

	paired.adds_before = true;
	CU_ASSERT_EQUAL(judged(&runs, &firm, "take about"), STATUS_WARN);
	CU_ASSERT_EQUAL(judged(&days, &firm, "--against"), STATUS_WARN);
	CU_ASSERT_EQUAL(judged(&days, &paired, "--against"), STATUS_WARN);
}

static void
a_limited_verdict_warns_at_most(void)
{
	const struct measured slow = {0.5, 0.03, 0};
	const struct measured open = {0, 0.1, 0.07};
	const struct measured same = {0, 0.01, 0};
	struct criteria limited = firm;

	limited.limited = "the machine is another one";
	CU_ASSERT_EQUAL(judged(&slow, &firm, "Above the 15 % threshold"), STATUS_FAIL);
	CU_ASSERT_EQUAL(judged(&slow, &limited, "Above the 15 % threshold"), STATUS_WARN);
	CU_ASSERT_EQUAL(judged(&open, &limited, "Too coarse for the 15 % threshold"), STATUS_WARN);
	CU_ASSERT_EQUAL(judged(&same, &limited, "Below the 15 % threshold"), STATUS_PASS);
}

/* Flagged or not by its first runs, and then measured again, or not. */
static struct finding
staged_with_work(const struct measured *first, const struct measured *again,
	const struct counted_work *work, const char *part)
{
	struct criteria criteria = firm;
	struct sample sample;

	criteria.strict = false;
	criteria.two_stages = true;
	criteria.adds_before = true;
	criteria.runs_fresh = 10;
	sample_init(&sample, first, 0.02, 0.03);
	if (again) {
		sample.fresh = effect_with(again);
		sample.test.stages[COMPARISON_SCREEN] = &sample.all;
		sample.test.stages[COMPARISON_CONFIRM] = &sample.fresh;
	}
	sample.test.evidence.work = work;
	return finding_of_sample(&sample, &criteria, part);
}

static struct finding
staged_finding(const struct measured *first, const struct measured *again, const char *part)
{
	return staged_with_work(first, again, NULL, part);
}

/* What the first runs show is time's to judge, unless there is as much more work. */
static void
instructions_confirm_what_the_first_runs_show(void)
{
	const struct measured slower = {0.1, 0.01, 0};
	const struct measured not_again = {0.0, 0.01, 0};
	const struct counted_work more = {.change = 0.05};
	const struct counted_work some = {.change = 0.025};
	const struct counted_work same = {.change = 0, .same_code = true};
	struct finding finding = staged_with_work(
		&slower, NULL, &more, "Above the 3 % threshold; confirmed by its instructions");

	CU_ASSERT_EQUAL(finding.status, STATUS_FAIL);
	CU_ASSERT(!finding.unconfirmed);
	CU_ASSERT(finding.by_instructions);
	const struct counted_work *const less[] = {&some, &same};

	for (size_t i = 0; i < 2; i++) {
		finding = staged_with_work(&slower, NULL, less[i], "");
		CU_ASSERT_EQUAL(finding.status, STATUS_INCONCLUSIVE);
		CU_ASSERT(finding.unconfirmed);
	}
	/* Fresh runs that say otherwise are not overruled. */
	finding = staged_with_work(&slower, &not_again, &more, "");
	CU_ASSERT_NOT_EQUAL(finding.status, STATUS_FAIL);
	CU_ASSERT(!finding.by_instructions);
}

static enum status
staged(double screen, double confirm, bool measured_again, const char *part)
{
	const struct measured first = {screen, 0.01, 0};
	const struct measured again = {confirm, 0.01, 0};
	const struct finding finding = staged_finding(&first, measured_again ? &again : NULL, part);

	CU_ASSERT_EQUAL(finding.unconfirmed, finding.status == STATUS_INCONCLUSIVE);
	return finding.status;
}

static void
only_what_fresh_runs_confirm_fails(void)
{
	CU_ASSERT_EQUAL(staged(0.06, 0.05, true, "confirmed by"), STATUS_FAIL);
	/* Less than 3 % by its one-sided interval, or not. */
	CU_ASSERT_EQUAL(staged(0.06, 0.01, true, "Not confirmed"), STATUS_PASS);
	CU_ASSERT_EQUAL(staged(0.06, 0.05, false, "no time"), STATUS_INCONCLUSIVE);
	/* What the first stage did not flag does not fail, whatever comes after. */
	CU_ASSERT_EQUAL(staged(0.00, 0.05, true, "Below the 3 % threshold"), STATUS_PASS);
}

/* How many more runs decide what these first ones flagged; NAN if it is decided. */
static double
fresh_runs_of(double again, double error, const char *part)
{
	const struct measured first = {0.06, 0.01, 0};
	const struct measured fresh = {again, error, 0};

	return staged_finding(&first, &fresh, part).more_runs;
}

/* Counts that are the same in two runs are certain; one run tells no difference between runs. */
static void
counts_that_repeat_need_no_confirmation(void)
{
	const struct measured counted = {0.25, 0.001, 0};
	struct criteria criteria = firm;
	struct sample sample;

	criteria.two_stages = true;
	criteria.counted = true;
	sample_init(&sample, &counted, 0.08, 0.15);
	sample.all.low = sample.all.high = sample.all.change;
	sample.all.standard_error = 0;
	criteria.runs_after = 1;
	CU_ASSERT(finding_of_sample(&sample, &criteria, "").unconfirmed);
	criteria.runs_after = 2;
	struct finding finding = finding_of_sample(&sample, &criteria, "Above the 15 % threshold");

	CU_ASSERT_FALSE(finding.unconfirmed);
	CU_ASSERT_EQUAL(finding.status, STATUS_FAIL);
	sample.all.standard_error = 0.001;
	CU_ASSERT(finding_of_sample(&sample, &criteria, "").unconfirmed);
}

static void
undecided_after_new_runs_takes_more_of_them(void)
{
	/* Neither beyond chance nor below what fails. */
	CU_ASSERT(fresh_runs_of(0.028, 0.015, "Not confirmed") > 0);
	CU_ASSERT(isfinite(fresh_runs_of(0.028, 0.015, "Not confirmed")));
	CU_ASSERT(isnan(fresh_runs_of(0.00, 0.01, "Not confirmed")));
	CU_ASSERT(isnan(fresh_runs_of(0.05, 0.005, "confirmed by")));
	CU_ASSERT(isnan(fresh_runs_of(0.025, 0.003, "Not confirmed")));
}

static void
a_growth_that_may_be_chance_wants_more_runs(void)
{
	const struct measured unsure = {0.04, 0.02, 0};
	const struct measured small = {0.025, 0.001, 0};
	struct finding open = staged_finding(&unsure, NULL, "but not significant");
	struct finding decided = staged_finding(&small, NULL, "warning threshold.");

	CU_ASSERT_EQUAL(open.status, STATUS_INCONCLUSIVE);
	CU_ASSERT_TRUE(isfinite(open.more_runs));
	CU_ASSERT_EQUAL(decided.status, STATUS_WARN);
	CU_ASSERT_TRUE(isnan(decided.more_runs));
}

static void
a_regression_does_no_more_than_the_policy_lets_it(void)
{
	const struct measured slow = {0.5, 0.03, 0};
	struct criteria criteria = firm;

	criteria.regression = POLICY_WARN;
	CU_ASSERT_EQUAL(
		judged(&slow, &criteria, "Only a warning by 'regression: warn'"), STATUS_WARN);
	criteria.regression = POLICY_PASS;
	CU_ASSERT_EQUAL(judged(&slow, &criteria, "Accepted by 'regression: pass'"), STATUS_PASS);
}

static void
growth_of_less_than_the_least_cost_passes(void)
{
	const struct threshold threshold = {.warn = 0.02, .fail = 0.03};
	const struct measured grown = {0.2, 0.01, 0};
	struct effect effect = effect_with(&grown);

	effect.before_cost = 10e6;
	CU_ASSERT_DOUBLE_EQUAL(limits_of(&effect, &threshold, 0.006, 4e6).fail_at, 0.4, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(limits_of(&effect, &threshold, 0.006, 1e3).fail_at, 0.03, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(limits_of(&effect, &threshold, 0.006, 1e3).warn_at, 0.02, 1e-12);
}

static void
the_same_program_never_fails(void)
{
	const struct measured above = {0.221, 0.03, 0.028};
	const struct measured less = {0.082, 0.025, 0};
	const struct measured vague = {0.16, 0.099, 0};
	struct criteria same = firm;

	same.same_program = true;
	CU_ASSERT_EQUAL(judged(&above, &same, "the machine's"), STATUS_WARN);
	CU_ASSERT_EQUAL(judged(&less, &same, "the machine's"), STATUS_PASS);
	CU_ASSERT_EQUAL(judged(&vague, &same, "the machine's"), STATUS_PASS);
	/* No new runs are requested. */
	same.two_stages = true;
	struct sample sample;

	sample_init(&sample, &above, 0.08, 0.15);
	const struct finding finding = finding_of_sample(&sample, &same, "the machine's");

	CU_ASSERT_EQUAL(finding.status, STATUS_WARN);
	CU_ASSERT_FALSE(finding.unconfirmed);
	CU_ASSERT_TRUE(isnan(finding.more_runs));
	/* But of counts, which may have differed by chance. */
	same.counted = true;
	sample_init(&sample, &above, 0.08, 0.15);
	CU_ASSERT_TRUE(finding_of_sample(&sample, &same, "").unconfirmed);
}

static void
a_build_that_the_change_did_not_alter_never_fails(void)
{
	const struct measured above = {0.221, 0.03, 0.028};
	const struct measured less = {0.082, 0.025, 0};
	struct criteria other = firm;

	CU_ASSERT_EQUAL(judged(&above, &other, ""), STATUS_FAIL);
	other.other_build = true;
	CU_ASSERT_EQUAL(judged(&above, &other, "Record a new baseline."), STATUS_WARN);
	CU_ASSERT_EQUAL(judged(&less, &other, ""), STATUS_PASS);
	/* No new runs are requested. */
	other.two_stages = true;
	struct sample sample;

	sample_init(&sample, &above, 0.08, 0.15);
	struct finding finding = finding_of_sample(&sample, &other, "Record a new baseline.");

	CU_ASSERT_EQUAL(finding.status, STATUS_WARN);
	CU_ASSERT_FALSE(finding.unconfirmed);
	CU_ASSERT_TRUE(isnan(finding.more_runs));
	/* But stored counts show what another compiler did. */
	const struct counted_work work = {.change = 0.2};

	sample.test.evidence.work = &work;
	finding = finding_of_sample(&sample, &other, "instructions");
	CU_ASSERT_EQUAL(finding.status, STATUS_FAIL);
}

/* One of a growth of which load explains `explained`; costs grew by as much unless said otherwise.
 */
static void
loaded_sample_init(struct sample *sample, const struct measured *measured, double explained)
{
	sample_init(sample, measured, 0.08, 0.15);
	sample->all.before_cost = 100;
	sample->all.after_cost = 100 * (1 + measured->change);
	sample->test.load = (struct load_evidence){.explained = explained, .spread = 0.025};
}

static void
disturbed_runs_fail_nothing_that_load_explains(void)
{
	const struct measured above = {0.221, 0.03, 0.028};
	const struct measured less = {0.082, 0.025, 0};
	struct criteria disturbed = firm;

	disturbed.disturbed_after = true;
	CU_ASSERT_EQUAL(judged(&above, &disturbed,
				"most runs of the candidate were disturbed by other load"),
		STATUS_INCONCLUSIVE);
	/* Confirming runs are not asked for either. */
	disturbed.two_stages = true;
	struct sample sample;

	loaded_sample_init(&sample, &above, 0.2);
	CU_ASSERT_FALSE(finding_of_sample(&sample, &disturbed, "other load").unconfirmed);
	disturbed.two_stages = false;
	CU_ASSERT_EQUAL(judged(&less, &disturbed, "Above the 8 % warning threshold."), STATUS_WARN);
	disturbed.disturbed_after = false;
	disturbed.spread =
		(struct run_spread){.before = 0.0184, .after = 0.1212, .ratio = 43, .is_far = true};
	CU_ASSERT_EQUAL(judged(&above, &disturbed,
				"the cost of a run spreads by 12.1 % (SD), that of the baseline by "
				"1.8 %; measure both builds here (--against HEAD~1)"),
		STATUS_INCONCLUSIVE);
	/* Whatever disturbed it, the same program did not change. */
	disturbed.same_program = true;
	CU_ASSERT_EQUAL(judged(&above, &disturbed, "the machine's"), STATUS_WARN);
}

static void
load_does_not_explain_more_than_the_rest_shows(void)
{
	/* The lower limit of the interval is ln 1.151, less the errors to spare ln 1.101. */
	const struct measured above = {0.221, 0.03, 0.028};
	const double lower =
		log1p(0.221) - (stats_t_quantile(0.025, INFINITY) + REST_ERRORS) * 0.03;
	struct criteria disturbed = firm;
	struct sample sample;

	disturbed.disturbed_after = true;
	loaded_sample_init(&sample, &above, lower - 0.001);
	CU_ASSERT_EQUAL(
		finding_of_sample(&sample, &disturbed,
			"which does not explain it: the other functions changed by 2.5 % (SD)")
			.status,
		STATUS_FAIL);
	CU_ASSERT_EQUAL(sample.test.decision.load, LOAD_EXCEEDED);
	loaded_sample_init(&sample, &above, lower + 0.001);
	CU_ASSERT_EQUAL(
		finding_of_sample(&sample, &disturbed, "other load").status, STATUS_INCONCLUSIVE);
	CU_ASSERT_EQUAL(sample.test.decision.load, LOAD_EXPLAINS);
	/* With two stages, confirming runs are requested, as where nothing was disturbed. */
	disturbed.two_stages = true;
	loaded_sample_init(&sample, &above, lower - 0.001);
	CU_ASSERT(finding_of_sample(&sample, &disturbed, "").unconfirmed);
	/* What is not known excuses it. */
	disturbed.two_stages = false;
	loaded_sample_init(&sample, &above, NAN);
	CU_ASSERT_EQUAL(
		finding_of_sample(&sample, &disturbed, "other load").status, STATUS_INCONCLUSIVE);
}

static void
a_disturbed_baseline_excuses_no_growth(void)
{
	const struct measured above = {0.221, 0.03, 0.028};
	struct criteria disturbed = firm;
	struct sample sample;

	disturbed.disturbed_before = true;
	loaded_sample_init(&sample, &above, 1);
	CU_ASSERT_EQUAL(finding_of_sample(&sample, &disturbed, "the growth is no less.").status,
		STATUS_FAIL);
	CU_ASSERT_EQUAL(sample.test.decision.load, LOAD_BEFORE);
	/* Its costs did not grow: the rest of the program became faster without the load. */
	loaded_sample_init(&sample, &above, 1);
	sample.all.after_cost = 100;
	CU_ASSERT_EQUAL(
		finding_of_sample(&sample, &disturbed,
			"most runs of the baseline were disturbed by other load; measure both builds here (--against HEAD~1)")
			.status,
		STATUS_INCONCLUSIVE);
	/* Disturbed runs on both sides, or runs that spread far, tell less. */
	disturbed.disturbed_after = true;
	loaded_sample_init(&sample, &above, 1);
	CU_ASSERT_EQUAL(
		finding_of_sample(&sample, &disturbed,
			"most runs of both sides were disturbed by other load; measure both builds here (--against HEAD~1)")
			.status,
		STATUS_INCONCLUSIVE);
	disturbed.disturbed_after = false;
	disturbed.spread.is_far = true;
	loaded_sample_init(&sample, &above, 1);
	CU_ASSERT_EQUAL(finding_of_sample(&sample, &disturbed, "").status, STATUS_INCONCLUSIVE);
}

void
suite_gate_decide(void)
{
	static const struct unit_case cases[] = {
		{"only_an_interval_above_what_fails_fails",
			only_an_interval_above_what_fails_fails},
		{"significant_growth_above_the_warning_threshold_warns",
			significant_growth_above_the_warning_threshold_warns},
		{"an_estimate_of_what_is_asked_never_passes",
			an_estimate_of_what_is_asked_never_passes},
		{"a_pass_needs_the_upper_end_that_is_shown_below_the_threshold",
			a_pass_needs_the_upper_end_that_is_shown_below_the_threshold},
		{"instructions_confirm_what_the_first_runs_show",
			instructions_confirm_what_the_first_runs_show},
		{"instructions_decide_what_time_cannot", instructions_decide_what_time_cannot},
		{"growth_of_less_than_the_floor_passes", growth_of_less_than_the_floor_passes},
		{"no_more_runs_are_advised_than_are_worth_it",
			no_more_runs_are_advised_than_are_worth_it},
		{"the_remedy_is_for_the_larger_part_of_the_uncertainty",
			the_remedy_is_for_the_larger_part_of_the_uncertainty},
		{"a_limited_verdict_warns_at_most", a_limited_verdict_warns_at_most},
		{"only_what_fresh_runs_confirm_fails", only_what_fresh_runs_confirm_fails},
		{"counts_that_repeat_need_no_confirmation",
			counts_that_repeat_need_no_confirmation},
		{"undecided_after_new_runs_takes_more_of_them",
			undecided_after_new_runs_takes_more_of_them},
		{"a_growth_that_may_be_chance_wants_more_runs",
			a_growth_that_may_be_chance_wants_more_runs},
		{"a_regression_does_no_more_than_the_policy_lets_it",
			a_regression_does_no_more_than_the_policy_lets_it},
		{"growth_of_less_than_the_least_cost_passes",
			growth_of_less_than_the_least_cost_passes},
		{"the_same_program_never_fails", the_same_program_never_fails},
		{"a_build_that_the_change_did_not_alter_never_fails",
			a_build_that_the_change_did_not_alter_never_fails},
		{"disturbed_runs_fail_nothing_that_load_explains",
			disturbed_runs_fail_nothing_that_load_explains},
		{"load_does_not_explain_more_than_the_rest_shows",
			load_does_not_explain_more_than_the_rest_shows},
		{"a_disturbed_baseline_excuses_no_growth", a_disturbed_baseline_excuses_no_growth},
		{NULL, NULL},
	};

	unit_suite("gate/decide", cases);
}
