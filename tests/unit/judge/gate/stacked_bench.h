/*
 * One workload whose sides are given as samples of stacks.
 */
#ifndef GATE_STACKED_BENCH_H
#define GATE_STACKED_BENCH_H

#include "base/mem.h"
#include "gate/judge_bench.h"

/* Samples of one stack: "main;parse". */
struct stacked {
	const char *stack;
	double before;
	double after;
};

static inline node_id
node_of(struct profile *profile, const char *stack)
{
	node_id node = CTREE_ROOT;

	while (*stack) {
		size_t len = strcspn(stack, ";");

		node = ctree_child(&profile->tree, node, profile_frame_text(profile, stack, len));
		stack += len + (stack[len] == ';');
	}
	return node;
}

static inline void
add_stacked(struct profile *profile, const struct stacked *stacks, bool after, unsigned stage)
{
	for (size_t run = 0; run < 6; run++) {
		size_t column = profile_add_run(profile);
		double total = 0;

		for (const struct stacked *s = stacks; s->stack; s++) {
			/* Runs differ a little, alike on both sides. */
			double weight = (after ? s->after : s->before) * (1 + 0.001 * (double)run);

			ctree_add(&profile->tree, column, node_of(profile, s->stack), weight);
			total += weight;
		}
		profile->runs[column].measured = true;
		profile->runs[column].samples = (uint64_t)total;
		profile->runs[column].expected_samples = total;
		profile->runs[column].cost_total = total * 2e5;
		profile->runs[column].stage = stage;
		profile->runs[column].pair = (uint32_t)(6 * (size_t)stage + run + 1);
	}
}

static inline void
stacked_init(struct bench *bench, const struct stacked *stacks)
{
	const struct sampled none[] = {{NULL, 0, 0}};

	bench_init(bench, none);
	profile_release(&bench->baseline.profile);
	profile_release(&bench->candidate);
	profile_init(&bench->baseline.profile);
	profile_init(&bench->candidate);
	add_stacked(&bench->baseline.profile, stacks, false, 0);
	add_stacked(&bench->candidate, stacks, true, 0);
}

/* print() grew by less than these runs show. */
static const struct stacked vague_print[] = {{"main;run;parse", 3000, 3000},
	{"main;run;print", 3000, 3060}, {"main;write", 5000, 5000}, {NULL, 0, 0}};

/* What became of the code of each function: one has changed. */
static inline struct code_states
code_where(const struct comparison *comparison, const char *changed)
{
	struct code_states code = {
		.by_frame = mem_zalloc(comparison->nframes + 1, sizeof(*code.by_frame)),
		.nframes = comparison->nframes,
	};

	for (frame_id frame = 1; frame < code.nframes; frame++) {
		const char *name = profile_frame_name(&comparison->profile, frame);

		code.by_frame[frame] = strcmp(name, changed) == 0 ? CODE_CHANGED : CODE_SAME;
	}
	return code;
}

#endif
