#include "gate/waive.h"

#include "gate/decide.h"
#include "gate/judge_bench.h"
#include "unit.h"

void suite_gate_waive(void);

#define LAST_SECOND 1798761599 /* of 2026-12-31 */

static struct waiver
waiver_of(enum rule_kind kind, const char *pattern, double max_effect)
{
	return (struct waiver){
		.kind = kind,
		.pattern = pattern,
		.workload = "*",
		.max_effect = max_effect,
		.reason = "checks that were missing",
		.owner = "ann",
		.expires = LAST_SECOND + 1,
		.last_day = "2026-12-31",
		.file = "config/waivers.yaml",
		.line = 4,
	};
}

static int
judge_with(struct bench *bench, const struct waiver *waivers, size_t count)
{
	bench->workload.gate.waivers_list = waivers;
	bench->workload.gate.nwaivers = count;
	bench->judgement.input.now = LAST_SECOND;
	return judge(bench);
}

static void
a_growth_that_is_accepted_passes_and_says_so(void)
{
	const struct waiver waivers[] = {
		waiver_of(RULE_EACH, "pars?", 0.6),
		waiver_of(RULE_TOTAL, "whole program", 0.2),
	};
	struct bench bench;

	bench_init(&bench, slower);
	bench.workload.gate.total = (struct threshold){.warn = 0.05, .fail = 0.1};
	CU_ASSERT_EQUAL(judge_with(&bench, waivers, 2), 0);
	struct finding parse = finding_about(&bench, "functions", "parse");

	CU_ASSERT_EQUAL(parse.status, STATUS_PASS);
	CU_ASSERT_PTR_EQUAL(parse.waiver, &waivers[0]);
	UNIT_STR_EQ(parse.reason,
		"Above the 15 % threshold. Accepted by ann until 2026-12-31, up to 60 %: checks that "
		"were missing.");
	UNIT_NEAR(parse.effect.change, 0.5, 1e-9);
	CU_ASSERT_EQUAL(finding_about(&bench, "total", "whole program").status, STATUS_PASS);
	CU_ASSERT_EQUAL(bench.judgement.verdict.status, STATUS_PASS);
	bench_release(&bench);
}

/* The whole program grew by what parse did: the command that accepts parse is enough. */
static void
growth_that_is_part_of_an_accepted_one_is_accepted_with_it(void)
{
	const struct waiver waiver = waiver_of(RULE_EACH, "parse", 0.6);
	struct bench bench;

	bench_init(&bench, slower);
	bench.workload.gate.total = (struct threshold){.warn = 0.05, .fail = 0.1};
	CU_ASSERT_EQUAL(judge_with(&bench, &waiver, 1), 0);
	const struct finding whole = finding_about(&bench, "total", "whole program");

	UNIT_NEAR(whole.effect.change, 0.15, 1e-9);
	CU_ASSERT_EQUAL(whole.status, STATUS_PASS);
	CU_ASSERT_PTR_EQUAL(whole.waiver, &waiver);
	bench_release(&bench);
}

/* Of two functions that grew one is accepted: the other, and the rest of the program, still fail.
 */
static void
a_rest_above_the_threshold_is_not_accepted(void)
{
	static const struct sampled two[] = {
		{"parse", 3000, 4500}, {"print", 3500, 5000}, {"read", 3500, 3500}, {NULL, 0, 0}};
	const struct waiver waiver = waiver_of(RULE_EACH, "parse", 0.6);
	struct bench bench;

	bench_init(&bench, two);
	bench.workload.gate.total = (struct threshold){.warn = 0.02, .fail = 0.05};
	CU_ASSERT_EQUAL(judge_with(&bench, &waiver, 1), 1);
	CU_ASSERT_EQUAL(finding_about(&bench, "functions", "parse").status, STATUS_PASS);
	CU_ASSERT_EQUAL(finding_about(&bench, "total", "whole program").status, STATUS_FAIL);
	bench_release(&bench);
}

