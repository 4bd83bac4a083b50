/*
 * How often simulated gates fail, warn and stay inconclusive, under conditions whose truth is
 * known: the numbers that harness/compare/model.h quotes. A gate is ten workloads of 5 to 50
 * functions.
 * judge_rates.sh compiles and runs it.
 */
#include "gate/synthetic_gate.h"

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

static double
or_else(double value, double otherwise)
{
	return value > 0 ? value : otherwise;
}

static struct synthetic_count
simulate(const struct condition *condition, size_t ngates)
{
	struct synthetic_gate gate;
	double factor[SYNTHETIC_MAX];

	synthetic_gate_init(&gate, GATE_WORKLOADS_MAX);
	for (size_t i = 0; i < SYNTHETIC_MAX; i++)
		factor[i] = i == 0 ? or_else(condition->first_factor, 1) : 1;
	for (size_t i = 0; i < gate.nworkloads; i++) {
		gate.programs[i].overdispersion = or_else(condition->overdispersion, 1);
		gate.programs[i].hz *= or_else(condition->seconds, 1);
		gate.workloads[i].gate.floor = or_else(condition->floor, 0.01);
		for (size_t k = 0; k < SYNTHETIC_MAX; k += 3)
			gate.programs[i].noise[k] = condition->third_noise;
	}
	gate.before.nruns = condition->nbefore > 0 ? condition->nbefore : 10;
	gate.before.session_noise = condition->before_noise;
	gate.after.session_noise = condition->after_noise;
	gate.after.speed = condition->speed;
	gate.after.factor = factor;
	gate.before.load = condition->before_load;
	gate.after.load = condition->after_load;
	gate.waits = condition->before_load > 0 || condition->after_load > 0;
	gate.nsessions = condition->nsessions;
	return synthetic_gates(&gate, ngates, 7);
}

/* judge_rates [GATES [PART OF A NAME]] */
int
main(int argc, char **argv)
{
	size_t ngates = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
	const char *part = argc > 2 ? argv[2] : "";

	if (ngates == 0)
		return 64;
	printf("%zu gates each               gates, %%: fail   warn  inconclusive   f00 named first\n",
		ngates);
	for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++) {
		if (!strstr(conditions[i].name, part))
			continue;
		const struct synthetic_count count = simulate(&conditions[i], ngates);
		double percent = 100.0 / (double)ngates;

		printf("%-36s %8.1f %6.1f %13.1f %17.1f\n", conditions[i].name,
			percent * (double)count.gates[STATUS_FAIL],
			percent * (double)count.gates[STATUS_WARN],
			percent * (double)count.gates[STATUS_INCONCLUSIVE],
			percent * (double)count.named_first);
		fflush(stdout);
	}
	return 0;
}
