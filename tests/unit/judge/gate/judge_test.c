#include "gate/judge.h"
#include "gate/rules.h"

#include "compare/stats.h"
#include "gate/judge_bench.h"
#include "unit.h"

void suite_gate_judge(void);

static void
unchanged_costs_pass(void)
{
	struct bench bench;

	bench_init(&bench, unchanged);
	CU_ASSERT_EQUAL(judge(&bench), 0);
	CU_ASSERT_EQUAL(bench.overall, STATUS_PASS);
	CU_ASSERT_EQUAL(bench.judgement.verdict.ntested, 4);
	UNIT_STR_EQ(bench.judgement.verdict.mode, "stored");
	CU_ASSERT_PTR_NULL(bench.judgement.verdict.limited);
	struct finding parse = finding_about(&bench, "functions", "parse");

	CU_ASSERT_TRUE(parse.effect.tested);
	UNIT_NEAR(parse.asked, 0.15, 1e-12);
	CU_ASSERT(parse.effect.detectable <= parse.asked);
	CU_ASSERT_EQUAL(parse.effect.p_adjusted, 1);
	/* These runs do not vary: all that limits the whole is 5 % between days, among four tests.
	 */
	double unseen =
		expm1((stats_t_quantile(0.025 / 4, INFINITY) + stats_t_quantile(0.05, INFINITY)) *
			0.05 * M_SQRT2);
	struct finding whole = finding_about(&bench, "total", "whole program");

	UNIT_NEAR(whole.asked, 0.2, 1e-12);
	UNIT_NEAR(whole.effect.detectable, unseen, 1e-9);
	UNIT_NEAR(bench.judgement.verdict.detectable, unseen / 0.2, 1e-9);
	bench_release(&bench);
}

static void
a_slower_function_is_named_before_the_whole(void)
{
	struct bench bench;

	bench_init(&bench, slower);
	CU_ASSERT_EQUAL(judge(&bench), 1);
	CU_ASSERT_EQUAL(bench.overall, STATUS_FAIL);
	const struct finding *first = &bench.judgement.verdict.findings[0];

	CU_ASSERT_EQUAL(first->rule, FINDING_FUNCTIONS);
	UNIT_STR_EQ(first->subject, "parse");
	UNIT_NEAR(first->effect.change, 0.5, 1e-9);
	UNIT_STR_EQ(first->reason, "Above the 15 % threshold.");
	CU_ASSERT_EQUAL(finding_about(&bench, "functions", "print").status, STATUS_PASS);
	CU_ASSERT(finding_about(&bench, "total", "whole program").status >= STATUS_WARN);
	bench_release(&bench);
}

static void
a_small_function_must_be_worth_the_floor(void)
{
	/* 40 % of 1 % is 0.4 % of the whole: less than the floor. */
	const struct sampled functions[] = {
		{"parse", 5000, 5000}, {"print", 4900, 4900}, {"tiny", 100, 140}, {NULL, 0, 0}};
	struct bench bench;

	bench_init(&bench, functions);
	CU_ASSERT_EQUAL(judge(&bench), 0);
	struct finding tiny = finding_about(&bench, "functions", "tiny");

	CU_ASSERT_TRUE(tiny.effect.tested);
	CU_ASSERT_EQUAL(tiny.status, STATUS_PASS);
	UNIT_NEAR(tiny.fail_at, 1, 1e-12);
	judgement_release(&bench.judgement);

	bench.workload.gate.floor = 0;
	CU_ASSERT_EQUAL(judge(&bench), 1);
	tiny = finding_about(&bench, "functions", "tiny");
	CU_ASSERT_EQUAL(tiny.status, STATUS_FAIL);
	UNIT_NEAR(tiny.fail_at, 0.15, 1e-12);
	bench_release(&bench);
}

static void
a_new_name_passes_and_a_gone_one_is_said(void)
{
	const struct sampled functions[] = {{"parse", 3000, 3000}, {"print", 4000, 4000},
		{"copy.old", 3000, 0}, {"copy.new", 0, 3000}, {NULL, 0, 0}};
	struct bench bench;

	bench_init(&bench, functions);
	CU_ASSERT_EQUAL(judge(&bench), 0);
	CU_ASSERT_EQUAL(finding_about(&bench, "functions", "copy.new").status, STATUS_PASS);
	UNIT_CONTAINS(finding_about(&bench, "functions", "copy.new").reason, "elsewhere before");
	CU_ASSERT_EQUAL(finding_about(&bench, "functions", "copy.old").status, STATUS_PASS);
	UNIT_CONTAINS(finding_about(&bench, "functions", "copy.old").reason, "Gone");
	bench_release(&bench);
}

