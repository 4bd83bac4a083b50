/*
 * How often simulated gates against a stored baseline fail, warn and stay undecided where its
 * commit cannot be built and no instructions are counted, so that the candidate alone is measured
 * again: under conditions whose truth is known, the numbers that harness/judge/compare/model.h
 * quotes. A gate is ten workloads of 5 to 50 functions. judge_rates.sh compiles and runs it.
 *
 * usage: judge_rates GATES [SEED [SEEDS [PART]]]
 */
#include "gate/simulated_gate.h"
#include "gate/synthetic_gate.h"

#include "rates.h"

#include <stdio.h>
#include <stdlib.h>

struct condition {
	const char *name;
	double overdispersion; /* 0: 1 */
	double seconds;        /* of a run; 0: 1 */
	double before_noise;   /* SD of each function's ln cost between sessions */
	double after_noise;
	double speed;        /* of the machine after; 0: 1 */
	double first_factor; /* on the cost of f00 after; 0: 1 */
	double floor;        /* of the policy; 0: 1 % */
	double third_noise;  /* SD from run to run of every third function */
	double before_load;  /* 0 to 1; see synthetic_slowdown() */
	double after_load;
	size_t nbefore;   /* runs; 0: 10 */
	size_t nsessions; /* of the baseline; 0: 1 */
};

static const struct condition conditions[] = {
	{.name = "unchanged"},
	{.name = "unchanged, runs of 1.2 s", .seconds = 1.2},
	{.name = "unchanged, 30 runs before", .nbefore = 30},
	{.name = "unchanged, 3 sessions before", .nsessions = 3},
	{.name = "unchanged, floor 0.5 %", .floor = 0.005},
	{.name = "over-dispersion 1.5", .overdispersion = 1.5},
	{.name = "over-dispersion 1.5, 5 sessions", .overdispersion = 1.5, .nsessions = 5},
	{.name = "over-dispersion 2.5, 5 sessions", .overdispersion = 2.5, .nsessions = 5},
	{.name = "over-dispersion 2.5", .overdispersion = 2.5},
	{.name = "over-dispersion 4", .overdispersion = 4},
	{.name = "a third noisy by 15 %", .third_noise = 0.15},
	{.name = "session noise 1 %", .before_noise = 0.01, .after_noise = 0.01},
	{.name = "session noise 2 %, after only", .after_noise = 0.02},
	{.name = "session noise 2 %", .before_noise = 0.02, .after_noise = 0.02},
	{.name = "the same, 3 sessions before",
		.before_noise = 0.02,
		.after_noise = 0.02,
		.nsessions = 3},
	{.name = "the same, 6 sessions before",
		.before_noise = 0.02,
		.after_noise = 0.02,
		.nsessions = 6},
	{.name = "session noise 5 %", .before_noise = 0.05, .after_noise = 0.05},
	{.name = "session noise 10 %", .before_noise = 0.1, .after_noise = 0.1},
	{.name = "machine 15 % slower", .speed = 1.15},
	{.name = "machine 15 % faster", .speed = 0.85},
	{.name = "everything 35 % slower", .speed = 1.35},
	{.name = "f00 10 % slower", .first_factor = 1.1},
	{.name = "f00 20 % slower", .first_factor = 1.2},
	{.name = "f00 30 % slower", .first_factor = 1.3},
	{.name = "f00 30 % slower, session noise 2 %",
		.first_factor = 1.3,
		.before_noise = 0.02,
		.after_noise = 0.02},
	{.name = "f00 30 % slower, session noise 5 %",
		.first_factor = 1.3,
		.before_noise = 0.05,
		.after_noise = 0.05},
	{.name = "f00 30 % faster", .first_factor = 0.7},
	{.name = "load after", .after_load = 1},
	{.name = "half of that load after", .after_load = 0.5},
	{.name = "load before", .before_load = 1},
	{.name = "load before and after", .before_load = 1, .after_load = 1},
	{.name = "load after, session noise 5 %",
		.after_load = 1,
		.before_noise = 0.05,
		.after_noise = 0.05},
	{.name = "load before, machine 10 % slower", .before_load = 1, .speed = 1.1},
	{.name = "load after, f00 30 % slower", .after_load = 1, .first_factor = 1.3},
	{.name = "load after, f00 60 % slower", .after_load = 1, .first_factor = 1.6},
	{.name = "load after, f00 10 times slower", .after_load = 1, .first_factor = 10},
	{.name = "load before, f00 30 % slower", .before_load = 1, .first_factor = 1.3},
	{.name = "load before, f00 60 % slower", .before_load = 1, .first_factor = 1.6},
};

#define RUNS 10
#define MOST_RUNS 30

static double
or_else(double value, double otherwise)
{
	return value > 0 ? value : otherwise;
}

/* A gate in the making. */
struct drawn {
	struct synthetic_gate gate;
	double factor[SYNTHETIC_MAX];
	double seconds[GATE_WORKLOADS_MAX][SYNTHETIC_MAX]; /* of the session after */
	struct rng *rng;
};

/* By the status of the gate; those that fail also by the load rule, and that name f00 first. */
struct tally {
	size_t gates;
	size_t status[STATUS_ERROR + 1];
	size_t by_load;
	size_t coarse; /* that warn as the measurement is too coarse */
	size_t named;
};

