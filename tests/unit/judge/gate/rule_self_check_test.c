#include "gate/rules.h"

#include "gate/paired_bench.h"
#include "unit.h"

void suite_gate_rule_self_check(void);

/* Costs of this run of a side grow by `factor`, with the samples of all its functions. */
static void
slow_down_side(struct paired_bench *bench, int side, size_t column, double factor)
{
	struct profile *profile = &bench->pairs.sides[side];
	struct ctree *tree = &profile->tree;

	for (size_t i = 0; i < bench->program.nfunctions; i++) {
		node_id node = bench->pairs.nodes[side][i];

		ctree_set(tree, column, node, ctree_weight(tree, column, node) * factor);
	}
	profile->runs[column].cost_total *= factor;
}

static void
slow_down(struct paired_bench *bench, size_t column, double factor)
{
	slow_down_side(bench, 0, column, factor);
}

/* In the order 1 2, 4 3, 5 6, 8 7, ...: the first of each, or all that come late, are slower. */
static void
make_base_differ(struct paired_bench *bench, double factor)
{
	for (size_t i = 0; i < bench->pairs.npairs; i += 2)
		slow_down(bench, i / 2 % 2 == 0 ? i : i + 1, factor);
}

static void
init(struct paired_bench *bench, size_t npairs, double growth_of_f00)
{
	struct synthetic program = synthetic_program(10);
	double factor[SYNTHETIC_MAX];

	program.run_noise = 0.003;
	for (size_t i = 0; i < SYNTHETIC_MAX; i++)
		factor[i] = i == 0 ? growth_of_f00 : 1;
	paired_bench_init(bench, &program, npairs, factor);
}

static void
a_base_that_agrees_with_itself_passes(void)
{
	struct paired_bench bench;

	init(&bench, 12, 1);
	bench.policy.self_check = POLICY_FAIL;
	paired_bench_judge(&bench);
	const struct finding *finding = paired_bench_finding(&bench, "self check", "base runs");

	UNIT_NEED(finding);
	CU_ASSERT_EQUAL(finding->status, STATUS_PASS);
	UNIT_CONTAINS(finding->reason, "12 runs of the base");
	CU_ASSERT_FALSE(finding->effect.tested);
	paired_bench_release(&bench);
}

static void
a_base_that_differs_from_itself_does_what_the_policy_says(void)
{
	const enum policy_action actions[] = {POLICY_WARN, POLICY_FAIL};
	const enum status statuses[] = {STATUS_WARN, STATUS_INCONCLUSIVE};

	for (int i = 0; i < 2; i++) {
		struct paired_bench bench;

		init(&bench, 12, 1);
		make_base_differ(&bench, 1.2);
		bench.policy.self_check = actions[i];
		paired_bench_judge(&bench);
		const struct finding *finding =
			paired_bench_finding(&bench, "self check", "whole program");

		UNIT_NEED(finding);
		CU_ASSERT_EQUAL(finding->status, statuses[i]);
		UNIT_CONTAINS(finding->reason, "Runs of the same build differ");
		paired_bench_release(&bench);
	}
}

static void
it_differs_in_either_direction(void)
{
	struct paired_bench bench;

	init(&bench, 12, 1);
	make_base_differ(&bench, 0.8);
	bench.policy.self_check = POLICY_WARN;
	paired_bench_judge(&bench);
	CU_ASSERT_PTR_NOT_NULL(paired_bench_finding(&bench, "self check", "whole program"));
	paired_bench_release(&bench);
}

static void
a_drift_at_an_even_rate_is_no_difference(void)
{
	struct paired_bench bench;

	init(&bench, 12, 1);
	for (size_t i = 0; i < 12; i++)
		slow_down(&bench, i, 1 + 0.03 * (double)i);
	bench.policy.self_check = POLICY_FAIL;
	paired_bench_judge(&bench);
	CU_ASSERT_PTR_NOT_NULL(paired_bench_finding(&bench, "self check", "base runs"));
	paired_bench_release(&bench);
}

/* Neighbours are those of the pairs' numbers, in whatever order the runs are stored. */
static void
runs_are_compared_in_the_order_of_time(void)
{
	struct paired_bench bench;

	init(&bench, 12, 1);
	for (size_t i = 0; i < 12; i++) {
		const uint32_t pair = (uint32_t)(i * 5 % 12);

		for (int side = 0; side < 2; side++) {
			bench.pairs.sides[side].runs[i].pair = pair + 1;
			slow_down_side(&bench, side, i, 1 + 0.03 * pair);
		}
	}
	bench.policy.self_check = POLICY_FAIL;
	paired_bench_judge(&bench);
	CU_ASSERT_PTR_NOT_NULL(paired_bench_finding(&bench, "self check", "base runs"));
	paired_bench_release(&bench);
}