static void
an_error_is_not_a_pass(void)
{
	struct bench bench;

	bench_init(&bench, unchanged);
	bench.judgement.input.error = "the program exited with 3";
	CU_ASSERT_EQUAL(judge(&bench), 2);
	CU_ASSERT_EQUAL(bench.overall, STATUS_ERROR);
	UNIT_STR_EQ(bench.judgement.verdict.findings[0].reason, "the program exited with 3");
	CU_ASSERT_FALSE(bench.judgement.compared);
	bench_release(&bench);
}

static void
a_regression_comes_before_an_error(void)
{
	struct bench bench[2];
	struct judgement both[2];
	struct judgement *const all[] = {&both[0], &both[1]};
	enum status overall;

	bench_init(&bench[0], unchanged);
	bench_init(&bench[1], slower);
	both[0] = bench[0].judgement;
	both[1] = bench[1].judgement;
	both[0].input.error = "could not be built";
	judge_gate(all, 2, &overall);
	CU_ASSERT_EQUAL(overall, STATUS_FAIL);
	CU_ASSERT_EQUAL(judge_exit_code(all, 2), 1);
	judgement_release(&both[0]);
	judgement_release(&both[1]);
	bench_release(&bench[0]);
	bench_release(&bench[1]);
}

static void
a_gate_is_of_the_workloads_that_are_not_skipped(void)
{
	struct bench bench[2];
	struct judgement both[2];
	struct judgement *const all[] = {&both[0], &both[1]};
	enum status overall;

	bench_init(&bench[0], unchanged);
	bench_init(&bench[1], unchanged);
	both[0] = bench[0].judgement;
	both[1] = bench[1].judgement;
	both[0].input.error = "wrk is not installed";
	both[0].input.skipped = true;
	judge_gate(all, 2, &overall);
	CU_ASSERT_EQUAL(overall, STATUS_PASS);
	CU_ASSERT_EQUAL(judge_exit_code(all, 2), 0);
	CU_ASSERT_EQUAL(both[0].verdict.status, STATUS_SKIPPED);
	CU_ASSERT_EQUAL_FATAL(both[0].verdict.nfindings, 1);
	UNIT_STR_EQ(both[0].verdict.findings[0].reason, "wrk is not installed");
	/* Nothing was measured, unless other shards do. */
	judgement_release(&both[0]);
	judge_gate(all, 1, &overall);
	CU_ASSERT_EQUAL(overall, STATUS_ERROR);
	CU_ASSERT_EQUAL(judge_exit_code(all, 1), 2);
	judgement_release(&both[0]);
	both[0].input.planned = 2;
	judge_gate(all, 1, &overall);
	CU_ASSERT_EQUAL(overall, STATUS_PASS);
	CU_ASSERT_EQUAL(judge_exit_code(all, 1), 0);
	judgement_release(&both[0]);
	judgement_release(&both[1]);
	bench_release(&bench[0]);
	bench_release(&bench[1]);
}

/* Sizes that swing by 40 % from run to run cannot tell 15 %. */
static void
undetectable_growth_warns(void)
{
	struct bench bench;
	const struct sampled swing[] = {
		{"parse", 1200, 1200}, {"print", -1200, -1200}, {NULL, 0, 0}};

	bench_init(&bench, unchanged);
	for (size_t run = 0; run < 5; run++) {
		struct profile *sides[] = {&bench.baseline.profile, &bench.candidate};

		for (int side = 0; side < 2; side++) {
			for (const struct sampled *f = swing; f->name; f++)
				ctree_add(&sides[side]->tree, run,
					ctree_child(&sides[side]->tree, 1,
						profile_frame(sides[side], f->name, 5, FRAME_USER)),
					((double)run - 2) / 2 * f->before);
		}
	}
	CU_ASSERT_EQUAL(judge(&bench), 0);
	struct finding parse = finding_about(&bench, "functions", "parse");

	CU_ASSERT_EQUAL(parse.status, STATUS_WARN);
	CU_ASSERT(parse.open);
	CU_ASSERT(parse.effect.detectable > parse.asked);
	CU_ASSERT(bench.judgement.verdict.detectable > 1);
	UNIT_CONTAINS(parse.reason, "Too coarse for the 15 % threshold");
	UNIT_CONTAINS(parse.reason, "measure both builds here (--against ");
	bench_release(&bench);
}

