#include "gate/judge.h"

#include "compare/stats.h"
#include "gate/synthetic_gate.h"
#include "unit.h"

void suite_gate_judge(void);

/* A workload with its baseline and candidate, judged by judge(). */
struct bench {
	struct workload workload;
	struct baseline baseline;
	struct profile candidate;
	struct judgement judgement;
	enum status overall;
};

/* Runs with these samples of main;NAME; names and weights end with NULL. */
struct sampled {
	const char *name;
	double before;
	double after;
};

static void
add_runs(struct profile *profile, const struct sampled *functions, bool after, size_t nruns)
{
	for (size_t run = 0; run < nruns; run++) {
		size_t column = profile_add_run(profile);
		node_id root = ctree_child(
			&profile->tree, CTREE_ROOT, profile_frame(profile, "main", 4, FRAME_USER));
		double total = 0;

		for (const struct sampled *f = functions; f->name; f++) {
			frame_id frame = profile_frame_text(profile, f->name, strlen(f->name));
			double weight = after ? f->after : f->before;

			ctree_add(&profile->tree, column, ctree_child(&profile->tree, root, frame),
				weight);
			total += weight;
		}
		profile->runs[column].measured = true;
		profile->runs[column].samples = (uint64_t)total;
		profile->runs[column].expected_samples = total;
		profile->runs[column].cost_total = total * 2e5;
	}
}

static void
bench_init(struct bench *bench, const struct sampled *functions)
{
	*bench = (struct bench){.workload = {.name = "parse", .gate = synthetic_policy()}};
	profile_init(&bench->baseline.profile);
	profile_init(&bench->candidate);
	add_runs(&bench->baseline.profile, functions, false, 5);
	add_runs(&bench->candidate, functions, true, 5);
	bench->judgement = (struct judgement){
		.workload = &bench->workload,
		.candidate = &bench->candidate,
		.baseline = &bench->baseline,
		.machine_class = "x86_64-here",
		.program_hash = "aaaa",
	};
}

static void
bench_release(struct bench *bench)
{
	judgement_release(&bench->judgement);
	profile_release(&bench->baseline.profile);
	profile_release(&bench->candidate);
}

static int
judge(struct bench *bench)
{
	judge_gate(&bench->judgement, 1, &bench->overall);
	return judge_exit_code(&bench->judgement, 1);
}

/* The finding of this rule about this subject; a pass that says nothing if there is none. */
static struct finding
finding_about(const struct bench *bench, const char *rule, const char *subject)
{
	const struct verdict *verdict = &bench->judgement.verdict;

	for (size_t i = 0; i < verdict->nfindings; i++) {
		const struct finding *finding = &verdict->findings[i];

		if (strcmp(finding->rule, rule) == 0 && strcmp(finding->subject, subject) == 0)
			return *finding;
	}
	return finding_of("none", "");
}

static const struct sampled unchanged[] = {
	{"parse", 3000, 3000},
	{"print", 4000, 4000},
	{"copy", 3000, 3000},
	{NULL, 0, 0},
};