/* As above, but they differ: in the order of storing, both of a pair would be slow, or neither. */
static void
runs_that_differ_do_so_in_the_order_of_time(void)
{
	struct paired_bench bench;

	init(&bench, 12, 1);
	for (size_t i = 0; i < 12; i++) {
		const uint32_t pair = (uint32_t)(i * 7 % 12);

		for (int side = 0; side < 2; side++)
			bench.pairs.sides[side].runs[i].pair = pair + 1;
		if (pair % 4 == 0 || pair % 4 == 3)
			slow_down(&bench, i, 1.2);
	}
	bench.policy.self_check = POLICY_WARN;
	paired_bench_judge(&bench);
	CU_ASSERT_PTR_NOT_NULL(paired_bench_finding(&bench, "self check", "whole program"));
	paired_bench_release(&bench);
}

static void
a_function_that_differs_is_named(void)
{
	struct paired_bench bench;

	init(&bench, 12, 1);
	for (size_t i = 0; i < 12; i += 2) {
		struct profile *base = &bench.pairs.sides[0];
		const size_t column = i / 2 % 2 == 0 ? i : i + 1;
		const node_id node = bench.pairs.nodes[0][0];

		ctree_set(&base->tree, column, node, ctree_weight(&base->tree, column, node) * 1.3);
	}
	bench.policy.self_check = POLICY_WARN;
	paired_bench_judge(&bench);
	const struct finding *finding = paired_bench_finding(&bench, "self check", "f00");

	UNIT_NEED(finding);
	CU_ASSERT_EQUAL(finding->status, STATUS_WARN);
	UNIT_CONTAINS(finding->reason,
		"Runs of the same build differ by more than the 3.0 % threshold (+");
	paired_bench_release(&bench);
}

static void
without_growth_a_silent_check_says_nothing(void)
{
	struct paired_bench bench;

	init(&bench, 12, 1);
	bench.policy.functions = bench.policy.total = (struct threshold){.warn = 0.1, .fail = 0.1};
	for (size_t i = 0; i < 12; i += 2)
		for (int side = 0; side < 2; side++)
			slow_down_side(&bench, side, i / 2 % 2 == 0 ? i : i + 1, 1.3);
	paired_bench_judge(&bench);
	CU_ASSERT_EQUAL(bench.overall, STATUS_PASS);
	CU_ASSERT_PTR_NULL(paired_bench_finding(&bench, "self check", "whole program"));
	bench.policy.self_check = POLICY_WARN;
	paired_bench_judge(&bench);
	CU_ASSERT_PTR_NOT_NULL(paired_bench_finding(&bench, "self check", "whole program"));
	paired_bench_release(&bench);
}

static void
six_runs_are_enough(void)
{
	struct paired_bench bench;

	init(&bench, 6, 1);
	bench.policy.self_check = POLICY_FAIL;
	paired_bench_judge(&bench);
	const struct finding *finding = paired_bench_finding(&bench, "self check", "base runs");

	UNIT_NEED(finding);
	CU_ASSERT_EQUAL(finding->status, STATUS_PASS);
	UNIT_STR_EQ(finding->reason,
		"6 runs of the base, compared with one another, differ by less than would fail.");
	paired_bench_release(&bench);
}

/* The base has both speeds, so that the growth is above both. */
static void
growth_that_would_fail_is_inconclusive_where_the_base_differs(void)
{
	struct paired_bench bench;

	for (int differs = 0; differs < 2; differs++) {
		init(&bench, 20, 2);
		if (differs)
			make_base_differ(&bench, 1.2);
		bench.policy.self_check = POLICY_FAIL;
		paired_bench_judge(&bench);
		const struct finding *finding = paired_bench_finding(&bench, "functions", "f00");

		UNIT_NEED(finding);
		CU_ASSERT_EQUAL(finding->status, differs ? STATUS_INCONCLUSIVE : STATUS_FAIL);
		CU_ASSERT_EQUAL(judge_exit_code(&(struct judgement *){&bench.judgement}, 1),
			differs ? 3 : 1);
		CU_ASSERT_EQUAL(
			strstr(finding->reason, "runs of one build differ") != NULL, differs);
		paired_bench_release(&bench);
	}
}

