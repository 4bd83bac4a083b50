/*
 * Pairs of a workload whose sides are given as samples of stacks, and what became of its code.
 */
#ifndef GATE_KNOWN_BENCH_H
#define GATE_KNOWN_BENCH_H

#include "base/mem.h"
#include "gate/judge.h"
#include "gate/stacked_bench.h"

#include <stdlib.h>
#include <string.h>

/* What is known of a function; ends with a NULL name. */
struct known {
	const char *name; /* with its suffix */
	enum code_state code;
	enum source_state source;
	uint32_t definition; /* the changed type or macro that it is compiled from */
};

static inline void
set_known(const struct comparison *comparison, const struct known *known, struct code_states *code)
{
	struct buf name = {0};

	code->source = mem_zalloc(code->nframes, sizeof(*code->source));
	code->definition = mem_zalloc(code->nframes, sizeof(*code->definition));
	for (frame_id frame = 1; frame < code->nframes; frame++) {
		buf_clear(&name);
		profile_put_frame(&comparison->profile, frame, &name);
		for (size_t i = 0; known[i].name; i++) {
			if (strcmp(buf_text(&name), known[i].name) != 0)
				continue;
			code->by_frame[frame] = known[i].code;
			code->source[frame] = known[i].source;
			code->definition[frame] = known[i].definition;
		}
	}
	buf_release(&name);
}

/* Judges the pairs of a bench of which this is known; nothing where there are no functions. */
static inline void
judge_known_pairs(struct bench *bench, const struct known *known)
{
	struct judgement *judgement = &bench->judgement;

	judgement->input.mode = GATE_PAIRED;
	judge_tests(&judgement, 1);
	struct code_states code = code_where(&judgement->comparison, "");

	set_known(&judgement->comparison, known, &code);
	judgement->input.code = known[0].name ? &code : NULL;
	judge_decide(&judgement, 1, &bench->overall);
	free(code.by_frame);
	free(code.source);
	free(code.definition);
}

static inline void
judge_known(struct bench *bench, const struct stacked *stacks, const struct known *known)
{
	stacked_init(bench, stacks);
	judge_known_pairs(bench, known);
}

#endif
