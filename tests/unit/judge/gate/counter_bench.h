/*
 * One workload measured in pairs, with a counter that the policy judges.
 */
#ifndef GATE_COUNTER_BENCH_H
#define GATE_COUNTER_BENCH_H

#include "gate/paired_bench.h"
#include "profile/counters.h"

#include <math.h>

struct bench {
	struct paired_bench paired;
	struct counter_limit limit;
};

/* Both sides have `value`, the second times `factor`; runs spread by `spread`. */
static inline void
set_counter(struct bench *bench, enum counter_id id, double value, double factor, double spread)
{
	for (int side = 0; side < 2; side++) {
		struct profile *profile = &bench->paired.pairs.sides[side];

		for (size_t i = 0; i < profile->nruns; i++) {
			double noise = spread * (double)((int)((i * 7 + (size_t)side * 3) % 5) - 2);

			counter_set(&profile->runs[i], id,
				value * (side > 0 ? factor : 1) * (1 + noise));
		}
	}
}

static inline void
init(struct bench *bench, const char *name, double fail, double max)
{
	const struct synthetic program = synthetic_program(5);
	static const double factors[SYNTHETIC_MAX] = {1, 1, 1, 1, 1};

	paired_bench_init(&bench->paired, &program, 10, factors);
	bench->limit = (struct counter_limit){
		.name = name,
		.threshold = {.warn = NAN, .fail = fail},
		.max = max,
		.file = "work.yaml",
	};
	bench->paired.policy.counters = &bench->limit;
	bench->paired.policy.ncounters = 1;
}

static inline const struct finding *
judge(struct bench *bench, const char *subject)
{
	paired_bench_judge(&bench->paired);
	return paired_bench_finding(&bench->paired, "counter", subject);
}

#endif