/* Others grew by 6 % of the program, which is within its confidence interval. */
static void
a_rest_that_may_be_noise_does_not_fail(void)
{
	static const struct sampled three[] = {
		{"parse", 3000, 4500}, {"print", 3500, 3800}, {"read", 3500, 3800}, {NULL, 0, 0}};
	const struct waiver waiver = waiver_of(RULE_EACH, "parse", 0.6);
	struct bench bench;

	bench_init(&bench, three);
	bench.workload.gate.total = (struct threshold){.warn = 0.02, .fail = 0.05};
	CU_ASSERT_EQUAL(judge_with(&bench, &waiver, 1), 0);
	const struct finding whole = finding_about(&bench, "total", "whole program");

	UNIT_NEAR(whole.effect.change, 0.21, 1e-9);
	CU_ASSERT_EQUAL(whole.status, STATUS_PASS);
	CU_ASSERT_PTR_EQUAL(whole.waiver, &waiver);
	bench_release(&bench);
}

static void
set_syscalls(struct profile *profile)
{
	profile->metric = strtab_intern_str(&profile->strings, "syscalls");
	profile->unit = strtab_intern_str(&profile->strings, "calls");
}

/* 107 for 100, in every run: by the logarithm a little more than the 7 % that are accepted. */
static void
counts_at_what_is_accepted_are_accepted(void)
{
	for (int percent = 1; percent < 100; percent++) {
		const struct waiver waiver = waiver_of(RULE_EACH, "parse", percent / 100.0);
		const struct sampled functions[] = {
			{"parse", 100, 100 + percent}, {"print", 900, 900}, {NULL, 0, 0}};
		struct bench bench;

		bench_init(&bench, functions);
		set_syscalls(&bench.candidate);
		set_syscalls(&bench.baseline.profile);
		bench.workload.gate.functions =
			(struct threshold){.warn = NAN, .fail = percent / 100.0 - 0.001};
		bench.workload.gate.floor = 0;
		bench.workload.gate.total = (struct threshold){NAN, NAN};
		judge_with(&bench, &waiver, 1);
		struct finding parse = finding_about(&bench, "functions", "parse");

		CU_ASSERT_EQUAL(parse.status, STATUS_PASS);
		CU_ASSERT_PTR_EQUAL(parse.waiver, &waiver);
		bench_release(&bench);
	}
}

static void
a_growth_beyond_what_is_accepted_stays(void)
{
	const struct waiver waiver = waiver_of(RULE_EACH, "parse", 0.4);
	struct bench bench;

	bench_init(&bench, slower);
	CU_ASSERT_EQUAL(judge_with(&bench, &waiver, 1), 1);
	struct finding parse = finding_about(&bench, "functions", "parse");

	CU_ASSERT_EQUAL(parse.status, STATUS_FAIL);
	CU_ASSERT_PTR_NULL(parse.waiver);
	UNIT_CONTAINS(parse.reason, "The waiver of ann accepts up to 40 %.");
	bench_release(&bench);
}

static void
a_waiver_ends_with_its_last_day(void)
{
	const struct waiver waiver = waiver_of(RULE_EACH, "parse", 0.6);
	struct bench bench;

	bench_init(&bench, slower);
	bench.workload.gate.waivers_list = &waiver;
	bench.workload.gate.nwaivers = 1;
	bench.judgement.input.now = LAST_SECOND + 1;
	CU_ASSERT_EQUAL(judge(&bench), 1);
	struct finding parse = finding_about(&bench, "functions", "parse");

	CU_ASSERT_EQUAL(parse.status, STATUS_FAIL);
	UNIT_CONTAINS(parse.reason, "The waiver of ann expired on 2026-12-31.");
	bench_release(&bench);
}

