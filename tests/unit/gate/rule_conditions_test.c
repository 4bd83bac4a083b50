#include "gate/rules.h"

#include "gate/judge_bench.h"
#include "unit.h"

void suite_gate_rule_conditions(void);

static void
a_missing_baseline_does_what_the_policy_says(void)
{
	const enum policy_action actions[] = {POLICY_PASS, POLICY_WARN, POLICY_FAIL};
	const enum status statuses[] = {STATUS_PASS, STATUS_WARN, STATUS_ERROR};
	const int exits[] = {0, 0, 2};

	for (int i = 0; i < 3; i++) {
		struct bench bench;

		bench_init(&bench, unchanged);
		bench.judgement.input.before = NULL;
		bench.workload.gate.missing_baseline = actions[i];
		CU_ASSERT_EQUAL(judge(&bench), exits[i]);
		CU_ASSERT_EQUAL(bench.overall, statuses[i]);
		UNIT_STR_EQ(bench.judgement.verdict.mode, "none");
		UNIT_CONTAINS(finding_about(&bench, "baseline", "baseline").reason,
			"profile_run baseline update parse");
		bench_release(&bench);
	}
}

static void
another_machine_warns_at_most(void)
{
	struct bench bench;

	bench_init(&bench, slower);
	bench.judgement.input.baseline_is_of_other_machine = true;
	strcpy(bench.baseline.info.machine_class, "x86_64-there");
	CU_ASSERT_EQUAL(judge(&bench), 0);
	CU_ASSERT_EQUAL(bench.overall, STATUS_WARN);
	CU_ASSERT_EQUAL(finding_about(&bench, "functions", "parse").status, STATUS_WARN);
	UNIT_CONTAINS(bench.judgement.verdict.limited, "machine class");
	UNIT_CONTAINS(finding_about(&bench, "baseline", "machine class").reason, "x86_64-there");
	judgement_release(&bench.judgement);

	bench.workload.gate.other_machine = POLICY_FAIL;
	CU_ASSERT_EQUAL(judge(&bench), 2);
	CU_ASSERT_FALSE(bench.judgement.compared);
	judgement_release(&bench.judgement);

	bench.workload.gate.other_machine = POLICY_PASS;
	CU_ASSERT_EQUAL(judge(&bench), 1);
	bench_release(&bench);
}

static void
a_changed_workload_makes_the_baseline_stale(void)
{
	struct bench bench;

	bench_init(&bench, slower);
	strcpy(bench.baseline.info.workload_hash, "1111");
	strcpy(bench.workload.hash, "2222");
	CU_ASSERT_EQUAL(judge(&bench), 0);
	UNIT_CONTAINS(bench.judgement.verdict.limited, "workload");
	CU_ASSERT_EQUAL(finding_about(&bench, "baseline", "workload").status, STATUS_WARN);
	judgement_release(&bench.judgement);

	bench.workload.gate.changed_workload = POLICY_FAIL;
	CU_ASSERT_EQUAL(judge(&bench), 2);
	CU_ASSERT_FALSE(bench.judgement.compared);
	bench_release(&bench);
}

static void
a_changed_program_is_judged_all_the_same(void)
{
	struct bench bench;

	bench_init(&bench, slower);
	strcpy(bench.baseline.info.program_hash, "bbbb");
	CU_ASSERT_EQUAL(judge(&bench), 1);
	CU_ASSERT_EQUAL(finding_about(&bench, "baseline", "program").status, STATUS_PASS);
	judgement_release(&bench.judgement);

	bench.workload.gate.changed_program = POLICY_FAIL;
	CU_ASSERT_EQUAL(judge(&bench), 1);
	CU_ASSERT_EQUAL(finding_about(&bench, "baseline", "program").status, STATUS_ERROR);
	bench_release(&bench);
}

void
suite_gate_rule_conditions(void)
{
	static const struct unit_case cases[] = {
		{"a_missing_baseline_does_what_the_policy_says",
			a_missing_baseline_does_what_the_policy_says},
		{"another_machine_warns_at_most", another_machine_warns_at_most},
		{"a_changed_workload_makes_the_baseline_stale",
			a_changed_workload_makes_the_baseline_stale},
		{"a_changed_program_is_judged_all_the_same",
			a_changed_program_is_judged_all_the_same},
		{NULL, NULL},
	};

	unit_suite("gate/rule_conditions", cases);
}
