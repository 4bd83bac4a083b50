/* What a finding takes over from its test. */
#include "gate/findings.h"

#include "gate/finding_effect.h"
#include "gate/reason_bench.h"
#include "unit.h"

#include <math.h>

void suite_gate_findings(void);

static void
a_function_is_named_with_its_kind_and_place(void)
{
	struct reason_bench bench;
	struct profile *profile;
	struct finding finding;

	reason_bench_init(&bench);
	profile = &bench.judgement.comparison.profile;
	bench.test.frame = profile_frame(profile, "vfs_read", 8, FRAME_KERNEL);
	finding = finding_of_test(&bench.judgement, &bench.test);
	UNIT_STR_EQ(finding.subject, "vfs_read_[k]");
	CU_ASSERT_PTR_NULL(finding.source);
	profile->frames.frames[bench.test.frame].file =
		strtab_intern_str(&profile->strings, "fs/read_write.c");
	UNIT_STR_EQ(finding_of_test(&bench.judgement, &bench.test).source, "fs/read_write.c");
	profile->frames.frames[bench.test.frame].line = 1;
	UNIT_STR_EQ(finding_of_test(&bench.judgement, &bench.test).source, "fs/read_write.c:1");
	/* What is no function has the name and the place of its rule. */
	bench.test.frame = 0;
	bench.test.source = "config/waivers.yaml:4";
	finding = finding_of_test(&bench.judgement, &bench.test);
	UNIT_STR_EQ(finding.subject, "f");
	UNIT_STR_EQ(finding.source, "config/waivers.yaml:4");
	reason_bench_release(&bench);
}

static bool
is_accepted(struct reason_bench *bench)
{
	return finding_of_test(&bench->judgement, &bench->test).accepted;
}

static void
only_growth_that_the_policy_lets_pass_is_accepted(void)
{
	struct reason_bench bench;
	struct decision *decision = &bench.test.decision;

	reason_bench_init(&bench);
	bench.test.frame = 0;
	bench.judgement.criteria.regression = POLICY_PASS;
	for (int by_runs = STATUS_PASS; by_runs <= STATUS_FAIL; by_runs++) {
		decision->by_runs = (enum status)by_runs;
		CU_ASSERT_EQUAL(
			is_accepted(&bench), by_runs == STATUS_WARN || by_runs == STATUS_FAIL);
	}
	decision->weakness = WEAKNESS_SAME_PROGRAM;
	CU_ASSERT_FALSE(is_accepted(&bench));
	decision->weakness = WEAKNESS_NONE;
	decision->status = STATUS_WARN;
	CU_ASSERT_FALSE(is_accepted(&bench));
	decision->status = STATUS_PASS;
	bench.test.kind = TEST_GONE;
	CU_ASSERT_FALSE(is_accepted(&bench));
	bench.test.kind = TEST_GROWTH;
	CU_ASSERT(is_accepted(&bench));
	bench.judgement.criteria.regression = POLICY_WARN;
	CU_ASSERT_FALSE(is_accepted(&bench));
	reason_bench_release(&bench);
}

static void
the_numbers_are_those_that_decided(void)
{
	static const struct waiver waiver = {
		.owner = "ann", .last_day = "2026-12-31", .max_effect = 0.5, .reason = "checks"};
	struct reason_bench bench;
	struct finding finding;
	struct effect fresh;

	reason_bench_init(&bench);
	bench.test.frame = 0;
	bench.test.of = QUANTITY_TOTAL;
	bench.test.decision = (struct decision){.status = STATUS_INCONCLUSIVE,
		.by_runs = STATUS_INCONCLUSIVE,
		.more_runs = 7,
		.unconfirmed = true};
	fresh = bench.effect;
	fresh.change = 0.1;
	bench.test.stages[COMPARISON_SCREEN] = &bench.effect;
	bench.test.stages[COMPARISON_CONFIRM] = &fresh;
	finding = finding_of_test(&bench.judgement, &bench.test);
	UNIT_NEAR(finding.effect.change, 0.2, 0);
	CU_ASSERT(finding.effect.tested);
	CU_ASSERT_FALSE(finding.first.tested);
	CU_ASSERT(finding.unconfirmed);
	UNIT_NEAR(finding.more_runs, 7, 0);
	CU_ASSERT_EQUAL(finding.of, QUANTITY_TOTAL);
	UNIT_NEAR(finding.asked, 0.15, 0);
	UNIT_NEAR(finding.warn_at, 0.08, 0);
	UNIT_NEAR(finding.fail_at, 0.15, 0);
	bench.test.flagged = true;
	finding = finding_of_test(&bench.judgement, &bench.test);
	UNIT_NEAR(finding.effect.change, 0.1, 0);
	UNIT_NEAR(finding.first.change, 0.2, 0);
	CU_ASSERT_PTR_NULL(finding.waiver);
	bench.test.evidence.waiver = &waiver;
	bench.test.evidence.waiver_use = WAIVER_EXCEEDED;
	CU_ASSERT_PTR_NULL(finding_of_test(&bench.judgement, &bench.test).waiver);
	bench.test.evidence.waiver_use = WAIVER_ACCEPTS;
	finding = finding_of_test(&bench.judgement, &bench.test);
	CU_ASSERT_PTR_EQUAL(finding.waiver, &waiver);
	CU_ASSERT(finding.accepted);
	/* A budget has the costs of its group, but its growth was not tested. */
	bench.test.kind = TEST_SHARE_BUDGET;
	finding = finding_of_test(&bench.judgement, &bench.test);
	CU_ASSERT_FALSE(finding.effect.tested);
	reason_bench_release(&bench);
}

/* E[x | x > b] of a standard normal x is 0.798 at b = 0, and 1.525 at b = 1. */
static void
selected_effects_are_reduced_by_their_expected_excess(void)
{
	CU_ASSERT_DOUBLE_EQUAL(effect_unselected(0.1, 0.02, 0.1), 0.1 - 0.02 * 0.7978846, 1e-8);
	CU_ASSERT_DOUBLE_EQUAL(effect_unselected(0.1, 0.02, 0.12), 0.1 - 0.02 * 1.5251353, 1e-8);
	CU_ASSERT_DOUBLE_EQUAL(effect_unselected(0.7, 0.02, 0.1), 0.7, 1e-12);
	CU_ASSERT_EQUAL(effect_unselected(0.1, 0, 0.05), 0.1);
}

void
suite_gate_findings(void)
{
	static const struct unit_case cases[] = {
		{"a_function_is_named_with_its_kind_and_place",
			a_function_is_named_with_its_kind_and_place},
		{"only_growth_that_the_policy_lets_pass_is_accepted",
			only_growth_that_the_policy_lets_pass_is_accepted},
		{"the_numbers_are_those_that_decided", the_numbers_are_those_that_decided},
		{"selected_effects_are_reduced_by_their_expected_excess",
			selected_effects_are_reduced_by_their_expected_excess},
		{NULL, NULL},
	};

	unit_suite("gate/findings", cases);
}