static void
a_waiver_is_about_what_it_names_alone(void)
{
	const struct waiver waivers[] = {
		waiver_of(RULE_EACH, "print", 9),
		waiver_of(RULE_SUBTREE, "parse", 9),
		waiver_of(RULE_MODULE, "parse", 9),
		waiver_of(RULE_TOTAL, "whole program", 9),
	};
	struct bench bench;

	bench_init(&bench, slower);
	CU_ASSERT_EQUAL(judge_with(&bench, waivers, 4), 1);
	CU_ASSERT_EQUAL(finding_about(&bench, "functions", "parse").status, STATUS_FAIL);
	bench_release(&bench);
}

static void
rules_are_waived_by_their_pattern(void)
{
	const struct gate_rule_spec rules[] = {
		{.kind = RULE_FUNCTION,
			.pattern = "pars*",
			.threshold = {.warn = NAN, .fail = 0.1},
			.max_share = 0.1},
		{.kind = RULE_SUBTREE,
			.pattern = "parse",
			.threshold = {.warn = NAN, .fail = 0.1},
			.max_share = NAN,
			.of = QUANTITY_TOTAL},
		{.kind = RULE_MODULE,
			.pattern = "[kernel]",
			.threshold = {.warn = NAN, .fail = 0.1},
			.max_share = NAN},
	};
	const struct waiver waivers[] = {
		waiver_of(RULE_EACH, "pars*", 9),
		waiver_of(RULE_SUBTREE, "parse", 9),
		waiver_of(RULE_MODULE, "[kernel]", 9),
		waiver_of(RULE_TOTAL, "whole program", 9),
	};
	const struct sampled functions[] = {{"parse", 3000, 4500}, {"print", 9000, 9000},
		{"copy", 9000, 9000}, {"vfs_read_[k]", 2000, 3000}, {NULL, 0, 0}};
	struct bench bench;

	bench_init(&bench, functions);
	bench.workload.gate.rules = rules;
	bench.workload.gate.nrules = 3;
	CU_ASSERT_EQUAL(judge_with(&bench, waivers, 4), 1);
	CU_ASSERT_PTR_EQUAL(finding_about(&bench, "rule", "pars*").waiver, &waivers[0]);
	CU_ASSERT_PTR_EQUAL(finding_about(&bench, "rule", "subtree parse").waiver, &waivers[1]);
	CU_ASSERT_PTR_EQUAL(finding_about(&bench, "rule", "module [kernel]").waiver, &waivers[2]);
	/* The functions of a module too. */
	CU_ASSERT_PTR_EQUAL(finding_about(&bench, "functions", "vfs_read_[k]").waiver, &waivers[2]);
	/* A budget is no growth. */
	CU_ASSERT_EQUAL(finding_about(&bench, "rule", "pars* (budget)").status, STATUS_FAIL);
	bench_release(&bench);
}

/* As a text: the pattern of the waiver matches that of the rule. */
static void
a_rule_is_waived_by_a_pattern_of_its_pattern(void)
{
	const struct gate_rule_spec rule = {.kind = RULE_FUNCTION,
		.pattern = "parse",
		.threshold = {.warn = NAN, .fail = 0.1},
		.max_share = NAN};
	const struct waiver near[] = {
		waiver_of(RULE_EACH, "pars?", 9), waiver_of(RULE_TOTAL, "whole program", 9)};
	const struct waiver far = waiver_of(RULE_EACH, "q*", 9);
	struct bench bench;

	bench_init(&bench, slower);
	bench.workload.gate.rules = &rule;
	bench.workload.gate.nrules = 1;
	CU_ASSERT_EQUAL(judge_with(&bench, near, 2), 0);
	CU_ASSERT_PTR_EQUAL(finding_about(&bench, "rule", "parse").waiver, &near[0]);
	judgement_release(&bench.judgement);
	CU_ASSERT_EQUAL(judge_with(&bench, &far, 1), 1);
	CU_ASSERT_EQUAL(finding_about(&bench, "rule", "parse").status, STATUS_FAIL);
	bench_release(&bench);
}

