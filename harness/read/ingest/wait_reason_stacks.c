/*
 * Adds the reason of each wait to the stacks of a folded text.
 */
#include "base/mem.h"
#include "ingest/wait_reason.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* offcputime -d writes it between the program's functions and the kernel's. */
#define DELIMITER "-"
#define NS_PER_US 1e3

/* A stack of the file, root first, and where its parts begin. */
struct stack {
	const struct profile *from;
	frame_id *frames;
	size_t capacity;
	size_t count; /* without the scheduler's functions at its end */
	size_t kernel;
	bool preempted;
};

static const char *
name_at(const struct stack *stack, size_t i)
{
	return profile_frame_name(stack->from, stack->frames[i]);
}

static void
take_frames(struct stack *stack, node_id node)
{
	const struct ctree_node *nodes = stack->from->tree.nodes;
	size_t depth = 0;

	for (node_id at = node; at != CTREE_ROOT; at = nodes[at].parent)
		depth++;
	stack->frames =
		mem_grow(stack->frames, &stack->capacity, depth + 1, sizeof(*stack->frames));
	stack->count = depth;
	for (node_id at = node; at != CTREE_ROOT; at = nodes[at].parent)
		stack->frames[--depth] = nodes[at].frame;
}

/* Some entries are two functions, one after the other. */
static bool
begins_kernel(const struct stack *stack, size_t i)
{
	return wait_reason_is_entry(name_at(stack, i)) &&
	       (i == 1 || !wait_reason_is_entry(name_at(stack, i - 1)));
}

/* The first frame is the name of the thread. */
static void
find_parts(struct stack *stack)
{
	stack->preempted = false;
	while (stack->count > 1 &&
		wait_reason_of(name_at(stack, stack->count - 1)) == WAIT_SCHEDULER) {
		stack->count--;
		stack->preempted |= wait_reason_is_preemption(name_at(stack, stack->count));
	}
	stack->preempted |=
		stack->count > 1 && wait_reason_is_preemption(name_at(stack, stack->count - 1));
	stack->kernel = stack->count;
	while (stack->kernel > 1 && strcmp(name_at(stack, stack->kernel - 1), DELIMITER) != 0 &&
		!(stack->kernel < stack->count && begins_kernel(stack, stack->kernel)))
		stack->kernel--;
	/* Without an entry all of them may be the program's. */
	if (stack->kernel == 1 && !begins_kernel(stack, 1))
		stack->kernel = stack->count;
}

static enum wait_reason
reason_of(const struct stack *stack)
{
	struct wait_search search = {.named = false};

	if (stack->preempted)
		return WAIT_RUN_QUEUE;
	for (size_t i = stack->count; i-- > stack->kernel;)
		wait_search_take(&search, wait_reason_of(name_at(stack, i)), true);
	return wait_search_reason(&search);
}

static node_id
enter(const struct stack *stack, struct profile *profile)
{
	const char *reason = wait_reason_name(reason_of(stack));
	node_id node = CTREE_ROOT;

	for (size_t i = 0; i < stack->count; i++) {
		const char *name = name_at(stack, i);
		const enum frame_kind kind =
			i < stack->kernel ? stack->from->frames.frames[stack->frames[i]].kind
					  : FRAME_KERNEL;

		if (i + 1 == stack->kernel && strcmp(name, DELIMITER) == 0)
			continue;
		node = ctree_child(
			&profile->tree, node, profile_frame(profile, name, strlen(name), kind));
	}
	return ctree_child(
		&profile->tree, node, profile_frame(profile, reason, strlen(reason), FRAME_WAIT));
}

void
wait_reason_add_stacks(struct profile *profile, const struct profile *from)
{
	const size_t run = profile_add_run(profile);
	struct stack stack = {.from = from};

	for (node_id node = CTREE_ROOT + 1; node < from->tree.nnodes; node++) {
		const double us = ctree_weight(&from->tree, 0, node);

		if (us <= 0)
			continue;
		take_frames(&stack, node);
		find_parts(&stack);
		ctree_add(&profile->tree, run, enter(&stack, profile), us * NS_PER_US);
	}
	free(stack.frames);
}
