/*
 * A calibration of synthetic pairs, up to the advice.
 */
#ifndef GATE_ADVICE_BENCH_H
#define GATE_ADVICE_BENCH_H

#include "gate/advice.h"
#include "gate/paired_bench.h"

struct advice_bench {
	struct paired_bench paired;
	struct power power;
	struct calibration_noise noise;
	struct calibration_dispersion dispersion;
	struct rehearsal_tally tally;
	struct advice advice;
};

static inline void
advice_bench_init(struct advice_bench *bench, const struct synthetic *program, size_t npairs)
{
	*bench = (struct advice_bench){
		.tally = {.ngates = 100, .npairs = 620, .with = {90, 4, 5, 1}},
	};
	paired_bench_init(&bench->paired, program, npairs, NULL);
}

/* With the policy and the tallies as they are then. */
static inline void
advice_bench_conclude(struct advice_bench *bench)
{
	const struct judgement *judgement = &bench->paired.judgement;
	const struct capture_policy *capture = &bench->paired.workload.capture;

	paired_bench_judge(&bench->paired);
	calibration_noise(judgement->input.before, judgement->input.candidate, &bench->noise);
	calibration_dispersion(&judgement->comparison, &bench->dispersion);
	power_init(&bench->power, judgement, capture->runs);
	const struct advice_request request = {
		.judgement = judgement,
		.power = &bench->power,
		.noise = &bench->noise,
		.dispersion = &bench->dispersion,
		.rehearsal = &bench->tally,
		.runs = capture->runs,
		.max_runs = capture->max_runs,
		.frequency_hz = capture->frequency_hz,
	};

	advice_init(&bench->advice, &request);
}

static inline void
advice_bench_release(struct advice_bench *bench)
{
	advice_release(&bench->advice);
	power_release(&bench->power);
	calibration_dispersion_release(&bench->dispersion);
	paired_bench_release(&bench->paired);
}

#endif