/* Says of both sides what their weights are: instructions are counted, if in their unit. */
static void
set_unit(struct bench *bench, const char *unit)
{
	struct profile *sides[] = {&bench->baseline.profile, &bench->candidate};

	for (int side = 0; side < 2; side++) {
		sides[side]->metric = strtab_intern_str(&sides[side]->strings, "instructions");
		sides[side]->unit = strtab_intern_str(&sides[side]->strings, unit);
		for (size_t run = 0; run < sides[side]->nruns; run++)
			sides[side]->runs[run].cost_total = (double)sides[side]->runs[run].samples;
	}
}

static void
counts_are_compared_exactly(void)
{
	const struct sampled functions[] = {
		{"parse", 300000, 300300}, {"print", 400000, 400000}, {NULL, 0, 0}};
	struct bench bench;

	bench_init(&bench, functions);
	bench.workload.capture.metric = "instructions";
	set_unit(&bench, "instructions");
	bench.workload.gate.floor = 0;
	bench.workload.gate.functions = (struct threshold){.warn = 0.0005, .fail = 0.0009};
	CU_ASSERT_EQUAL(judge(&bench), 1);
	CU_ASSERT_EQUAL(bench.judgement.comparison.mode, COMPARISON_EXACT);
	const struct finding parse = finding_about(&bench, "functions", "parse");

	CU_ASSERT_EQUAL(parse.status, STATUS_FAIL);
	UNIT_CONTAINS(parse.reason, "Above the 0.09 % threshold");
	UNIT_NEAR(parse.effect.before_cost, 300000, 0);
	UNIT_NEAR(parse.effect.after_cost, 300300, 0);
	CU_ASSERT_EQUAL(finding_about(&bench, "functions", "print").status, STATUS_PASS);
	bench_release(&bench);
}

/* The metric does not decide that: the machine's counter of instructions is sampled. */
static void
samples_are_not_compared_exactly(void)
{
	struct bench bench;

	bench_init(&bench, unchanged);
	bench.workload.capture.metric = "instructions";
	set_unit(&bench, "samples");
	judge(&bench);
	CU_ASSERT_EQUAL(bench.judgement.comparison.mode, COMPARISON_STORED);
	judgement_release(&bench.judgement);
	set_unit(&bench, "instructions");
	bench.baseline.profile.unit = 0;
	judge(&bench);
	CU_ASSERT_EQUAL(bench.judgement.comparison.mode, COMPARISON_STORED);
	bench_release(&bench);
}

static void
every_rule_has_a_name_and_a_summary(void)
{
	for (size_t i = 0; gate_rules[i]; i++) {
		CU_ASSERT(strlen(finding_rule_name(gate_rules[i]->rule)) > 0);
		CU_ASSERT(strlen(gate_rules[i]->summary) > 0);
		CU_ASSERT_PTR_NOT_NULL(gate_rules[i]->add);
		for (size_t k = 0; k < i; k++)
			CU_ASSERT_NOT_EQUAL(gate_rules[i]->rule, gate_rules[k]->rule);
	}
}

void
suite_gate_judge(void)
{
	static const struct unit_case cases[] = {
		{"unchanged_costs_pass", unchanged_costs_pass},
		{"a_slower_function_is_named_before_the_whole",
			a_slower_function_is_named_before_the_whole},
		{"a_small_function_must_be_worth_the_floor",
			a_small_function_must_be_worth_the_floor},
		{"a_new_name_passes_and_a_gone_one_is_said",
			a_new_name_passes_and_a_gone_one_is_said},
		{"an_error_is_not_a_pass", an_error_is_not_a_pass},
		{"a_regression_comes_before_an_error", a_regression_comes_before_an_error},
		{"a_gate_is_of_the_workloads_that_are_not_skipped",
			a_gate_is_of_the_workloads_that_are_not_skipped},
		{"undetectable_growth_warns", undetectable_growth_warns},
		{"counts_are_compared_exactly", counts_are_compared_exactly},
		{"samples_are_not_compared_exactly", samples_are_not_compared_exactly},
		{"every_rule_has_a_name_and_a_summary", every_rule_has_a_name_and_a_summary},
		{NULL, NULL},
	};

	unit_suite("gate/judge", cases);
}
