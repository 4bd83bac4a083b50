#include "gate/rules.h"

#include "gate/judge_bench.h"
#include "unit.h"

#include <string.h>

void suite_gate_rule_validity(void);

static void
poor_runs_are_inconclusive(void)
{
	struct bench bench;

	bench_init(&bench, unchanged);
	bench.candidate.runs[0].expected_samples *= 2;
	CU_ASSERT_EQUAL(judge(&bench), 0);
	CU_ASSERT_EQUAL(finding_about(&bench, "validity", "runs").status, STATUS_WARN);
	judgement_release(&bench.judgement);

	bench.candidate.runs[1].lost = 1000;
	CU_ASSERT_EQUAL(judge(&bench), 3);
	CU_ASSERT_EQUAL(bench.overall, STATUS_INCONCLUSIVE);
	UNIT_CONTAINS(finding_about(&bench, "validity", "runs").reason, "2 of 5 runs");
	judgement_release(&bench.judgement);

	bench.workload.gate.inconclusive = POLICY_WARN;
	CU_ASSERT_EQUAL(judge(&bench), 0);
	CU_ASSERT_EQUAL(bench.overall, STATUS_INCONCLUSIVE);
	bench_release(&bench);
}

static void
too_few_runs_or_samples_are_inconclusive(void)
{
	const struct sampled few[] = {{"parse", 4, 4}, {"print", 5, 5}, {NULL, 0, 0}};
	struct bench bench;

	bench_init(&bench, unchanged);
	profile_drop_runs(&bench.candidate, 2);
	CU_ASSERT_EQUAL(judge(&bench), 3);
	bench_release(&bench);

	bench_init(&bench, few);
	CU_ASSERT_EQUAL(judge(&bench), 3);
	CU_ASSERT_EQUAL(finding_about(&bench, "functions", "parse").status, STATUS_INCONCLUSIVE);
	bench_release(&bench);
}

static void
no_run_at_all_is_an_error(void)
{
	struct bench bench;

	bench_init(&bench, unchanged);
	profile_drop_runs(&bench.candidate, 0);
	CU_ASSERT_EQUAL(judge(&bench), 2);
	bench_release(&bench);

	bench_init(&bench, unchanged);
	bench.judgement.input.candidate = NULL;
	CU_ASSERT_EQUAL(judge(&bench), 2);
	bench_release(&bench);

	bench_init(&bench, unchanged);
	profile_drop_runs(&bench.baseline.profile, 0);
	CU_ASSERT_EQUAL(judge(&bench), 3);
	bench_release(&bench);
}

static void
the_other_side_is_called_what_it_is(void)
{
	static const struct {
		enum gate_mode mode;
		const char *subject;
	} cases[] = {
		{GATE_STORED, "baseline runs"},
		{GATE_PAIRED, "runs of the base"},
		{GATE_FILES, "runs before"},
	};
	struct bench bench;

	bench_init(&bench, unchanged);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct judgement *judgement = &bench.judgement;

		judgement->input.mode = cases[i].mode;
		judgement->compared = true;
		verdict_init(&judgement->verdict);
		rule_validity.add(judgement);
		CU_ASSERT_EQUAL_FATAL(judgement->ntests, 2);
		for (size_t k = 0; k < 2; k++)
			CU_ASSERT_EQUAL(judgement->tests[k].condition, CONDITION_MET);
		UNIT_STR_EQ(judgement->tests[0].subject, "runs");
		UNIT_STR_EQ(judgement->tests[1].subject, cases[i].subject);
		judgement_release(judgement);
	}
	bench_release(&bench);
}

void
suite_gate_rule_validity(void)
{
	static const struct unit_case cases[] = {
		{"poor_runs_are_inconclusive", poor_runs_are_inconclusive},
		{"too_few_runs_or_samples_are_inconclusive",
			too_few_runs_or_samples_are_inconclusive},
		{"no_run_at_all_is_an_error", no_run_at_all_is_an_error},
		{"the_other_side_is_called_what_it_is", the_other_side_is_called_what_it_is},
		{NULL, NULL},
	};

	unit_suite("gate/rule_validity", cases);
}
