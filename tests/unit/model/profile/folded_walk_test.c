#include "profile/folded_walk.h"

#include "base/buf.h"
#include "unit.h"

#include <stdint.h>
#include <stdio.h>

void suite_profile_folded_walk(void);

/* Frame by frame, each looked up by itself. */
static node_id
plain_node(struct profile *profile, const char *stack)
{
	node_id node = CTREE_ROOT;

	while (*stack) {
		size_t len = strcspn(stack, ";");

		if (len > 0)
			node = ctree_child(
				&profile->tree, node, profile_frame_text(profile, stack, len));
		stack += len + (stack[len] == ';');
	}
	return node;
}

/* All must reach the node that `plain_node` finds. */
static void
expect_nodes(const char *const *stacks, size_t n)
{
	struct profile profile;
	struct folded_walk walk;
	node_id node = CTREE_NONE;
	size_t rest;

	profile_init(&profile);
	folded_walk_init(&walk, &profile);
	for (size_t i = 0; i < n; i++) {
		const struct line line = {stacks[i], strlen(stacks[i])};

		CU_ASSERT_TRUE(folded_walk_enter(&walk, line, &node, &rest));
		CU_ASSERT_EQUAL(node, plain_node(&profile, stacks[i]));
	}
	folded_walk_release(&walk);
	profile_release(&profile);
}

static void
stacks_that_share_their_beginning_reach_their_nodes(void)
{
	static const char *const stacks[] = {"a", "a;b", "a;b", "a;bc", "a;b;c", "a", "a;;b", ";a",
		";a;b", ";", ";;", "b", "b;", "b;;c", "b;;c;d", "b;;d", "ab", "a;b_[k]", "a;b",
		"a;b;c;d;e", "a;b;c;d", "x;y;z", "x;y", "x;yz", "x;y;zz"};

	expect_nodes(stacks, sizeof(stacks) / sizeof(stacks[0]));
}

/* Regular enough for guesses to set in. */
static void
deep_stacks_reach_their_nodes(void)
{
	enum { STACKS = 400 };
	static struct buf texts[STACKS];
	const char *stacks[STACKS];
	uint32_t state = 1;

	for (size_t i = 0; i < STACKS; i++) {
		size_t depth = 1 + i * 7 % 60;

		for (size_t frame = 0; frame < depth; frame++) {
			state = state * 1664525 + 1013904223;
			bool odd = (i / 100) % 2 == 1 || state >> 28 == 0;

			buf_printf(&texts[i], "%sf%u", frame > 0 ? ";" : "",
				odd ? state >> 24 : (unsigned)frame);
		}
		stacks[i] = buf_text(&texts[i]);
	}
	expect_nodes(stacks, STACKS);
	for (size_t i = 0; i < STACKS; i++)
		buf_release(&texts[i]);
}

void
suite_profile_folded_walk(void)
{
	static const struct unit_case cases[] = {
		{"stacks_that_share_their_beginning_reach_their_nodes",
			stacks_that_share_their_beginning_reach_their_nodes},
		{"deep_stacks_reach_their_nodes", deep_stacks_reach_their_nodes},
		{NULL, NULL},
	};

	unit_suite("profile/folded_walk", cases);
}
