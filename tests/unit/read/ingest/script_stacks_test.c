#include "ingest/script_internal.h"
#include "unit.h"

#include <stdio.h>

void suite_ingest_script_stacks(void);

struct bench {
	struct profile profile;
	struct script_layout layout;
	struct script_stacks stacks;
	struct file_view view;
	struct lines lines;
	node_id root;
	bool leaf_is_known;
};

static void
bench_init(struct bench *bench)
{
	*bench = (struct bench){.leaf_is_known = false};
	profile_init(&bench->profile);
	script_stacks_init(&bench->stacks, &bench->profile, &bench->layout);
	bench->root = ctree_child(&bench->profile.tree, CTREE_ROOT,
		profile_frame(&bench->profile, "app", 3, FRAME_USER));
}

static void
bench_release(struct bench *bench)
{
	script_stacks_release(&bench->stacks);
	profile_release(&bench->profile);
}

/* Reads `text` as far as it is frames: the stack's node. */
static node_id
read_stack(struct bench *bench, const char *text)
{
	bench->view = (struct file_view){.data = text, .len = strlen(text)};
	lines_init(&bench->lines, &bench->view);
	script_stacks_begin(&bench->stacks, bench->root);
	script_stacks_take(&bench->stacks, &bench->lines);
	const struct script_stack stack = script_stacks_end(&bench->stacks);

	bench->leaf_is_known = stack.leaf_is_known;
	return stack.node;
}

/* "app;main;f_[k]" */
static void
put_path(const struct profile *profile, node_id node, struct buf *out)
{
	const struct ctree_node *at = &profile->tree.nodes[node];

	if (at->parent != CTREE_ROOT) {
		put_path(profile, at->parent, out);
		buf_putc(out, ';');
	}
	profile_put_frame(profile, at->frame, out);
}

static void
expect_path(struct bench *bench, node_id node, const char *expected)
{
	struct buf out = {0};

	put_path(&bench->profile, node, &out);
	UNIT_STR_EQ(buf_text(&out), expected);
	buf_release(&out);
}

#define MAIN "\t            1020 main+0x5 (/bin/app)\n"
#define LEAF "\tffffffff81000c82 do_mmap+0x494 ([kernel.kallsyms])\n"
/* What follows a stack in such text, and lets its last line be looked at as a whole. */
#define NEXT "\napp 1 2.5: cycles: and so on\n"

static void
frames_are_read_from_the_leaf_to_the_root(void)
{
	struct bench bench;

	bench_init(&bench);
	expect_path(&bench, read_stack(&bench, LEAF MAIN NEXT), "app;main;do_mmap_[k]");
	CU_ASSERT(bench.leaf_is_known);
	bench_release(&bench);
}

static void
what_is_no_frame_is_left_in_the_lines(void)
{
	struct bench bench;

	bench_init(&bench);
	read_stack(&bench, LEAF MAIN NEXT);
	CU_ASSERT_EQUAL(strcmp(bench.lines.at, NEXT), 0);
	CU_ASSERT_EQUAL(bench.lines.number, 2);
	/* Neither an address of another width nor a line without a module. */
	read_stack(&bench, MAIN "\t1020 main+0x5 (/bin/app)\n" NEXT);
	CU_ASSERT_EQUAL(bench.lines.number, 1);
	read_stack(&bench, MAIN "\t            1020 no module at all here\n" NEXT);
	CU_ASSERT_EQUAL(bench.lines.number, 1);
	bench_release(&bench);
}

static void
a_line_whose_end_is_not_there_is_left(void)
{
	struct bench bench;

	bench_init(&bench);
	node_id node = read_stack(&bench, MAIN "\t            1020 main+0x5 (/bin/app)   ");

	expect_path(&bench, node, "app;main");
	CU_ASSERT_EQUAL(bench.lines.number, 1);
	bench_release(&bench);
}

static void
the_same_stack_is_the_same_node(void)
{
	struct bench bench;

	bench_init(&bench);
	node_id first = read_stack(&bench, LEAF MAIN NEXT);
	size_t nnodes = bench.profile.tree.nnodes;

	CU_ASSERT_EQUAL(read_stack(&bench, LEAF MAIN NEXT), first);
	/* Another address in the same function is another line and the same frame. */
	CU_ASSERT_EQUAL(read_stack(&bench,
				"\tffffffff81000c90 do_mmap+0x4a2 ([kernel.kallsyms])\n" MAIN NEXT),
		first);
	CU_ASSERT_EQUAL(bench.profile.tree.nnodes, nnodes);
	bench_release(&bench);
}