static void
where_it_may_only_be_said_it_is_looked_at_with_growth_alone(void)
{
	struct paired_bench bench;

	init(&bench, 12, 2);
	make_base_differ(&bench, 1.2);
	paired_bench_judge(&bench);
	const struct finding *finding = paired_bench_finding(&bench, "self check", "whole program");

	UNIT_NEED(finding);
	CU_ASSERT_EQUAL(finding->status, STATUS_PASS);
	CU_ASSERT_EQUAL(bench.overall, STATUS_FAIL);
	paired_bench_release(&bench);

	init(&bench, 20, 1);
	bench.policy.total = bench.policy.functions = (struct threshold){.warn = 0.2, .fail = 0.5};
	paired_bench_judge(&bench);
	CU_ASSERT_EQUAL(bench.overall, STATUS_PASS);
	CU_ASSERT_PTR_NULL(paired_bench_finding(&bench, "self check", "base runs"));
	paired_bench_release(&bench);
}

static void
fewer_than_six_runs_cannot_be_checked(void)
{
	struct paired_bench bench;

	init(&bench, 5, 1);
	bench.policy.self_check = POLICY_FAIL;
	paired_bench_judge(&bench);
	const struct finding *finding = paired_bench_finding(&bench, "self check", "base runs");

	UNIT_NEED(finding);
	CU_ASSERT_EQUAL(finding->status, STATUS_INCONCLUSIVE);
	UNIT_CONTAINS(finding->reason, "at least 6");
	paired_bench_release(&bench);
}

static void
stored_baselines_are_not_checked(void)
{
	struct paired_bench bench;

	init(&bench, 12, 1);
	bench.policy.self_check = POLICY_FAIL;
	paired_bench_judge(&bench);
	bench.judgement.input.mode = GATE_STORED;
	judgement_release(&bench.judgement);
	judge_gate(&(struct judgement *){&bench.judgement}, 1, &bench.overall);
	CU_ASSERT_PTR_NULL(paired_bench_finding(&bench, "self check", "base runs"));
	paired_bench_release(&bench);
}

/* At the nominal rate of 5 % of 200 checks, 10 are expected, and 3 SD more are 19. */
static void
a_check_errs_no_more_often_than_alpha(void)
{
	struct synthetic program = synthetic_program(15);
	struct paired_bench bench;
	struct rng rng = {.state = 5};
	int found = 0;

	paired_bench_init(&bench, &program, 10, NULL);
	bench.policy.self_check = POLICY_WARN;
	for (int i = 0; i < 200; i++) {
		synthetic_draw_pairs(&bench.pairs, &program, NULL, &rng);
		paired_bench_judge(&bench);
		found += paired_bench_finding(&bench, "self check", "base runs") == NULL;
	}
	CU_ASSERT_TRUE(found <= 19);
	paired_bench_release(&bench);
}

void
suite_gate_rule_self_check(void)
{
	static const struct unit_case cases[] = {
		{"a_base_that_agrees_with_itself_passes", a_base_that_agrees_with_itself_passes},
		{"a_base_that_differs_from_itself_does_what_the_policy_says",
			a_base_that_differs_from_itself_does_what_the_policy_says},
		{"it_differs_in_either_direction", it_differs_in_either_direction},
		{"a_drift_at_an_even_rate_is_no_difference",
			a_drift_at_an_even_rate_is_no_difference},
		{"growth_that_would_fail_is_inconclusive_where_the_base_differs",
			growth_that_would_fail_is_inconclusive_where_the_base_differs},
		{"where_it_may_only_be_said_it_is_looked_at_with_growth_alone",
			where_it_may_only_be_said_it_is_looked_at_with_growth_alone},
		{"fewer_than_six_runs_cannot_be_checked", fewer_than_six_runs_cannot_be_checked},
		{"stored_baselines_are_not_checked", stored_baselines_are_not_checked},
		{"a_check_errs_no_more_often_than_alpha", a_check_errs_no_more_often_than_alpha},
		{"runs_are_compared_in_the_order_of_time", runs_are_compared_in_the_order_of_time},
		{"runs_that_differ_do_so_in_the_order_of_time",
			runs_that_differ_do_so_in_the_order_of_time},
		{"a_function_that_differs_is_named", a_function_that_differs_is_named},
		{"without_growth_a_silent_check_says_nothing",
			without_growth_a_silent_check_says_nothing},
		{"six_runs_are_enough", six_runs_are_enough},
		{NULL, NULL},
	};

	unit_suite("gate/rule_self_check", cases);
}
