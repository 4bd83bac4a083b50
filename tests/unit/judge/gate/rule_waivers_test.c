#include "gate/rules.h"

#include "gate/judge_bench.h"
#include "unit.h"

void suite_gate_rule_waivers(void);

#define LAST_SECOND 1798761599 /* of 2026-12-31 */

static struct waiver
waiver_of(const char *pattern, const char *workload)
{
	return (struct waiver){
		.kind = RULE_EACH,
		.pattern = pattern,
		.workload = workload,
		.max_effect = 0.6,
		.reason = "checks that were missing",
		.owner = "ann",
		.expires = LAST_SECOND + 1,
		.last_day = "2026-12-31",
		.file = "config/waivers.yaml",
		.line = 4,
	};
}

static int
judge_with(struct bench *bench, const struct waiver *waiver, int64_t now)
{
	bench->workload.gate.waivers_list = waiver;
	bench->workload.gate.nwaivers = 1;
	bench->workload.gate.total = (struct threshold){NAN, NAN};
	bench->judgement.input.now = now;
	return judge(bench);
}

static struct finding
about(const struct bench *bench, const char *pattern)
{
	char subject[64];

	snprintf(subject, sizeof(subject), "waiver of %s", pattern);
	return finding_about(bench, "waivers", subject);
}

static void
an_expired_waiver_is_told_with_owner_day_and_place(void)
{
	const struct waiver waiver = waiver_of("parse", "*");
	struct bench bench;

	bench_init(&bench, unchanged);
	CU_ASSERT_EQUAL(judge_with(&bench, &waiver, LAST_SECOND + 1), 0);
	struct finding finding = about(&bench, "parse");

	CU_ASSERT_EQUAL(finding.status, STATUS_WARN);
	UNIT_STR_EQ(finding.reason,
		"Expired on 2026-12-31: ann accepted up to 60.0 % (checks that were missing). Remove "
		"it from config/waivers.yaml:4, or renew it.");
	UNIT_STR_EQ(finding.source, "config/waivers.yaml:4");
	bench_release(&bench);
}

static void
a_waiver_that_nothing_needs_is_told(void)
{
	const struct waiver waiver = waiver_of("parse", "parse");
	struct bench bench;

	bench_init(&bench, unchanged);
	CU_ASSERT_EQUAL(judge_with(&bench, &waiver, LAST_SECOND), 0);
	struct finding finding = about(&bench, "parse");

	CU_ASSERT_EQUAL(finding.status, STATUS_WARN);
	UNIT_CONTAINS(finding.reason, "Not needed");
	UNIT_CONTAINS(finding.reason, "ann");
	UNIT_CONTAINS(finding.reason, "2026-12-31");
	UNIT_CONTAINS(finding.reason, "config/waivers.yaml:4");
	bench_release(&bench);
}

static void
a_waiver_that_is_needed_is_not(void)
{
	const struct waiver waiver = waiver_of("parse", "parse");
	struct bench bench;

	bench_init(&bench, slower);
	CU_ASSERT_EQUAL(judge_with(&bench, &waiver, LAST_SECOND), 0);
	UNIT_STR_EQ(about(&bench, "parse").subject, "");
	CU_ASSERT_PTR_EQUAL(finding_about(&bench, "functions", "parse").waiver, &waiver);
	bench_release(&bench);
}

/* The first runs were above the threshold, the new ones are not: the next may be again. */
static void
a_waiver_of_what_was_not_confirmed_is_needed(void)
{
	const struct waiver waiver = waiver_of("parse", "parse");
	struct bench bench;

	bench_init(&bench, slower);
	add_runs(&bench.baseline.profile, unchanged, false, 5);
	add_runs(&bench.candidate, unchanged, true, 5);
	for (size_t run = 5; run < 10; run++)
		bench.baseline.profile.runs[run].stage = bench.candidate.runs[run].stage =
			COMPARISON_CONFIRM;
	bench.judgement.input.may_confirm = true;
	CU_ASSERT_EQUAL(judge_with(&bench, &waiver, LAST_SECOND), 0);
	CU_ASSERT(test_is_confirmed(test_about(&bench, "parse")));
	CU_ASSERT(finding_about(&bench, "functions", "parse").effect.change < 0.01);
	UNIT_STR_EQ(about(&bench, "parse").subject, "");
	bench_release(&bench);
}

static void
a_waiver_for_many_workloads_is_silent_where_nothing_matches(void)
{
	const struct waiver many = waiver_of("elsewhere", "*");
	const struct waiver one = waiver_of("elsewhere", "parse");
	struct bench bench;

	bench_init(&bench, unchanged);
	judge_with(&bench, &many, LAST_SECOND);
	UNIT_STR_EQ(about(&bench, "elsewhere").subject, "");
	judgement_release(&bench.judgement);
	judge_with(&bench, &one, LAST_SECOND);
	CU_ASSERT_EQUAL(about(&bench, "elsewhere").status, STATUS_WARN);
	bench_release(&bench);
}

static void
without_a_comparison_nothing_is_unneeded(void)
{
	const struct waiver waiver = waiver_of("parse", "parse");
	struct bench bench;

	bench_init(&bench, unchanged);
	bench.judgement.input.before = NULL;
	judge_with(&bench, &waiver, LAST_SECOND);
	UNIT_STR_EQ(about(&bench, "parse").subject, "");
	bench_release(&bench);
}

static void
the_policy_says_what_they_do(void)
{
	const struct waiver waiver = waiver_of("parse", "parse");
	struct bench bench;

	bench_init(&bench, unchanged);
	bench.workload.gate.waivers = POLICY_PASS;
	CU_ASSERT_EQUAL(judge_with(&bench, &waiver, LAST_SECOND), 0);
	CU_ASSERT_EQUAL(about(&bench, "parse").status, STATUS_PASS);
	CU_ASSERT_EQUAL(about(&bench, "parse").rule, FINDING_WAIVERS);
	judgement_release(&bench.judgement);
	bench.workload.gate.waivers = POLICY_FAIL;
	CU_ASSERT_EQUAL(judge_with(&bench, &waiver, LAST_SECOND), 2);
	bench_release(&bench);
}

void
suite_gate_rule_waivers(void)
{
	static const struct unit_case cases[] = {
		{"an_expired_waiver_is_told_with_owner_day_and_place",
			an_expired_waiver_is_told_with_owner_day_and_place},
		{"a_waiver_that_nothing_needs_is_told", a_waiver_that_nothing_needs_is_told},
		{"a_waiver_that_is_needed_is_not", a_waiver_that_is_needed_is_not},
		{"a_waiver_for_many_workloads_is_silent_where_nothing_matches",
			a_waiver_for_many_workloads_is_silent_where_nothing_matches},
		{"without_a_comparison_nothing_is_unneeded",
			without_a_comparison_nothing_is_unneeded},
		{"the_policy_says_what_they_do", the_policy_says_what_they_do},
		{"a_waiver_of_what_was_not_confirmed_is_needed",
			a_waiver_of_what_was_not_confirmed_is_needed},
		{NULL, NULL},
	};

	unit_suite("gate/rule_waivers", cases);
}