/* The line that followed last time is only a guess. */
static void
a_line_may_be_followed_by_another_than_last_time(void)
{
	struct bench bench;
	static const char other[] = "\t            1020 other+0x5 (/bin/app)\n";
	char text[256];

	bench_init(&bench);
	for (int round = 0; round < 3; round++) {
		expect_path(&bench, read_stack(&bench, LEAF MAIN NEXT), "app;main;do_mmap_[k]");
		snprintf(text, sizeof(text), "%s%s%s", LEAF, other, NEXT);
		expect_path(&bench, read_stack(&bench, text), "app;other;do_mmap_[k]");
		snprintf(text, sizeof(text), "%s%s%s", other, MAIN, NEXT);
		expect_path(&bench, read_stack(&bench, text), "app;main;other");
	}
	bench_release(&bench);
}

static void
a_stack_belongs_to_its_root(void)
{
	struct bench bench;

	bench_init(&bench);
	node_id first = read_stack(&bench, MAIN NEXT);

	bench.root = ctree_child(&bench.profile.tree, CTREE_ROOT,
		profile_frame(&bench.profile, "db", 2, FRAME_USER));
	node_id second = read_stack(&bench, MAIN NEXT);

	CU_ASSERT_NOT_EQUAL(first, second);
	expect_path(&bench, second, "db;main");
	bench_release(&bench);
}

static void
whether_the_leaf_has_a_name_is_reported_each_time(void)
{
	static const char nameless[] = "\t            1020 [unknown] (/usr/lib/libc.so.6)\n";
	struct bench bench;
	char text[256];

	bench_init(&bench);
	for (int round = 0; round < 2; round++) {
		snprintf(text, sizeof(text), "%s%s%s", nameless, MAIN, NEXT);
		expect_path(&bench, read_stack(&bench, text), "app;main;[libc.so.6]");
		CU_ASSERT_FALSE(bench.leaf_is_known);
		/* A caller without a name says nothing of the leaf. */
		snprintf(text, sizeof(text), "%s%s%s", MAIN, nameless, NEXT);
		read_stack(&bench, text);
		CU_ASSERT(bench.leaf_is_known);
	}
	bench_release(&bench);
}

static void
a_stack_without_frames_is_its_root(void)
{
	struct bench bench;

	bench_init(&bench);
	expect_path(&bench, read_stack(&bench, NEXT), "app");
	CU_ASSERT(bench.leaf_is_known);
	bench_release(&bench);
}

static void
frames_parsed_elsewhere_stand_among_the_others(void)
{
	static const char line[] = "7f10 lzma_code+0x10 (/usr/lib/liblzma.so)";
	struct bench bench;
	struct script_frame frame;

	bench_init(&bench);
	CU_ASSERT(script_frame_parse((struct line){line, strlen(line)}, &bench.layout, &frame));
	script_stacks_begin(&bench.stacks, bench.root);
	script_stacks_add(&bench.stacks, &frame);
	bench.view = (struct file_view){.data = MAIN NEXT, .len = strlen(MAIN NEXT)};
	lines_init(&bench.lines, &bench.view);
	script_stacks_take(&bench.stacks, &bench.lines);
	node_id node = script_stacks_end(&bench.stacks).node;

	expect_path(&bench, node, "app;main;lzma_code");
	frame_id leaf = bench.profile.tree.nodes[node].frame;
	str_id module = bench.profile.frames.frames[leaf].module;

	UNIT_STR_EQ(strtab_str(&bench.profile.strings, module), "/usr/lib/liblzma.so");
	bench_release(&bench);
}

static void
a_carriage_return_is_no_part_of_a_line(void)
{
	struct bench bench;
	node_id node;

	bench_init(&bench);
	node = read_stack(&bench, "\t            1020 main+0x5 (/bin/app)\r\n" NEXT);
	CU_ASSERT_EQUAL(read_stack(&bench, MAIN NEXT), node);
	expect_path(&bench, node, "app;main");
	bench_release(&bench);
}

