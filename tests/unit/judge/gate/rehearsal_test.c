#include "gate/rehearsal.h"

#include "gate/paired_bench.h"
#include "unit.h"

#include <math.h>

#define MOST_RUNS 30

void suite_gate_rehearsal(void);

static void
rehearse(struct paired_bench *bench, unsigned runs, size_t ngates, uint64_t seed,
	struct rehearsal *rehearsal)
{
	const struct rehearsal_workload workload = {&bench->judgement, runs, MOST_RUNS};
	const struct rehearsal_options options = {.ngates = ngates, .seed = seed};

	rehearsal_run(rehearsal, &workload, 1, &options);
}

static bool
same(const struct rehearsal *a, const struct rehearsal *b)
{
	return memcmp(&a->whole, &b->whole, sizeof(a->whole)) == 0 &&
	       memcmp(&a->workloads[0], &b->workloads[0], sizeof(a->workloads[0])) == 0;
}

static void
init(struct paired_bench *bench, size_t npairs)
{
	const struct synthetic program = synthetic_program(20);

	paired_bench_init(bench, &program, npairs, NULL);
	paired_bench_judge(bench);
}

static void
a_seed_tells_all_that_is_dealt(void)
{
	struct paired_bench bench;
	struct rehearsal first;
	struct rehearsal second;
	struct rehearsal other;

	init(&bench, 20);
	/* So that something happens. */
	bench.policy.functions = (struct threshold){.warn = 0.001, .fail = 0.002};
	bench.policy.alpha = 0.3;
	rehearse(&bench, 8, 100, 1, &first);
	rehearse(&bench, 8, 100, 1, &second);
	rehearse(&bench, 8, 100, 2, &other);
	CU_ASSERT_TRUE(same(&first, &second));
	CU_ASSERT_FALSE(same(&first, &other));
	rehearsal_release(&first);
	rehearsal_release(&second);
	rehearsal_release(&other);
	paired_bench_release(&bench);
}

static void
one_build_rarely_fails_and_ends_early(void)
{
	struct paired_bench bench;
	struct rehearsal rehearsal;

	init(&bench, 20);
	rehearse(&bench, 10, 100, 1, &rehearsal);
	const struct rehearsal_tally *tally = &rehearsal.whole;
	size_t sum = 0;

	CU_ASSERT_EQUAL(tally->ngates, 100);
	for (int status = 0; status <= STATUS_ERROR; status++)
		sum += tally->with[status];
	CU_ASSERT_EQUAL(sum, 100);
	CU_ASSERT_TRUE(tally->with[STATUS_FAIL] <= 2);
	/* The first look is after three fifths of the runs, and the last with all pairs. */
	CU_ASSERT_EQUAL(rehearsal.first, 6);
	CU_ASSERT(tally->npairs >= 600 && tally->npairs < 2000);
	rehearsal_release(&rehearsal);
	paired_bench_release(&bench);
}

/* Three times the first block, unless there is a budget. */
static void
without_a_budget_a_gate_takes_three_times_its_first_block(void)
{
	struct paired_bench bench;
	struct rehearsal rehearsal;

	init(&bench, 30);
	/* Nothing can be decided: all gates take what they may. */
	bench.policy.functions = bench.policy.total =
		(struct threshold){.warn = 1e-6, .fail = 1e-5};
	const struct rehearsal_workload workload = {&bench.judgement, 10, MOST_RUNS};
	struct rehearsal_options options = {.ngates = 20, .seed = 1, .default_time = true};

	bench.policy.alpha = 1e-9;
	rehearsal_run(&rehearsal, &workload, 1, &options);
	CU_ASSERT(rehearsal.whole.npairs <= 360);
	rehearsal_release(&rehearsal);
	paired_bench_release(&bench);
}

