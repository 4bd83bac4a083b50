#include "gate/rules.h"

#include "gate/judge_bench.h"
#include "unit.h"

void suite_gate_rule_named(void);

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
	bench.judgement.input.before = NULL;
	CU_ASSERT_EQUAL(judge(&bench), 1);
	CU_ASSERT_EQUAL(finding_about(&bench, "rule", "[unknown] (budget)").status, STATUS_FAIL);
	bench_release(&bench);
}

/* Functions are tested one by one, and calls only where calls were counted. */
static void
a_rule_comes_after_those_that_test_no_group(void)
{
	const struct gate_rule_spec rules[] = {
		{.kind = RULE_CALL,
			.pattern = "read",
			.threshold = {.warn = NAN, .fail = 0.15},
			.max_share = NAN},
		{.kind = RULE_EACH,
			.pattern = "print",
			.threshold = {.warn = NAN, .fail = 0.15},
			.max_share = NAN},
		{.kind = RULE_FUNCTION,
			.pattern = "p*e",
			.threshold = {.warn = NAN, .fail = 0.15},
			.max_share = NAN},
	};
	struct bench bench;

	bench_init(&bench, slower);
	bench.workload.gate.rules = rules;
	bench.workload.gate.nrules = 3;
	judge(&bench);
	const struct finding group = finding_about(&bench, "rule", "p*e");

	CU_ASSERT_EQUAL(group.status, STATUS_FAIL);
	UNIT_NEAR(group.effect.change, 0.5, 1e-9);
	UNIT_STR_EQ(finding_about(&bench, "rule", "call read").subject, "");
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
	UNIT_STR_EQ(finding_about(&bench, "functions", "parse.constprop.0").subject, "");
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
	UNIT_STR_EQ(finding_about(&bench, "functions", FRAME_TRUNCATED).subject, "");
	UNIT_STR_EQ(finding_about(&bench, "functions", FRAME_BROKEN).subject, "");
	UNIT_NEAR(finding_about(&bench, "rule", "* (budget)").effect.after_share, 0.625, 1e-12);
	CU_ASSERT_EQUAL(
		finding_about(&bench, "rule", "subtree [truncated] (budget)").status, STATUS_FAIL);
	bench_release(&bench);
}

static void
set_module(struct profile *profile, const char *function, const char *module)
{
	frame_id frame = profile_frame_text(profile, function, strlen(function));

	profile->frames.frames[frame].module =
		strtab_intern(&profile->strings, module, strlen(module));
}

static void
a_module_is_one_group(void)
{
	const struct sampled functions[] = {{"inflate", 1000, 1300}, {"deflate", 1000, 1300},
		{"print", 5000, 5000}, {"copy", 3000, 3000}, {NULL, 0, 0}};
	const struct gate_rule_spec rule = {
		.kind = RULE_MODULE,
		.pattern = "libz*",
		.threshold = {.warn = NAN, .fail = 0.15},
		.max_share = 0.2,
	};
	struct bench bench;

	bench_init(&bench, functions);
	/* A stored baseline knows of none: they are those of the candidate. */
	set_module(&bench.candidate, "inflate", "/usr/lib/libz.so.1");
	set_module(&bench.candidate, "deflate", "/usr/lib/libz.so.1");
	set_module(&bench.candidate, "print", "/bin/program");
	bench.workload.gate.rules = &rule;
	bench.workload.gate.nrules = 1;
	CU_ASSERT_EQUAL(judge(&bench), 1);
	struct finding group = finding_about(&bench, "rule", "module libz*");

	CU_ASSERT_EQUAL(group.status, STATUS_FAIL);
	CU_ASSERT_EQUAL(group.of, QUANTITY_SELF);
	UNIT_NEAR(group.effect.change, 0.3, 1e-9);
	UNIT_NEAR(group.effect.before_share, 0.2, 1e-12);
	CU_ASSERT_EQUAL(finding_about(&bench, "rule", "module libz* (budget)").status, STATUS_FAIL);
	bench_release(&bench);
}

/* "extra" costs 400 ms a run at the speed of the baseline's machine. */
static enum status
status_on_slower_machine(const struct gate_rule_spec *rule, double min_cost)
{
	static const struct sampled functions[] = {
		{"parse", 8000, 8000},
		{"print", 7200, 7200},
		{"extra", 0, 2000},
		{NULL, 0, 0},
	};
	struct bench bench;

	bench_init(&bench, functions);
	bench.workload.gate.total = (struct threshold){NAN, NAN};
	bench.workload.gate.new_functions = POLICY_FAIL;
	bench.workload.gate.min_cost = min_cost;
	bench.workload.gate.rules = rule;
	bench.workload.gate.nrules = 1;
	for (size_t i = 0; i < bench.candidate.nruns; i++)
		bench.candidate.runs[i].cost_total *= 2;
	judge(&bench);
	const enum status status = finding_about(&bench, "rule", "extra").status;

	/* As a function it is reported where it fails as a group. */
	CU_ASSERT_EQUAL(test_about(&bench, "extra") != NULL, status == STATUS_FAIL);
	bench_release(&bench);
	return status;
}

static void
a_new_group_is_judged_at_the_speed_of_the_machine_before(void)
{
	const struct gate_rule_spec rule = {
		.kind = RULE_FUNCTION,
		.pattern = "extra",
		.threshold = {.warn = NAN, .fail = 0.15},
		.max_share = NAN,
	};

	CU_ASSERT_EQUAL(status_on_slower_machine(&rule, 300e6), STATUS_FAIL);
	CU_ASSERT_NOT_EQUAL(status_on_slower_machine(&rule, 500e6), STATUS_FAIL);
}

void
suite_gate_rule_named(void)
{
	static const struct unit_case cases[] = {
		{"named_rules_test_groups_and_budgets", named_rules_test_groups_and_budgets},
		{"a_rule_comes_after_those_that_test_no_group",
			a_rule_comes_after_those_that_test_no_group},
		{"clones_are_one_function_with_a_rule_by_either_name",
			clones_are_one_function_with_a_rule_by_either_name},
		{"marks_of_incomplete_stacks_are_no_functions",
			marks_of_incomplete_stacks_are_no_functions},
		{"a_module_is_one_group", a_module_is_one_group},
		{"a_new_group_is_judged_at_the_speed_of_the_machine_before",
			a_new_group_is_judged_at_the_speed_of_the_machine_before},
		{NULL, NULL},
	};

	unit_suite("gate/rule_named", cases);
}