/* perf prints 127 frames of a stack where nothing else is set; inlined ones come on top. */
static void
a_stack_at_the_limit_of_frames_is_cut(void)
{
	for (unsigned depth = 126; depth <= 128; depth++) {
		struct bench bench;
		struct buf text = {0};

		bench_init(&bench);
		bench.stacks.limit = 127;
		buf_puts(&text, "\t            1010 small (inlined)\n");
		for (unsigned i = 0; i < depth; i++)
			buf_puts(&text, MAIN);
		buf_puts(&text, NEXT);
		const node_id leaf = read_stack(&bench, buf_text(&text));
		const node_id mark = profile_frame(
			&bench.profile, FRAME_TRUNCATED, strlen(FRAME_TRUNCATED), FRAME_USER);
		node_id node = leaf;

		while (bench.profile.tree.nodes[node].parent != bench.root)
			node = bench.profile.tree.nodes[node].parent;
		CU_ASSERT_EQUAL(bench.profile.tree.nodes[node].frame == mark, depth == 127);
		bench_release(&bench);
		buf_release(&text);
	}
}

/* Deeper than what is there at first. */
static void
a_stack_may_be_of_any_depth(void)
{
	struct bench bench;
	struct buf text = {0};
	node_id node;
	unsigned depth = 0;

	bench_init(&bench);
	for (unsigned i = 0; i < 5000; i++)
		buf_printf(&text, "\t%16x f%u+0x5 (/bin/app)\n", 0x1000 + i, i);
	buf_puts(&text, NEXT);
	node = read_stack(&bench, buf_text(&text));
	while (node != CTREE_ROOT) {
		node = bench.profile.tree.nodes[node].parent;
		depth++;
	}
	CU_ASSERT_EQUAL(depth, 5001);
	CU_ASSERT_EQUAL(bench.lines.number, 5000);
	buf_release(&text);
	bench_release(&bench);
}

struct roots_bench {
	struct profile profile;
	struct script_layout layout;
	struct script_roots roots;
	struct script_header header;
};

static void
roots_bench_init(struct roots_bench *roots_bench, const struct ingest_options *options)
{
	static const struct ingest_options everything;

	profile_init(&roots_bench->profile);
	roots_bench->layout = (struct script_layout){0};
	script_roots_init(&roots_bench->roots, &roots_bench->profile, &roots_bench->layout,
		options ? options : &everything);
}

static void
roots_bench_release(struct roots_bench *roots_bench)
{
	script_roots_release(&roots_bench->roots);
	profile_release(&roots_bench->profile);
}

/* The root of a line that is a header. */
static node_id
root_of(struct roots_bench *roots_bench, const char *line)
{
	const struct line text = {line, strlen(line)};
	node_id root = 0;

	if (script_roots_parse(&roots_bench->roots, text, &roots_bench->header, &root))
		return root;
	CU_ASSERT(script_header_parse(text, &roots_bench->layout, &roots_bench->header));
	return script_roots_find(&roots_bench->roots, text, &roots_bench->header);
}

static const char *
name_of(struct roots_bench *roots_bench, const char *line)
{
	node_id root = root_of(roots_bench, line);

	return root == SCRIPT_ROOT_NONE ? "(none)"
					: profile_frame_name(&roots_bench->profile,
						  roots_bench->profile.tree.nodes[root].frame);
}

static bool
span_is(struct line span, const char *text)
{
	return span.len == strlen(text) && memcmp(span.at, text, span.len) == 0;
}

static void
the_root_is_the_thread_s_name(void)
{
	struct roots_bench roots_bench;

	roots_bench_init(&roots_bench, NULL);
	UNIT_STR_EQ(name_of(&roots_bench, "my worker 12/34 [001] 1.5: 100 cycles:"), "my_worker");
	CU_ASSERT(span_is(roots_bench.header.comm, "my worker"));
	UNIT_STR_EQ(name_of(&roots_bench, "web 12/12 [001] 1.6: 100 cycles:"), "web");
	roots_bench_release(&roots_bench);
}