/* What is different for good between two builds is spread over both sides here. */
static void
sides_are_swapped_pair_by_pair(void)
{
	const struct synthetic program = synthetic_program(5);
	struct paired_bench bench;
	struct rehearsal rehearsal;
	double factor[SYNTHETIC_MAX];

	for (size_t i = 0; i < SYNTHETIC_MAX; i++)
		factor[i] = 1.3;
	paired_bench_init(&bench, &program, 16, factor);
	paired_bench_judge(&bench);
	CU_ASSERT_EQUAL(bench.overall, STATUS_FAIL);
	rehearse(&bench, 16, 100, 1, &rehearsal);
	CU_ASSERT_TRUE(rehearsal.whole.with[STATUS_FAIL] <= 12);
	rehearsal_release(&rehearsal);
	paired_bench_release(&bench);
}

static void
a_first_look_that_wants_more_pairs_than_there_are_is_left_out(void)
{
	struct paired_bench bench;
	struct rehearsal rehearsal;

	init(&bench, 12);
	rehearse(&bench, 20, 5, 1, &rehearsal);
	CU_ASSERT_EQUAL(rehearsal.whole.ngates, 5);
	CU_ASSERT_EQUAL(rehearsal.first, 12);
	CU_ASSERT_EQUAL(rehearsal.whole.npairs, 60);
	rehearsal_release(&rehearsal);
	rehearse(&bench, 21, 5, 1, &rehearsal);
	CU_ASSERT_EQUAL(rehearsal.whole.ngates, 0);
	CU_ASSERT_EQUAL(rehearsal.first, 13);
	rehearsal_release(&rehearsal);
	rehearsal_run(&rehearsal, NULL, 0, &(struct rehearsal_options){.ngates = 5, .seed = 1});
	CU_ASSERT_EQUAL(rehearsal.whole.ngates, 0);
	rehearsal_release(&rehearsal);
	paired_bench_release(&bench);
}

/* A rule without a threshold tests nothing, but its budget is about what the function calls. */
static void
without_stacks_the_same_is_said(void)
{
	static const struct gate_rule_spec rule = {
		.pattern = "f0*",
		.threshold = {NAN, NAN},
		.max_share = 1,
		.max_cost = NAN,
		.kind = RULE_FUNCTION,
		.of = QUANTITY_TOTAL,
		.file = "work.yaml",
	};
	struct paired_bench bench;
	struct rehearsal flat;
	struct rehearsal whole;

	init(&bench, 20);
	bench.policy.functions = (struct threshold){.warn = 0.001, .fail = 0.002};
	bench.policy.alpha = 0.3;
	rehearse(&bench, 10, 40, 7, &flat);
	bench.policy.rules = &rule;
	bench.policy.nrules = 1;
	rehearse(&bench, 10, 40, 7, &whole);
	CU_ASSERT_TRUE(same(&flat, &whole));
	rehearsal_release(&flat);
	rehearsal_release(&whole);
	/* Again, as of one that is empty. */
	rehearsal_release(&whole);
	paired_bench_release(&bench);
}

/* Only the whole program is tested: a tenth or so of all gates fails by chance. */
static void
init_noisy(struct paired_bench *bench, size_t npairs)
{
	const struct synthetic program = synthetic_program(1);

	paired_bench_init(bench, &program, npairs, NULL);
	bench->policy.functions = bench->policy.total =
		(struct threshold){.warn = 0.0001, .fail = 0.0002};
	bench->policy.alpha = 0.4;
	paired_bench_judge(bench);
}

static void
false_alarms_are_within_alpha_and_none_is_waived(void)
{
	const struct waiver waivers[] = {
		{.pattern = "*", .max_effect = 9, .expires = 1, .kind = RULE_EACH},
		{.pattern = "whole program", .max_effect = 9, .expires = 1, .kind = RULE_TOTAL},
	};
	struct paired_bench bench;
	struct rehearsal rehearsal;

	init_noisy(&bench, 20);
	bench.policy.waivers_list = waivers;
	bench.policy.nwaivers = 2;
	rehearse(&bench, 10, 200, 1, &rehearsal);
	/* At most half of the two-sided 0.4, with 3 SD. */
	CU_ASSERT(rehearsal.whole.with[STATUS_FAIL] >= 8);
	CU_ASSERT(rehearsal.whole.with[STATUS_FAIL] <= 40 + 17);
	rehearsal_release(&rehearsal);
	paired_bench_release(&bench);
}

