/*
 * Times off the CPU as bcc's offcputime -f writes them: folded text whose weights are microseconds,
 * and whose stacks end in the scheduler, where a thread comes back to its CPU. No sample of a
 * profiler, or of the event context-switches, has such a leaf.
 *
 * They become what a capture of the metric offcpu has: the kernel's functions are marked as such,
 * and the reason of the wait is the leaf. Source: tools/offcputime.py of github.com/iovisor/bcc.
 */
#include "base/lines.h"
#include "base/mem.h"
#include "ingest/describe.h"
#include "ingest/first_lines.h"
#include "ingest/ingest.h"
#include "ingest/offcputime.h"
#include "ingest/wait_reason.h"
#include "profile/folded.h"

#include <stdlib.h>
#include <string.h>

#define LEAF "finish_task_switch"
/* With -d, between the program's functions and the kernel's. */
#define DELIMITER "-"
#define NS_PER_US 1e3

/* Whether the line's last frame is the leaf that all of them have. */
static bool
is_off_cpu(const char *line, size_t len)
{
	const char *blank = memrchr(line, ' ', len);
	const char *leaf = blank ? memrchr(line, ';', (size_t)(blank - line)) : NULL;
	const size_t leaf_len = leaf ? (size_t)(blank - leaf) - 1 : 0;

	if (leaf_len < strlen(LEAF) || memcmp(leaf + 1, LEAF, strlen(LEAF)) != 0)
		return false;
	return leaf_len == strlen(LEAF) || leaf[1 + strlen(LEAF)] == '.';
}

/* A stack whose end could not be read has one of these in its place. */
static bool
is_missed(struct line line)
{
	return memmem(line.at, line.len, "[Missed Kernel Stack]",
		       strlen("[Missed Kernel Stack]")) ||
	       memmem(line.at, line.len, "[Missed User Stack]", strlen("[Missed User Stack]"));
}

/* Ours, or one that says itself what its weights are. */
static bool
is_header(struct line line)
{
	return folded_line_kind(line) == FOLDED_COMMENT &&
	       (memmem(line.at, line.len, "# runs:", strlen("# runs:")) ||
		       memmem(line.at, line.len, "# unit:", strlen("# unit:")));
}

static bool
detect(const char *bytes, size_t len)
{
	struct first_lines first;
	struct line line;
	bool any = false;

	first_lines_init(&first, bytes, len);
	while (first_lines_next(&first, &line)) {
		if (is_header(line))
			return false;
		if (folded_line_kind(line) != FOLDED_STACK || is_missed(line))
			continue;
		if (!is_off_cpu(line.at, line.len))
			return false;
		any = true;
	}
	return any;
}

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

static void
add_stacks(struct profile *profile, const struct profile *from)
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

void
offcputime_add(struct profile *profile, const struct profile *from)
{
	add_stacks(profile, from);
	describe_times(profile, false);
	describe_set(profile, &profile->event, "offcputime");
}

static int
read_times(struct profile *profile, const struct file_view *view, const char *path,
	const struct ingest_options *options, struct err *err)
{
	struct profile lines;

	(void)options;
	profile_init(&lines);
	int result = folded_read_view(&lines, path, view, err);

	if (result == 0)
		offcputime_add(profile, &lines);
	profile_release(&lines);
	return result;
}

const struct input_format ingest_offcputime = {
	.name = "offcputime",
	.summary = "times off the CPU as folded stacks, as offcputime -f of bcc writes them",
	.detect = detect,
	.read = read_times,
	.streams = true,
	.if_weightless = "no thread waited for a microsecond: record for longer",
};
