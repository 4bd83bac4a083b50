/*
 * The test of one function with a given effect, and the finding that becomes of it.
 */
#ifndef GATE_GROWTH_SAMPLE_H
#define GATE_GROWTH_SAMPLE_H

#include "compare/stats.h"
#include "gate/decide.h"
#include "gate/findings.h"
#include "gate/tests.h"
#include "unit.h"

#include <math.h>

/* What its p is corrected for. */
#define SAMPLE_TESTS 20

/* An effect with this estimate and standard error, of which `spread` is the days' part. */
struct measured {
	double change;
	double error;
	double spread;
};

/* A test of one function with the effects that it borrows. */
struct sample {
	struct effect all;
	struct effect fresh;
	struct test test;
	struct gate_policy policy;
	struct workload workload;
};

static inline struct effect
effect_with(const struct measured *measured)
{
	double middle = log1p(measured->change);
	double reach = stats_t_quantile(0.025, INFINITY) * measured->error;
	struct effect effect;

	effect_clear(&effect);
	effect.tested = true;
	effect.before_share = 0.3;
	effect.change = measured->change;
	effect.low = expm1(middle - reach);
	effect.high = expm1(middle + reach);
	effect.standard_error = measured->error;
	effect.spread = measured->spread;
	effect.df = INFINITY;
	effect.p = fmin(1, 2 * stats_t_survival(fabs(middle) / measured->error, INFINITY));
	effect.p_adjusted = fmin(1, SAMPLE_TESTS * effect.p);
	effect.detectable = expm1((stats_t_quantile(0.025 / SAMPLE_TESTS, INFINITY) +
					  stats_t_quantile(0.05, INFINITY)) *
				  measured->error);
	return effect;
}

static inline void
sample_init(struct sample *sample, const struct measured *measured, double warn, double fail)
{
	const struct threshold threshold = {.warn = warn, .fail = fail};

	sample->workload = (struct workload){.capture.max_runs = 30};
	sample->policy = (struct gate_policy){.total = threshold, .functions = threshold};
	sample->all = effect_with(measured);
	sample->test = test_of(TEST_GROWTH, FINDING_FUNCTIONS, "f");
	sample->test.all = &sample->all;
	sample->test.limits = limits_of(&sample->all, &threshold, 0, 0);
}

/* What becomes of it; its reason has this part. */
static inline struct finding
finding_of_sample(struct sample *sample, const struct criteria *criteria, const char *part)
{
	struct judgement judgement = {
		.input = {.policy = &sample->policy, .workload = &sample->workload},
		.criteria = *criteria};

	verdict_init(&judgement.verdict);
	profile_init(&judgement.comparison.profile);
	tests_set_upper_end(&sample->test, criteria->alpha);
	sample->test.flagged = decide_flags(&sample->test, criteria);
	sample->test.decision = decide(&sample->test, criteria);
	struct finding finding = finding_of_test(&judgement, &sample->test);

	UNIT_CONTAINS(finding.reason, part);
	judgement_release(&judgement);
	finding.reason = "";
	return finding;
}

static const struct criteria firm = {
	.part = 1,
	.nfamilies = 1,
	.alpha = 0.05,
	.strict = true,
	.regression = POLICY_FAIL,
	.runs_before = 10,
	.runs_after = 10,
	.runs_worth = 90,
};

#endif