/* A budget that is always exceeded, and nothing else that is judged. */
static const struct gate_rule_spec exceeded = {
	.pattern = "main",
	.threshold = {NAN, NAN},
	.max_share = 0.5,
	.max_cost = NAN,
	.kind = RULE_SUBTREE,
	.file = "work.yaml",
};

static void
set_rule(struct paired_bench *bench, const struct gate_rule_spec *rule)
{
	bench->policy.functions = bench->policy.total = (struct threshold){NAN, NAN};
	bench->policy.rules = rule;
	bench->policy.nrules = 1;
}

static void
the_severest_workload_is_the_gates(void)
{
	struct paired_bench benches[2];
	const struct rehearsal_options options = {.ngates = 200, .seed = 1};

	init_noisy(&benches[0], 20);
	init_noisy(&benches[1], 20);
	set_rule(&benches[1], &exceeded);
	for (size_t first = 0; first < 2; first++) {
		const struct rehearsal_workload workloads[] = {
			{&benches[first].judgement, 10, MOST_RUNS},
			{&benches[1 - first].judgement, 10, MOST_RUNS}};
		struct rehearsal rehearsal;

		rehearsal_run(&rehearsal, workloads, 2, &options);
		CU_ASSERT_EQUAL(rehearsal.whole.with[STATUS_FAIL], 200);
		CU_ASSERT_EQUAL(rehearsal.workloads[1 - first].with[STATUS_FAIL], 200);
		CU_ASSERT_EQUAL(rehearsal.workloads[first].ngates, 200);
		CU_ASSERT_EQUAL(rehearsal.whole.npairs,
			rehearsal.workloads[0].npairs + rehearsal.workloads[1].npairs);
		/* Alpha is split over both. */
		const size_t few = rehearsal.workloads[first].with[STATUS_FAIL];

		CU_ASSERT(few >= 1 && few <= 20 + 13);
		rehearsal_release(&rehearsal);
	}
	/* One of them has too few pairs for its first look. */
	const struct rehearsal_workload fewer[] = {
		{&benches[0].judgement, 10, MOST_RUNS}, {&benches[1].judgement, 50, 100}};
	struct rehearsal rehearsal;

	rehearsal_run(&rehearsal, fewer, 2, &options);
	CU_ASSERT_EQUAL(rehearsal.whole.ngates, 0);
	CU_ASSERT_EQUAL(rehearsal.first, 30);
	rehearsal_release(&rehearsal);
	for (size_t i = 0; i < 2; i++)
		paired_bench_release(&benches[i]);
}

/* A limit for the cost of everything, in ns. */
static void
set_cost_limit(struct paired_bench *bench, double max_cost)
{
	static struct gate_rule_spec rule;

	rule = exceeded;
	rule.kind = RULE_FUNCTION;
	rule.pattern = "*";
	rule.max_share = NAN;
	rule.max_cost = max_cost;
	set_rule(bench, &rule);
}

/* Pairs of 1, 1.1, 1.2 ... s: where each is dealt once, their mean is always the same. */
static void
each_pair_is_dealt_once(void)
{
	struct paired_bench bench;
	struct rehearsal rehearsal;

	init(&bench, 12);
	for (size_t i = 0; i < 12; i++)
		for (int side = 0; side < 2; side++)
			bench.pairs.sides[side].runs[i].cost_total = 1e9 + 1e8 * (double)i;
	set_cost_limit(&bench, 1.5500001e9);
	rehearse(&bench, 20, 50, 1, &rehearsal);
	CU_ASSERT_EQUAL(rehearsal.whole.with[STATUS_PASS], 50);
	rehearsal_release(&rehearsal);
	set_cost_limit(&bench, 1.5499999e9);
	rehearse(&bench, 20, 50, 1, &rehearsal);
	CU_ASSERT_EQUAL(rehearsal.whole.with[STATUS_WARN], 50);
	rehearsal_release(&rehearsal);
	paired_bench_release(&bench);
}