static void
a_line_that_begins_like_the_last_one_is_read_from_there(void)
{
	struct roots_bench roots_bench;

	roots_bench_init(&roots_bench, NULL);
	node_id first = root_of(&roots_bench, "web 12 [001] 1.5: 100 cycles:");

	CU_ASSERT_EQUAL(root_of(&roots_bench, "web 12 [000] 2.25: 7 page-faults:u:"), first);
	CU_ASSERT_EQUAL(roots_bench.header.ids.len, 0);
	CU_ASSERT(span_is(roots_bench.header.time, "2.25"));
	CU_ASSERT(span_is(roots_bench.header.event, "page-faults:u"));
	roots_bench_release(&roots_bench);
}

/* "web 1" is how "web 12" begins, and how the thread "web 1" of another process does. */
static void
a_front_that_only_begins_alike_is_another(void)
{
	struct ingest_options options = {.by = {{{LABEL_TID, "tid"}}, 1}};
	struct roots_bench roots_bench;

	roots_bench_init(&roots_bench, &options);
	UNIT_STR_EQ(name_of(&roots_bench, "web 1 1.5: cycles:"), "web-1/1");
	UNIT_STR_EQ(name_of(&roots_bench, "web 12 1.5: cycles:"), "web-12/12");
	UNIT_STR_EQ(name_of(&roots_bench, "web 1 1.5: cycles:"), "web-1/1");
	UNIT_STR_EQ(name_of(&roots_bench, "web 1 7 1.5: cycles:"), "web_1-7/7");
	UNIT_STR_EQ(name_of(&roots_bench, "web 1/2 1.5: cycles:"), "web-1/2");
	roots_bench_release(&roots_bench);
}

static void
other_lines_set_no_root(void)
{
	struct roots_bench roots_bench;
	node_id root = 77;

	roots_bench_init(&roots_bench, NULL);
	CU_ASSERT_FALSE(script_roots_parse(
		&roots_bench.roots, (struct line){"what", 4}, &roots_bench.header, &root));
	CU_ASSERT_EQUAL(root, 77);
	roots_bench_release(&roots_bench);
}

static void
all_that_is_asked_for_must_hold(void)
{
	struct ingest_options options = {.pid = 12, .tid = 34, .comm = "my_worker"};
	struct roots_bench roots_bench;

	roots_bench_init(&roots_bench, &options);
	UNIT_STR_EQ(name_of(&roots_bench, "my worker 12/34 1.5: cycles:"), "my_worker");
	UNIT_STR_EQ(name_of(&roots_bench, "my worker 12/35 1.5: cycles:"), "(none)");
	UNIT_STR_EQ(name_of(&roots_bench, "my worker 13/34 1.5: cycles:"), "(none)");
	UNIT_STR_EQ(name_of(&roots_bench, "worker 12/34 1.5: cycles:"), "(none)");
	/* Once more, where the answer is known. */
	UNIT_STR_EQ(name_of(&roots_bench, "worker 12/34 1.5: cycles:"), "(none)");
	roots_bench_release(&roots_bench);
}

static void
one_number_is_the_thread_and_its_process(void)
{
	struct ingest_options options = {.pid = 12};
	struct roots_bench roots_bench;

	roots_bench_init(&roots_bench, &options);
	UNIT_STR_EQ(name_of(&roots_bench, "web 12 1.5: cycles:"), "web");
	UNIT_STR_EQ(name_of(&roots_bench, "web 13 1.5: cycles:"), "(none)");
	roots_bench_release(&roots_bench);
}

static void
a_process_is_named_after_its_first_thread(void)
{
	struct ingest_options options = {.by = {{{LABEL_PROCESS, "process"}}, 1}};
	struct roots_bench roots_bench;

	roots_bench_init(&roots_bench, &options);
	node_id pool = root_of(&roots_bench, "pool 10/11 1.5: cycles:");
	node_id web = root_of(&roots_bench, "web 10/10 1.6: cycles:");
	node_id lone = root_of(&roots_bench, "pool 30/31 1.6: cycles:");

	CU_ASSERT_EQUAL(pool, web);
	CU_ASSERT_NOT_EQUAL(pool, lone);
	script_roots_name_processes(&roots_bench.roots);
	UNIT_STR_EQ(profile_frame_name(
			    &roots_bench.profile, roots_bench.profile.tree.nodes[pool].frame),
		"web");
	UNIT_STR_EQ(profile_frame_name(
			    &roots_bench.profile, roots_bench.profile.tree.nodes[lone].frame),
		":30");
	roots_bench_release(&roots_bench);
}

