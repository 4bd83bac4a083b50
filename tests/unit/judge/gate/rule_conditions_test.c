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
a_base_that_fails_does_what_the_policy_says(void)
{
	const enum policy_action actions[] = {POLICY_PASS, POLICY_WARN, POLICY_FAIL};
	const int exits[] = {0, 0, 2};

	for (int i = 0; i < 3; i++) {
		struct bench bench;

		bench_init(&bench, slower);
		bench.judgement.input.before = NULL;
		bench.judgement.input.mode = GATE_PAIRED;
		bench.judgement.input.base_subject = "the base main";
		bench.judgement.input.base_problem = "'./x' was killed by SIGABRT in run 1.";
		bench.workload.gate.base_fails = actions[i];
		/* For a new workload. */
		bench.workload.gate.missing_baseline = POLICY_FAIL;
		CU_ASSERT_EQUAL(judge(&bench), exits[i]);
		UNIT_STR_EQ(finding_about(&bench, "baseline", "the base main").reason,
			"'./x' was killed by SIGABRT in run 1.");
		/* One run is enough for a picture. */
		for (size_t k = 0; k < bench.judgement.verdict.nall; k++)
			CU_ASSERT_NOT_EQUAL(
				bench.judgement.verdict.findings[k].rule, FINDING_VALIDITY);
		bench.judgement.input.base_is_new = true;
		judgement_release(&bench.judgement);
		CU_ASSERT_EQUAL(judge(&bench), 2);
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
measuring_in_another_way_than_the_policy_s_commit_is_told(void)
{
	struct bench bench;

	bench_init(&bench, slower);
	bench.judgement.input.changed_keys = "'run' differs from main";
	CU_ASSERT_EQUAL(judge(&bench), 1);
	CU_ASSERT_EQUAL(finding_about(&bench, "baseline", "measuring").status, STATUS_WARN);
	judgement_release(&bench.judgement);

	bench.workload.gate.changed_workload = POLICY_FAIL;
	judge(&bench);
	CU_ASSERT_EQUAL(finding_about(&bench, "baseline", "measuring").status, STATUS_ERROR);
	judgement_release(&bench.judgement);

	bench.workload.gate.changed_workload = POLICY_WARN;
	bench.judgement.input.program = PROGRAM_SAME;
	bench.judgement.input.not_measured = true;
	bench.judgement.input.candidate = NULL;
	CU_ASSERT_EQUAL(judge(&bench), 0);
	CU_ASSERT_EQUAL(finding_about(&bench, "baseline", "measuring").status, STATUS_WARN);
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

/* All findings about the baseline and the measurement, as "subject: status: reason" lines. */
static void
expect(struct bench *bench, const char *expected)
{
	const struct verdict *verdict = &bench->judgement.verdict;
	struct buf text = {0};

	judgement_release(&bench->judgement);
	judge(bench);
	for (size_t i = 0; i < verdict->nall; i++) {
		const struct finding *finding = &verdict->findings[i];

		if (finding->rule == FINDING_BASELINE || finding->rule == FINDING_MEASUREMENT)
			buf_printf(&text, "%s: %s: %s\n", finding->subject,
				status_name(finding->status), finding->reason);
	}
	UNIT_STR_EQ(buf_text(&text), expected);
	buf_release(&text);
}

static void
a_baseline_that_fits_is_not_mentioned(void)
{
	struct bench bench;

	bench_init(&bench, unchanged);
	expect(&bench, "");
	/* Nor one of which nothing is known. */
	strcpy(bench.baseline.info.event, "cycles");
	strcpy(bench.baseline.info.program_hash, "aaaa");
	strcpy(bench.workload.hash, "1111");
	expect(&bench, "");
	bench_release(&bench);
}

#define OTHER_MACHINE                                                                      \
	"The baseline is of machine class x86_64-there, this machine is x86_64-here: %s. " \
	"Record one here: 'profile_run baseline update parse'.\n"

static void
another_machine_is_told_with_what_follows(void)
{
	static const struct {
		enum policy_action action;
		const char *status;
		const char *follows;
		bool compared;
	} cases[] = {
		{POLICY_PASS, "pass", "compared all the same", true},
		{POLICY_WARN, "warn", "no finding fails", true},
		{POLICY_FAIL, "error", "they are not compared", false},
	};
	struct bench bench;

	bench_init(&bench, unchanged);
	bench.judgement.input.baseline_is_of_other_machine = true;
	strcpy(bench.baseline.info.machine_class, "x86_64-there");
	for (size_t i = 0; i < 3; i++) {
		struct buf text = {0};

		buf_printf(&text, "machine class: %s: ", cases[i].status);
		buf_printf(&text, OTHER_MACHINE, cases[i].follows);
		bench.workload.gate.other_machine = cases[i].action;
		expect(&bench, buf_text(&text));
		CU_ASSERT_EQUAL(bench.judgement.compared, cases[i].compared);
		CU_ASSERT_EQUAL(
			bench.judgement.verdict.limited != NULL, cases[i].action == POLICY_WARN);
		buf_release(&text);
	}
	bench_release(&bench);
}

static void
all_that_differs_is_told_and_the_machine_limits_first(void)
{
	struct bench bench;

	bench_init(&bench, unchanged);
	bench.candidate.event = strtab_intern_str(&bench.candidate.strings, "cpu-clock");
	strcpy(bench.baseline.info.event, "cycles");
	strcpy(bench.baseline.info.workload_hash, "1111111111112");
	strcpy(bench.workload.hash, "2222222222223");
	strcpy(bench.baseline.info.program_hash, "bbbbbbbbbbbbc");
	expect(&bench,
		"event: warn: The baseline was sampled with cycles, these runs with cpu-clock: "
		"no finding fails. Record a new baseline: 'profile_run baseline update parse'.\n"
		"workload: warn: The workload has changed since its baseline was recorded (hash "
		"111111111111, now 222222222222). Record a new one: 'profile_run baseline update "
		"parse'.\n"
		"program: pass: The program differs from the baseline's (hash bbbbbbbbbbbb, now "
		"aaaa).\n");
	UNIT_STR_EQ(bench.judgement.verdict.limited, "the baseline was sampled with another event");
	bench.judgement.input.baseline_is_of_other_machine = true;
	CU_ASSERT_STRING_EQUAL(baseline_limits(&bench.judgement.input),
		"the baseline is of another machine class");
	bench.judgement.input.baseline_is_of_other_machine = false;
	strcpy(bench.baseline.info.event, "cpu-clock");
	UNIT_STR_EQ(baseline_limits(&bench.judgement.input),
		"the workload has changed since the baseline was recorded");
	bench.workload.gate.changed_workload = POLICY_PASS;
	CU_ASSERT_PTR_NULL(baseline_limits(&bench.judgement.input));
	CU_ASSERT(baseline_is_comparable(&bench.judgement.input));
	bench.judgement.input.before = NULL;
	CU_ASSERT_FALSE(baseline_is_comparable(&bench.judgement.input));
	bench_release(&bench);
}

static void
no_baseline_is_advised_where_none_is_compared_with(void)
{
	struct bench bench;

	bench_init(&bench, unchanged);
	bench.candidate.event = strtab_intern_str(&bench.candidate.strings, "cpu-clock");
	strcpy(bench.baseline.info.event, "cycles");
	bench.judgement.input.mode = GATE_FILES;
	expect(&bench,
		"event: warn: The runs before were sampled with cycles, these runs with cpu-clock: "
		"no finding fails.\n");
	UNIT_STR_EQ(
		bench.judgement.verdict.limited, "the sides were sampled with different events");
	/* Replayed from a file that does not have the command. */
	bench.judgement.input.mode = GATE_STORED;
	bench.judgement.input.update_command = NULL;
	expect(&bench,
		"event: warn: The baseline was sampled with cycles, these runs with cpu-clock: "
		"no finding fails. Record a new baseline.\n");
	bench_release(&bench);
}

static void
the_same_program_is_told_by_mode(void)
{
	struct bench bench;

	bench_init(&bench, unchanged);
	bench.judgement.input.program = PROGRAM_SAME;
	strcpy(bench.baseline.info.program_hash, "bbbb");
	expect(&bench,
		"program: pass: The program is the same as the baseline's: a difference is the "
		"machine's.\n");
	bench.judgement.input.mode = GATE_PAIRED;
	expect(&bench,
		"program: pass: Both builds are the same program: a difference is the machine's.\n");
	/* Two builds are expected to differ. */
	bench.judgement.input.program = PROGRAM_DIFFERS;
	expect(&bench, "");
	bench_release(&bench);
}

static void
a_workload_that_was_not_measured_says_why(void)
{
	struct bench bench;
	struct gate_input *input = &bench.judgement.input;

	bench_init(&bench, unchanged);
	input->candidate = NULL;
	input->not_measured = true;
	expect(&bench, "runs: pass: Both builds are the same program: there is nothing to measure. "
		       "--measure-anyway measures it all the same.\n");
	input->unreached = "cannot reach the change: 3 functions changed, none is executed or read";
	expect(&bench,
		"runs: pass: The benchmark cannot reach the change: 3 functions changed, none "
		"is executed or read. --all measures it all the same.\n");
	input->unreached = NULL;
	input->base_note = "all files that run are those of the baseline of 2026-11-20";
	expect(&bench,
		"runs: pass: The program is the baseline's: all files that run are those of the "
		"baseline of 2026-11-20: there is nothing to measure. --measure-anyway measures it all "
		"the same.\n");
	input->base_note = NULL;
	input->candidate = &bench.candidate;
	profile_drop_runs(&bench.candidate, 1);
	expect(&bench, "runs: pass: Both builds are the same program: one run was taken, for its "
		       "picture.\n");
	input->candidate = NULL;
	input->error = "it exited with 3";
	expect(&bench, "runs: error: it exited with 3\n");
	input->skipped = true;
	expect(&bench, "runs: skipped: it exited with 3\n");
	/* Then a baseline is not missed. */
	input->before = NULL;
	expect(&bench, "runs: skipped: it exited with 3\n");
	input->before = &bench.baseline.profile;
	input->error = NULL;
	input->skipped = input->not_measured = false;
	input->candidate = &bench.candidate;
	profile_drop_runs(&bench.candidate, 1);
	expect(&bench, "");
	profile_drop_runs(&bench.candidate, 0);
	expect(&bench, "runs: error: There is no run to judge.\n");
	input->before = NULL;
	expect(&bench,
		"runs: error: There is no run to judge.\n"
		"baseline: warn: There is no baseline of machine class x86_64-here. Record one on the "
		"main branch and commit it: 'profile_run baseline update parse'.\n");
	bench_release(&bench);
}

static void
a_workload_that_is_not_judged_follows_the_policy(void)
{
	struct bench bench;
	struct gate_input *input = &bench.judgement.input;

	bench_init(&bench, unchanged);
	input->candidate = NULL;
	input->before = NULL;
	input->not_judged = "Not judged: there is no baseline. Run 'a' or 'b'.";
	expect(&bench, "baseline: warn: Not judged: there is no baseline. Run 'a' or 'b'.\n");
	judgement_release(&bench.judgement);
	CU_ASSERT_EQUAL(judge(&bench), 0);
	judgement_release(&bench.judgement);
	bench.workload.gate.missing_baseline = POLICY_FAIL;
	CU_ASSERT_EQUAL(judge(&bench), 2);
	CU_ASSERT_EQUAL(finding_about(&bench, "baseline", "baseline").status, STATUS_ERROR);
	bench_release(&bench);
}

static void
a_base_of_its_own_is_told(void)
{
	struct bench bench;

	bench_init(&bench, unchanged);
	bench.judgement.input.mode = GATE_PAIRED;
	bench.judgement.input.base_note =
		"the baseline is of class-a; compared with its commit 2eac919";
	expect(&bench,
		"baseline: pass: The baseline is of class-a; compared with its commit 2eac919.\n");
	bench_release(&bench);
}

void
suite_gate_rule_conditions(void)
{
	static const struct unit_case cases[] = {
		{"a_missing_baseline_does_what_the_policy_says",
			a_missing_baseline_does_what_the_policy_says},
		{"a_base_that_fails_does_what_the_policy_says",
			a_base_that_fails_does_what_the_policy_says},
		{"another_machine_warns_at_most", another_machine_warns_at_most},
		{"a_changed_workload_makes_the_baseline_stale",
			a_changed_workload_makes_the_baseline_stale},
		{"measuring_in_another_way_than_the_policy_s_commit_is_told",
			measuring_in_another_way_than_the_policy_s_commit_is_told},
		{"a_changed_program_is_judged_all_the_same",
			a_changed_program_is_judged_all_the_same},
		{"a_baseline_that_fits_is_not_mentioned", a_baseline_that_fits_is_not_mentioned},
		{"another_machine_is_told_with_what_follows",
			another_machine_is_told_with_what_follows},
		{"all_that_differs_is_told_and_the_machine_limits_first",
			all_that_differs_is_told_and_the_machine_limits_first},
		{"a_workload_that_is_not_judged_follows_the_policy",
			a_workload_that_is_not_judged_follows_the_policy},
		{"a_base_of_its_own_is_told", a_base_of_its_own_is_told},
		{"no_baseline_is_advised_where_none_is_compared_with",
			no_baseline_is_advised_where_none_is_compared_with},
		{"the_same_program_is_told_by_mode", the_same_program_is_told_by_mode},
		{"a_workload_that_was_not_measured_says_why",
			a_workload_that_was_not_measured_says_why},
		{NULL, NULL},
	};

	unit_suite("gate/rule_conditions", cases);
}