/* Code that was inlined counts for the function that holds it, with stacks and without. */
static void
inlined_code_is_counted_alike(void)
{
	struct gate_rule_spec rule = exceeded;
	struct paired_bench bench;
	struct rehearsal flat;
	struct rehearsal whole;
	struct rng rng = {.state = 5};

	init(&bench, 20);
	for (int side = 0; side < 2; side++) {
		struct profile *profile = &bench.pairs.sides[side];
		node_id inlined = ctree_child(&profile->tree, bench.pairs.nodes[side][0],
			profile_frame(profile, "helper", 6, FRAME_INLINED));

		for (size_t i = 0; i < 20; i++)
			ctree_add(&profile->tree, i, inlined, 1000 * (1 + rng_uniform(&rng)));
	}
	paired_bench_judge(&bench);
	bench.policy.functions = (struct threshold){.warn = 0.001, .fail = 0.002};
	bench.policy.total = (struct threshold){NAN, NAN};
	bench.policy.alpha = 0.9;
	rehearse(&bench, 10, 40, 7, &flat);
	CU_ASSERT(flat.whole.with[STATUS_FAIL] > 0);
	rule.max_share = 1;
	bench.policy.rules = &rule;
	bench.policy.nrules = 1;
	rehearse(&bench, 10, 40, 7, &whole);
	CU_ASSERT_TRUE(same(&flat, &whole));
	rehearsal_release(&flat);
	rehearsal_release(&whole);
	paired_bench_release(&bench);
}

/* The first pair costs 1 s, the others 10 s: a third of the gates have it, which 4 of 12 make. */
static void
the_first_pair_is_dealt_as_often_as_any(void)
{
	struct paired_bench bench;
	struct rehearsal rehearsal;

	init(&bench, 12);
	for (size_t i = 0; i < 12; i++)
		for (int side = 0; side < 2; side++)
			bench.pairs.sides[side].runs[i].cost_total = i == 0 ? 1e9 : 10e9;
	set_cost_limit(&bench, 9e9);
	rehearse(&bench, 8, 100, 1, &rehearsal);
	const size_t with_it = rehearsal.whole.with[STATUS_PASS];

	/* 3 SD of 4.7. */
	CU_ASSERT(with_it >= 20 && with_it <= 47);
	rehearsal_release(&rehearsal);
	paired_bench_release(&bench);
}

void
suite_gate_rehearsal(void)
{
	static const struct unit_case cases[] = {
		{"a_seed_tells_all_that_is_dealt", a_seed_tells_all_that_is_dealt},
		{"one_build_rarely_fails_and_ends_early", one_build_rarely_fails_and_ends_early},
		{"without_a_budget_a_gate_takes_three_times_its_first_block",
			without_a_budget_a_gate_takes_three_times_its_first_block},
		{"sides_are_swapped_pair_by_pair", sides_are_swapped_pair_by_pair},
		{"a_first_look_that_wants_more_pairs_than_there_are_is_left_out",
			a_first_look_that_wants_more_pairs_than_there_are_is_left_out},
		{"without_stacks_the_same_is_said", without_stacks_the_same_is_said},
		{"false_alarms_are_within_alpha_and_none_is_waived",
			false_alarms_are_within_alpha_and_none_is_waived},
		{"the_severest_workload_is_the_gates", the_severest_workload_is_the_gates},
		{"each_pair_is_dealt_once", each_pair_is_dealt_once},
		{"inlined_code_is_counted_alike", inlined_code_is_counted_alike},
		{"the_first_pair_is_dealt_as_often_as_any",
			the_first_pair_is_dealt_as_often_as_any},
		{NULL, NULL},
	};

	unit_suite("gate/rehearsal", cases);
}
