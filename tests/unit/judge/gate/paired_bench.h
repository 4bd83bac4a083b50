/*
 * One workload measured in pairs, both sides synthetic, for tests of what paired gates do.
 */
#ifndef GATE_PAIRED_BENCH_H
#define GATE_PAIRED_BENCH_H

#include "base/mem.h"
#include "gate/judge.h"
#include "gate/synthetic_gate.h"
#include "unit.h"

#include <stdlib.h>

struct paired_bench {
	struct synthetic program;
	struct synthetic_pairs pairs;
	struct workload workload;
	struct gate_policy policy;
	struct baseline baseline;
	struct judgement judgement;
	struct instruction_counts counts; /* paired_bench_count() */
	struct code_states code;          /* paired_bench_read_code() */
	enum status overall;
};

/* Paired mode, with finer thresholds than the built-in ones. */
static inline struct gate_policy
paired_policy(void)
{
	struct gate_policy policy = synthetic_policy();

	policy.total = (struct threshold){.warn = 0.02, .fail = 0.03};
	policy.functions = (struct threshold){.warn = 0.02, .fail = 0.03};
	policy.floor = 0.005;
	policy.strict = false;
	return policy;
}

/* Measures `npairs` of `program`; the second side costs factor[function] times as much. */
static inline void
paired_bench_init(struct paired_bench *bench, const struct synthetic *program, size_t npairs,
	const double *factor)
{
	struct rng rng = {.state = 11};

	*bench = (struct paired_bench){
		.program = *program,
		.pairs = {.autocorrelation = 0.5},
		.workload = {.path = "work.yaml", .name = "work", .summary = ""},
		.policy = paired_policy(),
	};
	bench->workload.capture = (struct capture_policy){
		.metric = "cpu", .runs = 5, .max_runs = 30, .frequency_hz = 4999};
	for (int side = 0; side < 2; side++)
		profile_init(&bench->pairs.sides[side]);
	synthetic_add_pairs(&bench->pairs, program, npairs, 0);
	synthetic_draw_pairs(&bench->pairs, program, factor, &rng);
}

/* What is judged is what the sides are now. */
static inline void
paired_bench_prepare(struct paired_bench *bench)
{
	bench->baseline.profile = bench->pairs.sides[0];
	bench->judgement = (struct judgement){
		.input =
			{
				.workload = &bench->workload,
				.policy = &bench->policy,
				.mode = GATE_PAIRED,
				.candidate = &bench->pairs.sides[1],
				.before = &bench->baseline.profile,
				.before_info = &bench->baseline.info,
				.against = "working tree",
				.machine_class = "x86_64-test",
			},
	};
}

/*
 * Measures `count` more pairs of a stage; the second side costs factor[function] times as much.
 * Returns `count`, as a simulated_draw does. What is judged are the sides as they are then.
 */
static inline unsigned
paired_bench_draw(struct paired_bench *bench, int stage, unsigned count, const double *factor,
	struct rng *rng)
{
	synthetic_add_pairs(&bench->pairs, &bench->program, count, (uint32_t)stage);
	synthetic_draw_pairs(&bench->pairs, &bench->program, factor, rng);
	bench->baseline.profile = bench->pairs.sides[0];
	return count;
}

static inline void
paired_bench_judge(struct paired_bench *bench)
{
	struct judgement *judgement = &bench->judgement;

	judgement_release(judgement);
	paired_bench_prepare(bench);
	judge_gate(&judgement, 1, &bench->overall);
}

/* The function that a frame is of; nfunctions: of none. */
static inline size_t
paired_bench_function(const struct paired_bench *bench, frame_id frame)
{
	const struct profile *profile = &bench->judgement.comparison.profile;
	size_t i = 0;

	for (; i < bench->program.nfunctions; i++) {
		char name[8];

		if (strcmp(profile_frame_name(profile, frame), synthetic_name(i, name)) == 0)
			break;
	}
	return i;
}

/* The machine code of one function is changed. Of the tests that are made already. */
static inline void
paired_bench_read_code(struct paired_bench *bench, size_t changed)
{
	struct judgement *judgement = &bench->judgement;
	const size_t nframes = judgement->comparison.nframes;

	free(bench->code.by_frame);
	bench->code = (struct code_states){
		.by_frame = mem_zalloc(nframes, sizeof(*bench->code.by_frame)), .nframes = nframes};
	for (frame_id frame = 1; frame < nframes; frame++) {
		const size_t i = paired_bench_function(bench, frame);

		if (i < bench->program.nfunctions)
			bench->code.by_frame[frame] = i == changed ? CODE_CHANGED : CODE_SAME;
	}
	judgement->input.code = &bench->code;
}

/*
 * Counts instructions, in proportion to the cost: the second side executes factor[function] times
 * as many. Of the tests that are made already.
 */
static inline void
paired_bench_count(struct paired_bench *bench, const double *factor)
{
	struct judgement *judgement = &bench->judgement;
	const size_t nframes = judgement->comparison.nframes;

	instruction_counts_release(&bench->counts);
	bench->counts = (struct instruction_counts){.before = mem_zalloc(nframes, sizeof(double)),
		.after = mem_zalloc(nframes, sizeof(double)),
		.nframes = nframes};
	for (frame_id frame = 1; frame < nframes; frame++) {
		const size_t i = paired_bench_function(bench, frame);

		if (i == bench->program.nfunctions)
			continue;
		const double before = 1e9 * bench->program.share[i];

		bench->counts.before[frame] = before;
		bench->counts.after[frame] = before * factor[i];
		bench->counts.before[0] += before;
		bench->counts.after[0] += before * factor[i];
	}
	judgement->input.instructions = &bench->counts;
}

static inline void
paired_bench_release(struct paired_bench *bench)
{
	instruction_counts_release(&bench->counts);
	free(bench->code.by_frame);
	judgement_release(&bench->judgement);
	for (int side = 0; side < 2; side++)
		profile_release(&bench->pairs.sides[side]);
}

/* The first finding of this rule about this subject; NULL if there is none. */
static inline const struct finding *
paired_bench_finding(const struct paired_bench *bench, const char *rule, const char *subject)
{
	const struct verdict *verdict = &bench->judgement.verdict;

	for (size_t i = 0; i < verdict->nall; i++) {
		const struct finding *finding = &verdict->findings[i];

		if (strcmp(finding_rule_name(finding->rule), rule) == 0 &&
			strcmp(finding->subject, subject) == 0)
			return finding;
	}
	return NULL;
}

#endif
