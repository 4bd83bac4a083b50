#include "gate/rules.h"

#include "gate/judge_bench.h"
#include "unit.h"

void suite_gate_rule_budget(void);

/* 200 us a sample: parse costs 600 ms a run before, 900 after. */
static struct gate_rule_spec
cost_budget(double max_cost)
{
	return (struct gate_rule_spec){
		.kind = RULE_FUNCTION,
		.pattern = "parse",
		.threshold = {.warn = NAN, .fail = NAN},
		.max_share = NAN,
		.max_cost = max_cost,
	};
}

static struct finding
judge_budget_of(struct bench *bench, const struct gate_rule_spec *spec)
{
	bench->workload.gate.rules = spec;
	bench->workload.gate.nrules = 1;
	judge(bench);
	struct finding finding = finding_about(bench, "rule", "parse (cost budget)");

	/* The reason is the verdict's, which is about to go. */
	CU_ASSERT_STRING_NOT_EQUAL(finding.subject, "");
	finding.reason = finding.status == STATUS_PASS ? "within" : "over";
	judgement_release(&bench->judgement);
	return finding;
}

static void
a_cost_over_its_budget_fails_without_a_baseline_too(void)
{
	const struct gate_rule_spec small = cost_budget(899e6);
	const struct gate_rule_spec large = cost_budget(901e6);
	struct bench bench;

	bench_init(&bench, slower);
	CU_ASSERT_EQUAL(judge_budget_of(&bench, &small).status, STATUS_FAIL);
	CU_ASSERT_EQUAL(judge_budget_of(&bench, &large).status, STATUS_PASS);
	bench.judgement.input.before = NULL;
	CU_ASSERT_EQUAL(judge_budget_of(&bench, &small).status, STATUS_FAIL);
	CU_ASSERT_EQUAL(judge_budget_of(&bench, &large).status, STATUS_PASS);
	bench_release(&bench);
}

static void
a_cost_that_differs_between_runs_only_warns(void)
{
	const struct sampled cheap[] = {{"parse", 0, 3000}, {"copy", 0, 7000}, {NULL, 0, 0}};
	const struct sampled dear[] = {{"parse", 0, 6000}, {"copy", 0, 7000}, {NULL, 0, 0}};
	const struct gate_rule_spec spec = cost_budget(880e6);
	struct bench bench;

	/* 600 and 1200 ms alternately: the mean of 900 is above 880, but not for sure. */
	bench_init(&bench, slower);
	profile_release(&bench.candidate);
	profile_init(&bench.candidate);
	for (int i = 0; i < 3; i++) {
		add_runs(&bench.candidate, cheap, true, 1);
		add_runs(&bench.candidate, dear, true, 1);
	}
	CU_ASSERT_EQUAL(judge_budget_of(&bench, &spec).status, STATUS_WARN);
	bench_release(&bench);
}

static void
one_run_is_never_sure(void)
{
	const struct gate_rule_spec spec = cost_budget(1e6);
	struct bench bench;

	bench_init(&bench, slower);
	profile_release(&bench.candidate);
	profile_init(&bench.candidate);
	add_runs(&bench.candidate, slower, true, 1);
	CU_ASSERT_EQUAL(judge_budget_of(&bench, &spec).status, STATUS_WARN);
	bench_release(&bench);
}

static void
the_reason_names_cost_and_budget(void)
{
	const struct gate_rule_spec spec = cost_budget(20e6);
	struct bench bench;

	bench_init(&bench, slower);
	bench.workload.gate.rules = &spec;
	bench.workload.gate.nrules = 1;
	CU_ASSERT_EQUAL(judge(&bench), 1);
	UNIT_STR_EQ(finding_about(&bench, "rule", "parse (cost budget)").reason,
		"Costs 900 ms per run, above its budget of 20.0 ms.");
	bench_release(&bench);
}

void
suite_gate_rule_budget(void)
{
	static const struct unit_case cases[] = {
		{"a_cost_over_its_budget_fails_without_a_baseline_too",
			a_cost_over_its_budget_fails_without_a_baseline_too},
		{"a_cost_that_differs_between_runs_only_warns",
			a_cost_that_differs_between_runs_only_warns},
		{"one_run_is_never_sure", one_run_is_never_sure},
		{"the_reason_names_cost_and_budget", the_reason_names_cost_and_budget},
		{NULL, NULL},
	};

	unit_suite("gate/rule_budget", cases);
}
