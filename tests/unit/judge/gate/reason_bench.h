/*
 * One test of a growth as it was decided, with all that its reason may speak of.
 */
#ifndef GATE_REASON_BENCH_H
#define GATE_REASON_BENCH_H

#include "gate/reason.h"
#include "unit.h"

#include <math.h>

struct reason_bench {
	struct workload workload;
	struct gate_policy policy;
	struct judgement judgement;
	struct effect effect;
	struct causes causes;
	struct counted_work work;
	struct test test;
	struct finding finding;
};

/* A function of 30 % of the program, 30 ms a run, that grew by 20 % where 15 % fails. */
static inline void
reason_bench_init(struct reason_bench *bench)
{
	*bench = (struct reason_bench){
		.workload = {.name = "parse", .capture = {.metric = "cpu", .max_runs = 30}},
		.policy =
			{
				.total = {.warn = 0.10, .fail = 0.20},
				.functions = {.warn = 0.08, .fail = 0.15},
				.floor = 0.01,
			},
		.judgement =
			{
				.criteria =
					{
						.alpha = 0.05,
						.runs_before = 10,
						.runs_after = 10,
						.runs_fresh = 10,
						.regression = POLICY_FAIL,
					},
				.ncorrected = {20},
			},
	};
	bench->judgement.input =
		(struct gate_input){.workload = &bench->workload, .policy = &bench->policy};
	struct profile *profile = &bench->judgement.comparison.profile;

	profile_init(profile);
	profile->cost_unit = strtab_intern_str(&profile->strings, "ns");
	verdict_init(&bench->judgement.verdict);
	effect_clear(&bench->effect);
	bench->effect.tested = true;
	bench->effect.change = 0.2;
	bench->effect.p = bench->effect.p_adjusted = 0.01;
	bench->effect.before_share = 0.3;
	bench->effect.before_cost = 30e6;
	bench->effect.detectable = 0.091;
	bench->effect.high = 0.175;
	bench->test = test_of(TEST_GROWTH, FINDING_FUNCTIONS, "f");
	bench->test.all = &bench->effect;
	bench->test.frame = 1;
	bench->test.limits = (struct limits){.asked = 0.15, .warn_at = 0.08, .fail_at = 0.15};
	bench->finding = finding_of(FINDING_FUNCTIONS, "f");
	bench->finding.frame = 1;
}

static inline void
reason_bench_release(struct reason_bench *bench)
{
	profile_release(&bench->judgement.comparison.profile);
	judgement_release(&bench->judgement);
}

/* As decided by time, unless the status of the finding is set to another one. */
static inline void
reason_bench_decide(struct reason_bench *bench, enum status status)
{
	bench->test.decision.by_runs = status;
	bench->finding.status = status;
}

/* The reason of the test as it is now. */
static inline void
reason_bench_expect(struct reason_bench *bench, const char *reason)
{
	struct finding *finding = &bench->finding;

	finding->rule = bench->test.rule;
	finding->effect = bench->effect;
	finding->asked = bench->test.limits.asked;
	finding->warn_at = bench->test.limits.warn_at;
	finding->fail_at = bench->test.limits.fail_at;
	finding->open = bench->test.decision.open;
	UNIT_STR_EQ(reason_of_test(&bench->judgement, &bench->test, finding), reason);
}

#endif
