#include "gate/rehearsal.h"

#include "gate/paired_bench.h"
#include "unit.h"

#include <math.h>

void suite_gate_rehearsal(void);

static void
rehearse(struct paired_bench *bench, size_t gate_pairs, size_t ngates, uint64_t seed,
	struct rehearsal *rehearsal)
{
	const struct rehearsal_workload workload = {&bench->judgement, gate_pairs};
	const struct rehearsal_options options = {ngates, seed};

	rehearsal_run(rehearsal, &workload, 1, &options);
}

static bool
same(const struct rehearsal *a, const struct rehearsal *b)
{
	return memcmp(a->whole, b->whole, sizeof(a->whole)) == 0 &&
	       memcmp(a->workloads[0], b->workloads[0], sizeof(a->workloads[0])) == 0;
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
one_build_rarely_fails_in_two_stages(void)
{
	struct paired_bench bench;
	struct rehearsal rehearsal;

	init(&bench, 20);
	rehearse(&bench, 10, 100, 1, &rehearsal);
	const struct rehearsal_tally *one = &rehearsal.whole[REHEARSAL_ONE_STAGE];
	const struct rehearsal_tally *two = &rehearsal.whole[REHEARSAL_TWO_STAGES];
	size_t sum = 0;

	CU_ASSERT_EQUAL(one->ngates, 100);
	CU_ASSERT_EQUAL(two->ngates, 100);
	for (int status = 0; status <= STATUS_ERROR; status++)
		sum += two->with[status];
	CU_ASSERT_EQUAL(sum, 100);
	CU_ASSERT_TRUE(two->with[STATUS_FAIL] <= 2);
	CU_ASSERT_TRUE(one->with[STATUS_FAIL] <= 12);
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
	CU_ASSERT_TRUE(rehearsal.whole[REHEARSAL_ONE_STAGE].with[STATUS_FAIL] <= 12);
	rehearsal_release(&rehearsal);
	paired_bench_release(&bench);
}

static void
a_stage_that_wants_more_pairs_than_there_are_is_left_out(void)
{
	struct paired_bench bench;
	struct rehearsal rehearsal;

	init(&bench, 12);
	rehearse(&bench, 7, 5, 1, &rehearsal);
	CU_ASSERT_EQUAL(rehearsal.whole[REHEARSAL_ONE_STAGE].ngates, 5);
	CU_ASSERT_EQUAL(rehearsal.whole[REHEARSAL_TWO_STAGES].ngates, 0);
	rehearsal_release(&rehearsal);
	rehearse(&bench, 13, 5, 1, &rehearsal);
	CU_ASSERT_EQUAL(rehearsal.whole[REHEARSAL_ONE_STAGE].ngates, 0);
	rehearsal_release(&rehearsal);
	rehearsal_run(&rehearsal, NULL, 0, &(struct rehearsal_options){5, 1});
	CU_ASSERT_EQUAL(rehearsal.whole[REHEARSAL_ONE_STAGE].ngates, 0);
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

/* Only the whole program is tested: of all gates a tenth fails by chance, a fifth is flagged. */
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

/* 3 SD about 20 of 200; of the flagged 40 a tenth or so fails again, by pairs of its own. */
static void
expect_few_alarms(const struct rehearsal_tally tallies[REHEARSAL_KINDS])
{
	const size_t one = tallies[REHEARSAL_ONE_STAGE].with[STATUS_FAIL];
	const size_t two = tallies[REHEARSAL_TWO_STAGES].with[STATUS_FAIL];

	CU_ASSERT(one >= 8 && one <= 32);
	CU_ASSERT(two >= 1 && two <= 10);
}

static void
fresh_pairs_confirm_few_false_alarms_and_none_is_waived(void)
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
	expect_few_alarms(rehearsal.whole);
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
	const struct rehearsal_options options = {200, 1};

	init_noisy(&benches[0], 20);
	init_noisy(&benches[1], 20);
	set_rule(&benches[1], &exceeded);
	for (size_t first = 0; first < 2; first++) {
		const struct rehearsal_workload workloads[] = {
			{&benches[first].judgement, 10}, {&benches[1 - first].judgement, 10}};
		struct rehearsal rehearsal;

		rehearsal_run(&rehearsal, workloads, 2, &options);
		for (int kind = 0; kind < REHEARSAL_KINDS; kind++) {
			CU_ASSERT_EQUAL(rehearsal.whole[kind].with[STATUS_FAIL], 200);
			CU_ASSERT_EQUAL(
				rehearsal.workloads[1 - first][kind].with[STATUS_FAIL], 200);
			CU_ASSERT_EQUAL(rehearsal.workloads[first][kind].ngates, 200);
		}
		/* The tests of both are corrected together. */
		const size_t few =
			rehearsal.workloads[first][REHEARSAL_TWO_STAGES].with[STATUS_FAIL];

		CU_ASSERT(few >= 1 && few <= 10);
		rehearsal_release(&rehearsal);
	}
	/* One of them has too few pairs for a second stage. */
	const struct rehearsal_workload fewer[] = {
		{&benches[0].judgement, 10}, {&benches[1].judgement, 11}};
	struct rehearsal rehearsal;

	rehearsal_run(&rehearsal, fewer, 2, &options);
	CU_ASSERT_EQUAL(rehearsal.whole[REHEARSAL_ONE_STAGE].ngates, 200);
	CU_ASSERT_EQUAL(rehearsal.whole[REHEARSAL_TWO_STAGES].ngates, 0);
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
	rehearse(&bench, 12, 50, 1, &rehearsal);
	CU_ASSERT_EQUAL(rehearsal.whole[REHEARSAL_ONE_STAGE].with[STATUS_PASS], 50);
	rehearsal_release(&rehearsal);
	set_cost_limit(&bench, 1.5499999e9);
	rehearse(&bench, 12, 50, 1, &rehearsal);
	CU_ASSERT_EQUAL(rehearsal.whole[REHEARSAL_ONE_STAGE].with[STATUS_WARN], 50);
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
	CU_ASSERT(flat.whole[REHEARSAL_ONE_STAGE].with[STATUS_FAIL] > 0);
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
	rehearse(&bench, 4, 100, 1, &rehearsal);
	const size_t with_it = rehearsal.whole[REHEARSAL_ONE_STAGE].with[STATUS_PASS];

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
		{"one_build_rarely_fails_in_two_stages", one_build_rarely_fails_in_two_stages},
		{"sides_are_swapped_pair_by_pair", sides_are_swapped_pair_by_pair},
		{"a_stage_that_wants_more_pairs_than_there_are_is_left_out",
			a_stage_that_wants_more_pairs_than_there_are_is_left_out},
		{"without_stacks_the_same_is_said", without_stacks_the_same_is_said},
		{"fresh_pairs_confirm_few_false_alarms_and_none_is_waived",
			fresh_pairs_confirm_few_false_alarms_and_none_is_waived},
		{"the_severest_workload_is_the_gates", the_severest_workload_is_the_gates},
		{"each_pair_is_dealt_once", each_pair_is_dealt_once},
		{"inlined_code_is_counted_alike", inlined_code_is_counted_alike},
		{"the_first_pair_is_dealt_as_often_as_any",
			the_first_pair_is_dealt_as_often_as_any},
		{NULL, NULL},
	};

	unit_suite("gate/rehearsal", cases);
}
