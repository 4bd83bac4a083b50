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
		{NULL, NULL},
	};

	unit_suite("gate/rehearsal", cases);
}