/* parse takes a half more; the rest is as it was. */
static const struct sampled slower[] = {
	{"parse", 3000, 4500},
	{"print", 4000, 4000},
	{"copy", 3000, 3000},
	{NULL, 0, 0},
};

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
		expm1((stats_t_quantile(0.05 / 4, INFINITY) + stats_t_quantile(0.05, INFINITY)) *
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

	UNIT_STR_EQ(first->rule, "functions");
	UNIT_STR_EQ(first->subject, "parse");
	UNIT_NEAR(first->effect.change, 0.5, 1e-9);
	UNIT_CONTAINS(first->reason, "15.0 % that fail");
	UNIT_CONTAINS(first->reason, "15.0 % of the whole program");
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
a_new_function_warns_and_a_gone_one_is_said(void)
{
	const struct sampled functions[] = {{"parse", 3000, 3000}, {"print", 4000, 4000},
		{"copy.old", 3000, 0}, {"copy.new", 0, 3000}, {NULL, 0, 0}};
	struct bench bench;

	bench_init(&bench, functions);
	CU_ASSERT_EQUAL(judge(&bench), 0);
	CU_ASSERT_EQUAL(finding_about(&bench, "functions", "copy.new").status, STATUS_WARN);
	UNIT_CONTAINS(finding_about(&bench, "functions", "copy.new").reason, "30.0 %");
	CU_ASSERT_EQUAL(finding_about(&bench, "functions", "copy.old").status, STATUS_PASS);
	UNIT_CONTAINS(finding_about(&bench, "functions", "copy.old").reason, "Gone");
	bench_release(&bench);
}

static void
an_error_is_not_a_pass(void)
{
	struct bench bench;

	bench_init(&bench, unchanged);
	bench.judgement.error = "the program exited with 3";
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
	enum status overall;

	bench_init(&bench[0], unchanged);
	bench_init(&bench[1], slower);
	both[0] = bench[0].judgement;
	both[1] = bench[1].judgement;
	both[0].error = "could not be built";
	judge_gate(both, 2, &overall);
	CU_ASSERT_EQUAL(overall, STATUS_FAIL);
	CU_ASSERT_EQUAL(judge_exit_code(both, 2), 1);
	judgement_release(&both[0]);
	judgement_release(&both[1]);
	bench_release(&bench[0]);
	bench_release(&bench[1]);
}

static void
a_missing_baseline_does_what_the_policy_says(void)
{
	const enum policy_action actions[] = {POLICY_PASS, POLICY_WARN, POLICY_FAIL};
	const enum status statuses[] = {STATUS_PASS, STATUS_WARN, STATUS_ERROR};
	const int exits[] = {0, 0, 2};

	for (int i = 0; i < 3; i++) {
		struct bench bench;

		bench_init(&bench, unchanged);
		bench.judgement.baseline = NULL;
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
	bench.judgement.baseline_is_of_other_machine = true;
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
	bench.judgement.candidate = NULL;
	CU_ASSERT_EQUAL(judge(&bench), 2);
	bench_release(&bench);

	bench_init(&bench, unchanged);
	profile_drop_runs(&bench.baseline.profile, 0);
	CU_ASSERT_EQUAL(judge(&bench), 3);
	bench_release(&bench);
}

/* Sizes that swing by 40 % from run to run cannot tell 15 %. */
static void
what_could_not_be_seen_is_inconclusive(void)
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
	CU_ASSERT_EQUAL(judge(&bench), 3);
	struct finding parse = finding_about(&bench, "functions", "parse");

	CU_ASSERT_EQUAL(parse.status, STATUS_INCONCLUSIVE);
	CU_ASSERT(parse.effect.detectable > parse.asked);
	CU_ASSERT(bench.judgement.verdict.detectable > 1);
	UNIT_CONTAINS(parse.reason, "could have been missed");
	UNIT_CONTAINS(parse.reason, "more or longer runs would tell");
	bench_release(&bench);
}

static void
named_rules_test_groups_and_budgets(void)
{
	const struct sampled functions[] = {{"parse_a", 1000, 1300}, {"parse_b", 1000, 1300},
		{"print", 5000, 5000}, {"[libc.so.6]", 3000, 3000}, {NULL, 0, 0}};
	const struct gate_rule_spec rules[] = {
		{.kind = RULE_FUNCTION,
			.pattern = "parse_*",
			.threshold = {.warn = NAN, .fail = 0.15},
			.max_share = NAN},
		{.kind = RULE_FUNCTION,
			.pattern = "[unknown]",
			.threshold = {.warn = NAN, .fail = NAN},
			.max_share = 0.05},
		{.kind = RULE_SUBTREE,
			.pattern = "main",
			.threshold = {.warn = NAN, .fail = NAN},
			.max_share = 1},
		{.kind = RULE_FUNCTION,
			.pattern = "nobody",
			.threshold = {.warn = 0.1, .fail = NAN},
			.max_share = NAN},
	};
	struct bench bench;

	bench_init(&bench, functions);
	bench.workload.gate.rules = rules;
	bench.workload.gate.nrules = 4;
	CU_ASSERT_EQUAL(judge(&bench), 1);
	struct finding group = finding_about(&bench, "rule", "parse_*");

	CU_ASSERT_EQUAL(group.status, STATUS_FAIL);
	UNIT_NEAR(group.effect.change, 0.3, 1e-9);
	UNIT_NEAR(group.effect.before_share, 0.2, 1e-12);
	CU_ASSERT_EQUAL(finding_about(&bench, "rule", "[unknown] (budget)").status, STATUS_FAIL);
	CU_ASSERT_EQUAL(finding_about(&bench, "rule", "subtree main (budget)").status, STATUS_PASS);
	CU_ASSERT_EQUAL(finding_about(&bench, "rule", "nobody").status, STATUS_PASS);
	judgement_release(&bench.judgement);

	/* Budgets hold without a baseline. */
	bench.judgement.baseline = NULL;
	CU_ASSERT_EQUAL(judge(&bench), 1);
	CU_ASSERT_EQUAL(finding_about(&bench, "rule", "[unknown] (budget)").status, STATUS_FAIL);
	bench_release(&bench);
}

/* The candidate's compiler made a clone of parse, and split print. */
static void
clones_are_one_function_with_a_rule_by_either_name(void)
{
	const struct sampled functions[] = {{"parse", 3000, 0}, {"parse.constprop.0", 0, 3000},
		{"print", 4000, 1000}, {"print.part.0", 0, 3000}, {"copy", 3000, 3000},
		{NULL, 0, 0}};
	const struct gate_rule_spec rules[] = {
		{.kind = RULE_FUNCTION,
			.pattern = "pars?",
			.threshold = {.warn = NAN, .fail = NAN},
			.max_share = 0.5},
		{.kind = RULE_FUNCTION,
			.pattern = "print.part.7",
			.threshold = {.warn = NAN, .fail = NAN},
			.max_share = 0.2},
	};
	struct bench bench;

	bench_init(&bench, functions);
	bench.workload.gate.rules = rules;
	bench.workload.gate.nrules = 2;
	CU_ASSERT_EQUAL(judge(&bench), 1);
	struct finding parse = finding_about(&bench, "functions", "parse");

	CU_ASSERT_EQUAL(parse.status, STATUS_PASS);
	CU_ASSERT_TRUE(parse.effect.tested);
	UNIT_NEAR(parse.effect.change, 0, 1e-12);
	UNIT_STR_EQ(finding_about(&bench, "functions", "parse.constprop.0").rule, "none");
	UNIT_NEAR(finding_about(&bench, "rule", "pars? (budget)").effect.after_share, 0.3, 1e-12);
	CU_ASSERT_EQUAL(finding_about(&bench, "rule", "print.part.7 (budget)").status, STATUS_FAIL);
	bench_release(&bench);
}

static void
marks_of_incomplete_stacks_are_no_functions(void)
{
	const struct sampled functions[] = {{"parse", 5000, 5000}, {"print", 5000, 5000},
		{FRAME_TRUNCATED, 0, 3000}, {FRAME_BROKEN, 1000, 3000}, {NULL, 0, 0}};
	const struct gate_rule_spec rules[] = {
		{.kind = RULE_FUNCTION,
			.pattern = "*",
			.threshold = {.warn = NAN, .fail = NAN},
			.max_share = 0.9},
		{.kind = RULE_SUBTREE,
			.pattern = FRAME_TRUNCATED,
			.threshold = {.warn = NAN, .fail = NAN},
			.max_share = 0.05},
	};
	struct bench bench;

	bench_init(&bench, functions);
	bench.workload.gate.rules = rules;
	bench.workload.gate.nrules = 2;
	judge(&bench);
	UNIT_STR_EQ(finding_about(&bench, "functions", FRAME_TRUNCATED).rule, "none");
	UNIT_STR_EQ(finding_about(&bench, "functions", FRAME_BROKEN).rule, "none");
	UNIT_NEAR(finding_about(&bench, "rule", "* (budget)").effect.after_share, 0.625, 1e-12);
	CU_ASSERT_EQUAL(
		finding_about(&bench, "rule", "subtree [truncated] (budget)").status, STATUS_FAIL);
	bench_release(&bench);
}

static void
every_rule_has_a_name_and_a_summary(void)
{
	for (size_t i = 0; gate_rules[i]; i++) {
		CU_ASSERT(strlen(gate_rules[i]->name) > 0);
		CU_ASSERT(strlen(gate_rules[i]->summary) > 0);
		CU_ASSERT_PTR_NOT_NULL(gate_rules[i]->apply);
		for (size_t k = 0; k < i; k++)
			CU_ASSERT_STRING_NOT_EQUAL(gate_rules[i]->name, gate_rules[k]->name);
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
		{"a_new_function_warns_and_a_gone_one_is_said",
			a_new_function_warns_and_a_gone_one_is_said},
		{"an_error_is_not_a_pass", an_error_is_not_a_pass},
		{"a_regression_comes_before_an_error", a_regression_comes_before_an_error},
		{"a_missing_baseline_does_what_the_policy_says",
			a_missing_baseline_does_what_the_policy_says},
		{"another_machine_warns_at_most", another_machine_warns_at_most},
		{"a_changed_workload_makes_the_baseline_stale",
			a_changed_workload_makes_the_baseline_stale},
		{"a_changed_program_is_judged_all_the_same",
			a_changed_program_is_judged_all_the_same},
		{"poor_runs_are_inconclusive", poor_runs_are_inconclusive},
		{"too_few_runs_or_samples_are_inconclusive",
			too_few_runs_or_samples_are_inconclusive},
		{"no_run_at_all_is_an_error", no_run_at_all_is_an_error},
		{"what_could_not_be_seen_is_inconclusive", what_could_not_be_seen_is_inconclusive},
		{"named_rules_test_groups_and_budgets", named_rules_test_groups_and_budgets},
		{"clones_are_one_function_with_a_rule_by_either_name",
			clones_are_one_function_with_a_rule_by_either_name},
		{"marks_of_incomplete_stacks_are_no_functions",
			marks_of_incomplete_stacks_are_no_functions},
		{"every_rule_has_a_name_and_a_summary", every_rule_has_a_name_and_a_summary},
		{NULL, NULL},
	};

	unit_suite("gate/judge", cases);
}