/* A program that execs keeps its number: what it is now called is what it is known by. */
static void
a_process_has_the_last_name_of_its_first_thread(void)
{
	struct ingest_options options = {.by = {{{LABEL_PROCESS, "process"}}, 1}};
	struct roots_bench roots_bench;

	roots_bench_init(&roots_bench, &options);
	node_id root = root_of(&roots_bench, "sh 10/10 1.5: cycles:");

	CU_ASSERT_EQUAL(root_of(&roots_bench, "web server 10/10 1.5: cycles:"), root);
	script_roots_name_processes(&roots_bench.roots);
	UNIT_STR_EQ(profile_frame_name(
			    &roots_bench.profile, roots_bench.profile.tree.nodes[root].frame),
		"web_server");
	roots_bench_release(&roots_bench);
}

/* Far more fronts than are kept: nothing of those that were forgotten is looked at again. */
static void
roots_survive_that_fronts_are_forgotten(void)
{
	struct ingest_options options = {.by = {{{LABEL_PID, "pid"}}, 1}};
	struct roots_bench roots_bench;
	char line[512];
	node_id first;

	roots_bench_init(&roots_bench, &options);
	first = root_of(&roots_bench, "web 1/2 1.5: cycles:");
	for (unsigned i = 0; i < 60000; i++) {
		snprintf(line, sizeof(line), "web%*s1/%u 1.5: cycles:", 200, "", i + 3);
		CU_ASSERT_EQUAL_FATAL(root_of(&roots_bench, line), first);
	}
	CU_ASSERT(text_map_bytes(&roots_bench.roots.fronts) < (size_t)9 << 20);
	CU_ASSERT_EQUAL(root_of(&roots_bench, "web 1/2 1.5: cycles:"), first);
	roots_bench_release(&roots_bench);
}

static const struct unit_case cases[] = {
	{"frames_are_read_from_the_leaf_to_the_root", frames_are_read_from_the_leaf_to_the_root},
	{"what_is_no_frame_is_left_in_the_lines", what_is_no_frame_is_left_in_the_lines},
	{"a_line_whose_end_is_not_there_is_left", a_line_whose_end_is_not_there_is_left},
	{"the_same_stack_is_the_same_node", the_same_stack_is_the_same_node},
	{"a_line_may_be_followed_by_another_than_last_time",
		a_line_may_be_followed_by_another_than_last_time},
	{"a_stack_belongs_to_its_root", a_stack_belongs_to_its_root},
	{"whether_the_leaf_has_a_name_is_reported_each_time",
		whether_the_leaf_has_a_name_is_reported_each_time},
	{"a_stack_without_frames_is_its_root", a_stack_without_frames_is_its_root},
	{"frames_parsed_elsewhere_stand_among_the_others",
		frames_parsed_elsewhere_stand_among_the_others},
	{"a_carriage_return_is_no_part_of_a_line", a_carriage_return_is_no_part_of_a_line},
	{"a_stack_at_the_limit_of_frames_is_cut", a_stack_at_the_limit_of_frames_is_cut},
	{"a_stack_may_be_of_any_depth", a_stack_may_be_of_any_depth},
	{"the_root_is_the_thread_s_name", the_root_is_the_thread_s_name},
	{"a_line_that_begins_like_the_last_one_is_read_from_there",
		a_line_that_begins_like_the_last_one_is_read_from_there},
	{"a_front_that_only_begins_alike_is_another", a_front_that_only_begins_alike_is_another},
	{"other_lines_set_no_root", other_lines_set_no_root},
	{"all_that_is_asked_for_must_hold", all_that_is_asked_for_must_hold},
	{"one_number_is_the_thread_and_its_process", one_number_is_the_thread_and_its_process},
	{"a_process_is_named_after_its_first_thread", a_process_is_named_after_its_first_thread},
	{"a_process_has_the_last_name_of_its_first_thread",
		a_process_has_the_last_name_of_its_first_thread},
	{"roots_survive_that_fronts_are_forgotten", roots_survive_that_fronts_are_forgotten},
	{NULL, NULL},
};

void
suite_ingest_script_stacks(void)
{
	unit_suite("ingest/script_stacks", cases);
}