static void
prepare(struct drawn *drawn, const struct condition *condition)
{
	struct synthetic_gate *gate = &drawn->gate;

	synthetic_gate_init(gate, GATE_WORKLOADS_MAX);
	for (size_t i = 0; i < SYNTHETIC_MAX; i++)
		drawn->factor[i] = i == 0 ? or_else(condition->first_factor, 1) : 1;
	for (size_t i = 0; i < gate->nworkloads; i++) {
		gate->programs[i].overdispersion = or_else(condition->overdispersion, 1);
		gate->programs[i].hz *= or_else(condition->seconds, 1);
		gate->workloads[i].gate.floor = or_else(condition->floor, 0.01);
		gate->workloads[i].capture.max_runs = MOST_RUNS;
		for (size_t k = 0; k < SYNTHETIC_MAX; k += 3)
			gate->programs[i].noise[k] = condition->third_noise;
	}
	gate->before.nruns = condition->nbefore > 0 ? condition->nbefore : RUNS;
	gate->before.session_noise = condition->before_noise;
	gate->after.session_noise = condition->after_noise;
	gate->after.speed = condition->speed;
	gate->after.factor = drawn->factor;
	gate->before.load = condition->before_load;
	gate->after.load = condition->after_load;
	gate->after.nruns = 0; /* draw() takes them */
	gate->waits = condition->before_load > 0 || condition->after_load > 0;
	gate->nsessions = condition->nsessions;
}

static unsigned
draw(void *context, size_t workload, int stage, unsigned count)
{
	struct drawn *drawn = context;
	struct synthetic_gate *gate = &drawn->gate;

	synthetic_add_runs(&gate->candidates[workload], &gate->programs[workload], &gate->after,
		drawn->seconds[workload], count, (uint32_t)stage, drawn->rng);
	return count;
}

static void
add(struct tally *tally, const struct synthetic_gate *gate, enum status status)
{
	bool by_load = false;
	bool is_open = false;

	for (size_t i = 0; i < gate->nworkloads; i++) {
		const struct judgement *judgement = &gate->judgements[i];

		is_open = is_open || verdict_find_open(&judgement->verdict);
		for (size_t k = 0; k < judgement->ntests; k++) {
			const struct decision *decision = &judgement->tests[k].decision;

			by_load = by_load ||
				  (decision->status == STATUS_FAIL && decision->load != LOAD_NONE);
		}
	}
	tally->gates++;
	tally->status[status]++;
	tally->by_load += by_load;
	tally->coarse += status == STATUS_WARN && is_open;
	const struct verdict *first = &gate->judgements[0].verdict;

	tally->named += first->nfindings > 0 && first->status == STATUS_FAIL &&
			strcmp(first->findings[0].subject, "f00") == 0;
}

static void
one_gate(struct drawn *drawn, struct tally *tally)
{
	struct synthetic_gate *gate = &drawn->gate;
	struct simulated_workload workloads[GATE_WORKLOADS_MAX];
	const struct simulated_gate simulated = {.workloads = workloads,
		.nworkloads = gate->nworkloads,
		.draw = draw,
		.context = drawn,
		.default_time = true};

	synthetic_gate_measure(gate, drawn->rng);
	for (size_t i = 0; i < gate->nworkloads; i++) {
		workloads[i] = (struct simulated_workload){.judgement = &gate->judgements[i],
			.plan = {.wanted = {RUNS}, .most = MOST_RUNS}};
		gate->judgements[i].input.may_confirm = true;
		synthetic_seconds(&gate->programs[i], &gate->after, drawn->rng, drawn->seconds[i]);
	}
	add(tally, gate, simulated_gate_run(&simulated));
	synthetic_gate_release(gate);
}

static void
put_line(const struct condition *condition, const struct tally *tally)
{
	printf("%s | %zu | ", condition->name, tally->gates);
	rates_put(tally->status[STATUS_FAIL], tally->gates);
	printf(" | %zu | ", tally->by_load);
	rates_put(tally->status[STATUS_WARN] - tally->coarse, tally->gates);
	printf(" | ");
	rates_put(tally->coarse, tally->gates);
	printf(" | ");
	rates_put(tally->status[STATUS_INCONCLUSIVE], tally->gates);
	printf(" | %zu\n", tally->named);
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	const size_t ngates = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 42;
	const size_t nseeds = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
	const char *part = argc > 4 ? argv[4] : "";

	if (ngates == 0 || nseeds == 0)
		return 64;
	printf("condition | gates | fail | of these by what load does not explain | warn | too coarse | "
	       "undecided | f00 named first\n");
	for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++) {
		struct tally tally = {0};

		if (!strstr(conditions[i].name, part))
			continue;
		for (size_t k = 0; k < nseeds; k++) {
			struct rng rng = {.state = seed + k};
			struct drawn drawn = {.rng = &rng};

			for (size_t gate = 0; gate < ngates; gate++) {
				prepare(&drawn, &conditions[i]);
				one_gate(&drawn, &tally);
			}
		}
		put_line(&conditions[i], &tally);
	}
	return 0;
}
