/*
 * Comparisons of stacks with known weights, and what causes_find() says of a function.
 */
#ifndef COMPARE_CAUSES_FIXTURE_H
#define COMPARE_CAUSES_FIXTURE_H

#include "compare/causes.h"

#include "compare/synthetic.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#define CAUSES_UNUSED __attribute__((unused))
#define CAUSES_RUNS 8
/* Cost of a sample. */
#define CAUSES_COST 1e5

/* Samples a run. */
struct stack_case {
	const char *stack;
	double before;
	double after;
};

struct causes_case {
	const struct stack_case *stacks; /* ends with a NULL stack */
	bool backwards;                  /* added in the other order: other ids */
	double speed;                    /* of the machine: factor on costs after; 0: 1 */
	struct rng *rng;                 /* NULL: every run is the same */
	enum comparison_mode mode;
};

struct causes_found {
	struct comparison comparison;
	struct arena arena;
	struct causes causes;
	struct buf text;
};

static node_id
causes_node(struct profile *profile, const char *stack)
{
	node_id node = CTREE_ROOT;

	for (const char *at = stack; *at;) {
		size_t len = strcspn(at, ";");

		node = ctree_child(&profile->tree, node, profile_frame_text(profile, at, len));
		at += len + (at[len] == ';');
	}
	return node;
}

static void
causes_add_run(struct profile *profile, const struct causes_case *of, size_t n, bool after)
{
	size_t column = profile_add_run(profile);
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		const struct stack_case *stack = &of->stacks[of->backwards ? n - 1 - i : i];
		double weight = after ? stack->after : stack->before;

		if (of->rng && weight > 0)
			weight = fmax(0, round(weight + sqrt(weight) * rng_normal(of->rng)));
		sum += weight;
		if (weight > 0)
			ctree_add(
				&profile->tree, column, causes_node(profile, stack->stack), weight);
	}
	profile->runs[column].cost_total =
		sum * CAUSES_COST * (after && of->speed > 0 ? of->speed : 1);
	profile->runs[column].pair = (uint32_t)column + 1;
}

static frame_id
causes_frame(struct comparison *comparison, const char *name)
{
	return profile_frame_text(&comparison->profile, name, strlen(name));
}

/* Compares; a little spread between sessions, so that bounds are those of the samples. */
CAUSES_UNUSED static void
causes_compare(struct causes_found *found, const struct causes_case *of)
{
	const struct comparison_options options = {.mode = of->mode,
		.alpha = 0.05,
		.min_share = 0.01,
		.session_spread = 0.001,
		.machine_spread = 0.001};
	struct profile sides[2];
	size_t n = 0;

	while (of->stacks[n].stack)
		n++;
	for (size_t side = 0; side < 2; side++) {
		profile_init(&sides[side]);
		for (size_t run = 0; run < CAUSES_RUNS; run++)
			causes_add_run(&sides[side], of, n, side == 1);
	}
	comparison_make(&found->comparison, &sides[0], &sides[1], &options);
	found->arena = (struct arena){0};
	found->text = (struct buf){0};
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

/* For one function, with the states of the code if they are known. */
CAUSES_UNUSED static void
causes_look(struct causes_found *found, frame_id frame, const struct code_states *code)
{
	struct cause_ground *ground = causes_ground_make(&found->comparison);

	causes_find(ground, frame, code, &found->arena, &found->causes);
	causes_ground_free(ground);
}

CAUSES_UNUSED static const struct causes *
causes_of(struct causes_found *found, const char *name)
{
	frame_id frame = causes_frame(&found->comparison, name);

	CU_ASSERT_FATAL(frame < found->comparison.nframes);
	causes_look(found, frame, NULL);
	return &found->causes;
}

/* The same in one step, for stacks alone. */
CAUSES_UNUSED static const struct causes *
causes_in(struct causes_found *found, const struct stack_case *stacks, const char *name)
{
	const struct causes_case of = {.stacks = stacks};

	causes_compare(found, &of);
	return causes_of(found, name);
}

CAUSES_UNUSED static void
causes_release(struct causes_found *found)
{
	comparison_release(&found->comparison);
	arena_release(&found->arena);
	buf_release(&found->text);
}

/* "main;run;f" of a stack; valid until the next one. */
CAUSES_UNUSED static const char *
causes_stack(struct causes_found *found, size_t index)
{
	const struct cause_stack *stack = &found->causes.stacks[index];

	buf_clear(&found->text);
	for (size_t i = 0; i < stack->nframes; i++) {
		buf_puts(&found->text, i > 0 ? ";" : "");
		profile_put_frame(&found->comparison.profile, stack->frames[i], &found->text);
	}
	return buf_text(&found->text);
}

CAUSES_UNUSED static const char *
causes_name(const struct causes_found *found, frame_id frame)
{
	return profile_frame_name(&found->comparison.profile, frame);
}

#endif