/* What becomes of a finding that fails for a function that is new. */
static enum status
status_of_new_with(struct bench *bench, const struct waiver *waiver)
{
	struct judgement *judgement = &bench->judgement;

	judge_with(bench, waiver, 1);
	struct test *test = test_about(bench, "extra");

	UNIT_NEED(test);
	test->evidence = (struct test_evidence){0};
	test->decision = decide(test, &judgement->criteria);
	CU_ASSERT_EQUAL(test->decision.status, STATUS_FAIL);
	waive_tests(judgement);
	enum status status = decide(test, &judgement->criteria).status;

	judgement_release(judgement);
	return status;
}

static void
new_functions_are_waived_by_their_share(void)
{
	const struct sampled functions[] = {
		{"parse", 3000, 3000}, {"print", 6000, 6000}, {"extra", 0, 1000}, {NULL, 0, 0}};
	const struct waiver enough = waiver_of(RULE_EACH, "extra", 0.11);
	const struct waiver exactly = waiver_of(RULE_EACH, "extra", 0.1);
	const struct waiver less = waiver_of(RULE_EACH, "extra", 0.09);
	struct bench bench;

	bench_init(&bench, functions);
	CU_ASSERT_EQUAL(status_of_new_with(&bench, &enough), STATUS_PASS);
	CU_ASSERT_EQUAL(status_of_new_with(&bench, &exactly), STATUS_PASS);
	CU_ASSERT_EQUAL(status_of_new_with(&bench, &less), STATUS_FAIL);
	bench_release(&bench);
}

static void
undecided_growth_is_not_waived(void)
{
	const struct waiver waiver = waiver_of(RULE_EACH, "*", 9);
	/* Too few samples to compare, in a share that matters. */
	const struct sampled functions[] = {{"parse", 3, 4}, {"print", 4, 4}, {NULL, 0, 0}};
	struct bench bench;

	bench_init(&bench, functions);
	CU_ASSERT_EQUAL(judge_with(&bench, &waiver, 1), 3);
	CU_ASSERT_EQUAL(finding_about(&bench, "functions", "parse").status, STATUS_WARN);
	/* Nor is it said that nothing needs the waiver. */
	UNIT_STR_EQ(finding_about(&bench, "waivers", "waiver of *").subject, "");
	bench_release(&bench);
}

void
suite_gate_waive(void)
{
	static const struct unit_case cases[] = {
		{"a_growth_that_is_accepted_passes_and_says_so",
			a_growth_that_is_accepted_passes_and_says_so},
		{"growth_that_is_part_of_an_accepted_one_is_accepted_with_it",
			growth_that_is_part_of_an_accepted_one_is_accepted_with_it},
		{"a_rest_above_the_threshold_is_not_accepted",
			a_rest_above_the_threshold_is_not_accepted},
		{"a_rest_that_may_be_noise_does_not_fail", a_rest_that_may_be_noise_does_not_fail},
		{"counts_at_what_is_accepted_are_accepted",
			counts_at_what_is_accepted_are_accepted},
		{"a_growth_beyond_what_is_accepted_stays", a_growth_beyond_what_is_accepted_stays},
		{"a_waiver_ends_with_its_last_day", a_waiver_ends_with_its_last_day},
		{"a_waiver_is_about_what_it_names_alone", a_waiver_is_about_what_it_names_alone},
		{"rules_are_waived_by_their_pattern", rules_are_waived_by_their_pattern},
		{"new_functions_are_waived_by_their_share",
			new_functions_are_waived_by_their_share},
		{"undecided_growth_is_not_waived", undecided_growth_is_not_waived},
		{"a_rule_is_waived_by_a_pattern_of_its_pattern",
			a_rule_is_waived_by_a_pattern_of_its_pattern},
		{NULL, NULL},
	};

	unit_suite("gate/waive", cases);
}
