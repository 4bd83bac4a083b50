/*
 * Gates of unchanged programs measured in 20 shards: each shard ends by its own tests, and all are
 * judged together afterwards, as merging does. Sanitizers get a twentieth of
 * the gates.
 */
#include "gate/paired_bench.h"
#include "gate/simulated_gate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__
#define SLOW 20
#else
#define SLOW 1
#endif

#define NGATES 500
#define SHARDS 20
#define MOST_RUNS 30
/* For each shard, which has one workload. */
#define FUNCTIONS 12

void suite_gate_shard_rates(void);

struct drawn {
	struct paired_bench bench;
	struct rng *rng;
	double factor[SYNTHETIC_MAX];
	enum status status; /* by itself */
};

struct counts {
	size_t failed; /* gates, once they are merged */
	size_t named;  /* those that fail f00 of the first shard first */
	size_t npairs;
	size_t differ; /* shards that say something else in the merged gate */
};

static unsigned
draw(void *context, size_t workload, int stage, unsigned count)
{
	struct drawn *shard = context;

	(void)workload;
	return paired_bench_draw(&shard->bench, stage, count, shard->factor, shard->rng);
}

/* Measures and judges one shard by itself. */
static void
measure(struct drawn *shard, struct rng *rng, double first_factor, struct counts *counts)
{
	struct synthetic program = synthetic_program(FUNCTIONS);
	struct simulated_workload workload = {
		.judgement = &shard->bench.judgement, .plan = {.wanted = {10}, .most = MOST_RUNS}};
	const struct simulated_gate gate = {
		.workloads = &workload, .nworkloads = 1, .draw = draw, .context = shard};

	*shard = (struct drawn){.rng = rng};
	for (size_t i = 0; i < SYNTHETIC_MAX; i++)
		shard->factor[i] = i == 0 ? first_factor : 1;
	paired_bench_init(&shard->bench, &program, 0, NULL);
	paired_bench_prepare(&shard->bench);
	shard->bench.judgement.input.may_confirm = true;
	shard->bench.judgement.input.planned = SHARDS;
	run_plan_use_looks(&workload.plan, &shard->bench.policy);
	shard->status = simulated_gate_run(&gate);
	counts->npairs += workload.plan.taken[COMPARISON_SCREEN];
}

static void
count_gate(struct drawn *shards, struct counts *counts)
{
	struct judgement *all[SHARDS];
	enum status status;

	for (size_t i = 0; i < SHARDS; i++) {
		all[i] = &shards[i].bench.judgement;
		judgement_release(all[i]);
		all[i]->input.planned = 0;
	}
	judge_gate(all, SHARDS, &status);
	counts->failed += status == STATUS_FAIL;
	for (size_t i = 0; i < SHARDS; i++) {
		const struct verdict *verdict = &all[i]->verdict;

		counts->differ += verdict->status != shards[i].status;
		counts->named += i == 0 && verdict->status == STATUS_FAIL &&
				 strcmp(verdict->findings[0].subject, "f00") == 0;
	}
}

static struct counts
simulate(size_t ngates, double first_factor)
{
	struct drawn *shards = calloc(SHARDS, sizeof(*shards));
	struct rng rng = {.state = 20};
	struct counts counts = {0};

	UNIT_NEED(shards);
	for (size_t gate = 0; gate < ngates; gate++) {
		for (size_t i = 0; i < SHARDS; i++)
			measure(&shards[i], &rng, i == 0 ? first_factor : 1, &counts);
		count_gate(shards, &counts);
		for (size_t i = 0; i < SHARDS; i++)
			paired_bench_release(&shards[i].bench);
	}
	if (getenv("UNIT_RATES"))
		fprintf(stderr,
			"%zu gates of %d shards, f00 x %g: %zu fail, %zu name it, %zu pairs, %zu shards differ\n",
			ngates, SHARDS, first_factor, counts.failed, counts.named, counts.npairs,
			counts.differ);
	free(shards);
	return counts;
}

static void
merged_gates_without_a_change_fail_within_alpha(void)
{
	size_t ngates = NGATES / SLOW;
	struct counts counts = simulate(ngates, 1);

	CU_ASSERT((double)counts.failed <= 0.05 * (double)ngates);
	CU_ASSERT_EQUAL(counts.differ, 0);
}

/* Each shard says by itself what it says in the merged gate. */
static void
a_slowdown_in_one_shard_is_found(void)
{
	size_t ngates = NGATES / 10 / (SLOW > 1 ? 5 : 1);
	struct counts counts = simulate(ngates, 1.08);

	CU_ASSERT((double)counts.named >= 0.9 * (double)ngates);
	CU_ASSERT_EQUAL(counts.differ, 0);
}

void
suite_gate_shard_rates(void)
{
	static const struct unit_case cases[] = {
		{"merged_gates_without_a_change_fail_within_alpha",
			merged_gates_without_a_change_fail_within_alpha},
		{"a_slowdown_in_one_shard_is_found", a_slowdown_in_one_shard_is_found},
		{NULL, NULL},
	};

	unit_suite("gate/shard_rates", cases);
}
