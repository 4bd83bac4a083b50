#include "ingest/stacks.h"

#include "unit.h"

#include <stdio.h>

void suite_ingest_stacks(void);

#define PID 7
#define NMODULES 12
#define MODULE_BYTES 0x10000
#define DEPTH_MAX 12

/* A process of modules without symbols: whatever lies in number i is the frame "[m<i>.so]". */
struct fixture {
	struct symbol_cache *cache;
	struct symbolizer *symbolizer;
	struct profile profile;
	struct stacks stacks;
	node_id roots[2];
};

static uint64_t
address_in(unsigned module, unsigned offset)
{
	return 0x400000 + (uint64_t)module * MODULE_BYTES + offset;
}

static void
setup(struct fixture *fixture)
{
	fixture->cache = symbol_cache_new();
	fixture->symbolizer = symbolizer_new(fixture->cache);
	profile_init(&fixture->profile);
	stacks_init(&fixture->stacks, &fixture->profile, fixture->symbolizer);
	fixture->roots[0] = ctree_child(&fixture->profile.tree, CTREE_ROOT,
		profile_frame_text(&fixture->profile, "one", 3));
	fixture->roots[1] = ctree_child(&fixture->profile.tree, CTREE_ROOT,
		profile_frame_text(&fixture->profile, "other", 5));
	for (unsigned i = 0; i < NMODULES; i++) {
		char path[32];

		snprintf(path, sizeof(path), "/nowhere/m%u.so", i);
		struct symbol_map map = {
			.pid = PID, .start = address_in(i, 0), .size = MODULE_BYTES, .path = path};

		symbolizer_map(fixture->symbolizer, &map);
	}
}

static void
teardown(struct fixture *fixture)
{
	stacks_release(&fixture->stacks);
	profile_release(&fixture->profile);
	symbolizer_free(fixture->symbolizer);
	symbol_cache_free(fixture->cache);
}

static void
begin(struct fixture *fixture)
{
	stacks_begin(&fixture->stacks, symbolizer_maps(fixture->symbolizer, PID));
}

/* A stack of modules, leaf first, and where it is to end. */
struct example {
	unsigned modules[DEPTH_MAX];
	size_t depth;
	node_id root;
	enum stack_shape shape;
};

/* The next one of a fixed sequence; it differs from the one before near its leaf. */
static void
change(struct example *example, const struct fixture *fixture, uint32_t *random)
{
	*random = *random * UINT32_C(1664525) + UINT32_C(1013904223);

	uint32_t bits = *random >> 8;
	size_t changed = bits % 7;

	example->depth = 1 + (bits >> 3) % DEPTH_MAX;
	for (size_t i = 0; i < changed; i++)
		example->modules[i] = (bits >> (i + 4)) % NMODULES;
	example->root = fixture->roots[(bits >> 12) % 16 == 0];
	example->shape = (bits >> 16) % 8 == 0 ? STACK_TRUNCATED : STACK_WHOLE;
}

static node_id
end_of(struct fixture *fixture, const struct example *example, unsigned offset)
{
	begin(fixture);
	for (size_t i = 0; i < example->depth; i++)
		stacks_push(&fixture->stacks, address_in(example->modules[i], offset + 16),
			i == 0 ? STACK_EXACT : 0);
	return stacks_end(&fixture->stacks, example->root, example->shape).node;
}

static bool
is_named(const struct fixture *fixture, node_id node, const char *name)
{
	frame_id frame = fixture->profile.tree.nodes[node].frame;

	return strcmp(profile_frame_name(&fixture->profile, frame), name) == 0;
}

/* Whether the way up from `node` is the example's stack. */
static bool
is_stack(const struct fixture *fixture, node_id node, const struct example *example)
{
	const struct ctree_node *nodes = fixture->profile.tree.nodes;

	for (size_t i = 0; i < example->depth; i++, node = nodes[node].parent) {
		char name[32];

		snprintf(name, sizeof(name), "[m%u.so]", example->modules[i]);
		if (node == CTREE_ROOT || !is_named(fixture, node, name))
			return false;
	}
	if (example->shape == STACK_TRUNCATED) {
		if (!is_named(fixture, node, FRAME_TRUNCATED))
			return false;
		node = nodes[node].parent;
	}
	return node == example->root;
}

static void
test_nodes(void)
{
	struct fixture fixture;
	struct example example = {.depth = 0};
	uint32_t random = 1;
	size_t wrong = 0;

	setup(&fixture);
	for (unsigned i = 0; i < 20000; i++) {
		change(&example, &fixture, &random);
		node_id node = end_of(&fixture, &example, i % 61);

		wrong += !is_stack(&fixture, node, &example);
		if (i % 4999 == 0)
			stacks_forget(&fixture.stacks);
		wrong += end_of(&fixture, &example, i % 59) != node;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	teardown(&fixture);
}

static void
test_unknown(void)
{
	struct fixture fixture;

	setup(&fixture);
	for (int round = 0; round < 2; round++) {
		/* Nothing is mapped at the outermost address. */
		begin(&fixture);
		stacks_push(&fixture.stacks, address_in(0, 8), STACK_EXACT);
		stacks_push(&fixture.stacks, 0x10, 0);
		struct stack_result lost =
			stacks_end(&fixture.stacks, fixture.roots[0], STACK_WHOLE);

		CU_ASSERT(lost.unknown_leaf && lost.broken);

		/* A module is no name, but it is no nowhere. */
		begin(&fixture);
		stacks_push(&fixture.stacks, 0x10, STACK_EXACT);
		stacks_push(&fixture.stacks, address_in(0, 8), 0);
		struct stack_result leaf =
			stacks_end(&fixture.stacks, fixture.roots[0], STACK_WHOLE);

		CU_ASSERT(leaf.unknown_leaf && !leaf.broken);

		/* No frame but the process: that has a name. */
		begin(&fixture);
		struct stack_result empty =
			stacks_end(&fixture.stacks, fixture.roots[0], STACK_WHOLE);

		CU_ASSERT(!empty.unknown_leaf && !empty.broken);
		CU_ASSERT(is_named(&fixture, empty.node, "one"));
	}
	teardown(&fixture);
}

static void
test_marks(void)
{
	struct fixture fixture;

	setup(&fixture);
	for (int round = 0; round < 2; round++) {
		static const char *const marks[] = {
			[STACK_WHOLE] = "one",
			[STACK_BROKEN] = FRAME_BROKEN,
			[STACK_TRUNCATED] = FRAME_TRUNCATED,
		};

		for (int shape = STACK_WHOLE; shape <= STACK_TRUNCATED; shape++) {
			begin(&fixture);
			stacks_push(&fixture.stacks, address_in(1, 8), STACK_EXACT);
			struct stack_result result = stacks_end(
				&fixture.stacks, fixture.roots[0], (enum stack_shape)shape);
			node_id above = fixture.profile.tree.nodes[result.node].parent;

			CU_ASSERT(is_named(&fixture, above, marks[shape]));
			CU_ASSERT_EQUAL(result.broken, shape != STACK_WHOLE);
		}
	}
	teardown(&fixture);
}

void
suite_ingest_stacks(void)
{
	static const struct unit_case cases[] = {
		{"a_stack_leads_to_the_node_of_its_frames_whatever_came_before", test_nodes},
		{"what_is_not_known_is_reported_each_time", test_unknown},
		{"incomplete_stacks_stand_below_their_mark", test_marks},
		{NULL, NULL},
	};

	unit_suite("ingest/stacks", cases);
}
