/* Profiles whose frames are given canonical names; canonical_test.c has the names. */
#include "profile/canonical.h"

#include "unit.h"

#include <string.h>

void suite_profile_canonical_join(void);

/* Adds `weight` to a stack of frames joined by ';'. */
static void
add(struct profile *profile, size_t run, const char *stack, double weight)
{
	node_id node = CTREE_ROOT;

	for (const char *at = stack; *at;) {
		size_t len = strcspn(at, ";");

		node = ctree_child(&profile->tree, node, profile_frame_text(profile, at, len));
		at += len + (at[len] == ';');
	}
	ctree_add(&profile->tree, run, node, weight);
}

/* The weight of exactly this stack, -1 if there is no such node. */
static double
weight_of(struct profile *profile, size_t run, const char *stack)
{
	size_t nodes = profile->tree.nnodes;
	node_id node = CTREE_ROOT;

	for (const char *at = stack; *at;) {
		size_t len = strcspn(at, ";");

		node = ctree_child(&profile->tree, node, profile_frame_text(profile, at, len));
		at += len + (at[len] == ';');
	}
	return profile->tree.nnodes == nodes ? ctree_weight(&profile->tree, run, node) : -1;
}

/* Folds stacks "a;b 3" (weight after the last space) of one run. */
static struct profile
folded(const char *const *stacks)
{
	struct profile from;
	struct profile into;

	profile_init(&from);
	profile_init(&into);
	profile_add_run(&from);
	for (; *stacks; stacks++)
		add(&from, 0, *stacks, 1);
	canonical_join(&into, &from, NULL);
	profile_release(&from);
	return into;
}

static void
clones_become_one_frame_and_weights_are_kept(void)
{
	struct profile from;
	struct profile into;

	profile_init(&from);
	profile_init(&into);
	profile_add_run(&from);
	profile_add_run(&from);
	from.runs[1].samples = 77;
	from.event = strtab_intern_str(&from.strings, "cycles");
	add(&from, 0, "app;main;foo", 3);
	add(&from, 1, "app;main;foo.isra.0", 5);
	add(&from, 0, "app;main;foo.cold;bar", 7);
	add(&from, 1, "app;main;foo.isra.0;bar", 11);
	add(&from, 1, "app;main;foo.isra.0_[k]", 13);
	canonical_join(&into, &from, NULL);
	CU_ASSERT_EQUAL(into.nruns, 2);
	CU_ASSERT_EQUAL(into.runs[1].samples, 77);
	UNIT_STR_EQ(strtab_str(&into.strings, into.event), "cycles");
	UNIT_NEAR(weight_of(&into, 0, "app;main;foo"), 3, 0);
	UNIT_NEAR(weight_of(&into, 1, "app;main;foo"), 5, 0);
	UNIT_NEAR(weight_of(&into, 0, "app;main;foo;bar"), 7, 0);
	UNIT_NEAR(weight_of(&into, 1, "app;main;foo;bar"), 11, 0);
	UNIT_NEAR(weight_of(&into, 1, "app;main;foo_[k]"), 13, 0);
	UNIT_NEAR(profile_column_total(&into, 0), 10, 0);
	UNIT_NEAR(profile_column_total(&into, 1), 29, 0);
	profile_release(&into);
	profile_release(&from);
}

/* Pieces, clones, frames of one side alone and of both, in another order. */
static void
joining_is_folding_what_was_appended(void)
{
	struct profile sides[2];
	struct profile appended;
	struct profile into[2];

	profile_init(&sides[0]);
	profile_init(&sides[1]);
	profile_init(&appended);
	profile_add_run(&sides[0]);
	profile_add_run(&sides[0]);
	profile_add_run(&sides[1]);
	add(&sides[0], 0, "app;main;foo;foo.part.0;bar", 3);
	add(&sides[0], 1, "app;main;foo.isra.0", 5);
	add(&sides[0], 0, "app;old", 7);
	add(&sides[1], 0, "app;new.cold;foo", 11);
	add(&sides[1], 0, "app;main;foo;foo.part.0", 13);
	add(&sides[1], 0, "app;main;foo.constprop.0;bar", 17);
	for (int i = 0; i < 2; i++) {
		profile_append(&appended, &sides[i]);
		profile_init(&into[i]);
	}
	canonical_join(&into[0], &appended, NULL);
	canonical_join(&into[1], &sides[0], &sides[1]);
	CU_ASSERT_EQUAL(into[1].nruns, 3);
	CU_ASSERT_EQUAL(into[1].frames.nframes, into[0].frames.nframes);
	CU_ASSERT_EQUAL_FATAL(into[1].tree.nnodes, into[0].tree.nnodes);
	for (node_id i = 1; i < into[0].tree.nnodes; i++) {
		CU_ASSERT_EQUAL(into[1].tree.nodes[i].parent, into[0].tree.nodes[i].parent);
		CU_ASSERT_EQUAL(into[1].tree.nodes[i].frame, into[0].tree.nodes[i].frame);
		for (size_t run = 0; run < 3; run++)
			UNIT_NEAR(ctree_weight(&into[1].tree, run, i),
				ctree_weight(&into[0].tree, run, i), 0);
	}
	UNIT_NEAR(weight_of(&into[1], 2, "app;main;foo;bar"), 17, 0);
	UNIT_NEAR(weight_of(&into[1], 2, "app;main;foo"), 13, 0);
	for (int i = 0; i < 2; i++) {
		profile_release(&into[i]);
		profile_release(&sides[i]);
	}
	profile_release(&appended);
}

static void
a_function_is_where_the_second_side_has_it(void)
{
	struct profile sides[2];
	struct profile into;

	for (int i = 0; i < 2; i++) {
		profile_init(&sides[i]);
		profile_add_run(&sides[i]);
		add(&sides[i], 0, i == 0 ? "app;foo;old" : "app;foo", 1);
		for (frame_id id = 1; id < sides[i].frames.nframes; id++) {
			struct frame *frame = &sides[i].frames.frames[id];

			frame->file = strtab_intern_str(&sides[i].strings, i == 0 ? "a.c" : "b.c");
			frame->line = (uint32_t)i + 1;
		}
	}
	profile_init(&into);
	canonical_join(&into, &sides[0], &sides[1]);
	const struct frame *frames = into.frames.frames;
	frame_id foo = profile_frame_text(&into, "foo", 3);
	frame_id old = profile_frame_text(&into, "old", 3);

	UNIT_STR_EQ(strtab_str(&into.strings, frames[foo].file), "b.c");
	CU_ASSERT_EQUAL(frames[foo].line, 2);
	UNIT_STR_EQ(strtab_str(&into.strings, frames[old].file), "a.c");
	CU_ASSERT_EQUAL(frames[old].line, 1);
	profile_release(&into);
	for (int i = 0; i < 2; i++)
		profile_release(&sides[i]);
}

static const char *
full_of(struct profile *profile, const char *name)
{
	frame_id frame = profile_frame_text(profile, name, strlen(name));

	return strtab_str(&profile->strings, profile->frames.frames[frame].full);
}

static void
full_names_are_kept_whatever_the_order(void)
{
	static const char *const stacks[] = {
		"app;b.part.0", "app;a.isra.0", "app;b", "app;c.isra.1", "app;c.isra.0", NULL};
	static const char *const backwards[] = {
		"app;c.isra.0", "app;c.isra.1", "app;b", "app;a.isra.0", "app;b.part.0", NULL};

	for (int i = 0; i < 2; i++) {
		struct profile into = folded(i == 0 ? stacks : backwards);

		UNIT_STR_EQ(full_of(&into, "a"), "a.isra.0");
		UNIT_STR_EQ(full_of(&into, "b"), "b.part.0");
		UNIT_STR_EQ(full_of(&into, "c"), "c.isra.0");
		profile_release(&into);
	}
}

static void
attributes_of_frames_are_kept(void)
{
	struct profile from;
	struct profile into;

	profile_init(&from);
	profile_init(&into);
	frame_id frame = profile_frame_text(&from, "foo.isra.0", 10);
	frame_id other = profile_frame_text(&from, "foo", 3);

	from.frames.frames[frame].file = strtab_intern_str(&from.strings, "src/foo.c");
	from.frames.frames[frame].line = 12;
	from.frames.frames[other].module = strtab_intern_str(&from.strings, "/bin/foo");
	canonical_join(&into, &from, NULL);
	const struct frame *mine = &into.frames.frames[profile_frame_text(&into, "foo", 3)];

	UNIT_STR_EQ(strtab_str(&into.strings, mine->file), "src/foo.c");
	CU_ASSERT_EQUAL(mine->line, 12);
	UNIT_STR_EQ(strtab_str(&into.strings, mine->module), "/bin/foo");
	profile_release(&into);
	profile_release(&from);
}

static void
a_function_and_its_piece_are_one_frame(void)
{
	static const char *const stacks[] = {"app;foo;foo.part.0;bar",
		"app;foo.isra.0;foo.isra.0.cold", "app;baz.constprop.0;baz.part.0",
		"app;qux;qux.isra.0;qux.isra.0.part.0", NULL};
	struct profile into = folded(stacks);

	UNIT_NEAR(weight_of(&into, 0, "app;foo;bar"), 1, 0);
	UNIT_NEAR(weight_of(&into, 0, "app;foo"), 1, 0);
	UNIT_NEAR(weight_of(&into, 0, "app;baz"), 1, 0);
	UNIT_NEAR(weight_of(&into, 0, "app;qux"), 1, 0);
	profile_release(&into);
}

static void
recursion_stays(void)
{
	static const char *const stacks[] = {"app;foo;foo", "app;bar.part.0;bar;bar.part.0;bar;x",
		"app;baz.constprop.0;baz.constprop.1", "app;JS:~fn f.js:1;JS:*fn f.js:1", NULL};
	struct profile into = folded(stacks);

	UNIT_NEAR(weight_of(&into, 0, "app;foo;foo"), 1, 0);
	UNIT_NEAR(weight_of(&into, 0, "app;bar;bar;bar;x"), 1, 0);
	UNIT_NEAR(weight_of(&into, 0, "app;baz;baz"), 1, 0);
	UNIT_NEAR(weight_of(&into, 0, "app;JS:fn f.js:1;JS:fn f.js:1"), 1, 0);
	profile_release(&into);
}

static void
a_profile_of_canonical_names_stays_as_it_is(void)
{
	static const char *const stacks[] = {"app;main;foo", "app;main", "app;[broken];foo", NULL};
	struct profile into = folded(stacks);

	UNIT_NEAR(weight_of(&into, 0, "app;main;foo"), 1, 0);
	UNIT_NEAR(weight_of(&into, 0, "app;[broken];foo"), 1, 0);
	CU_ASSERT_EQUAL(into.tree.nnodes, 6);
	UNIT_STR_EQ(full_of(&into, "foo"), "");
	profile_release(&into);
}

/* The same stacks on two machines, the second with this line of description. */
static struct profile
joined(const char *host)
{
	static const char *const here[] = {
		"app;read;entry_SYSCALL_64_[k];do_syscall_64_[k];__x64_sys_read_[k];vfs_read_[k]",
		"app;read;entry_SYSCALL_64_[k]", "app;f;asm_exc_page_fault_[k];do_fault_[k]",
		"app;f;handle_[k]", "app;g;__x64_sys_read_[k];asm_exc_page_fault_[k]", NULL};
	static const char *const there[] = {
		"app;read;entry_SYSCALL_64_[k];do_syscall_64_[k];__x64_sys_read_[k];pvm_copy_[k]",
		"app;f;asm_exc_page_fault_[k];pvm_fault_[k]", NULL};
	struct profile into;
	struct profile sides[2];

	profile_init(&into);
	for (int side = 0; side < 2; side++) {
		profile_init(&sides[side]);
		profile_add_run(&sides[side]);
		for (const char *const *stack = side ? there : here; *stack; stack++)
			add(&sides[side], 0, *stack, 1);
		sides[side].host = strtab_intern_str(
			&sides[side].strings, side ? host : "one, 6.1.0-13, x86_64, CPU 1");
	}
	canonical_join(&into, &sides[0], &sides[1]);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
	return into;
}

static void
functions_of_two_kernels_become_the_ways_into_them(void)
{
	struct profile into = joined("one, 6.1.0-14, x86_64, CPU 1");

	UNIT_NEAR(weight_of(&into, 0, "app;read;system call read_[k]"), 1, 0);
	UNIT_NEAR(weight_of(&into, 1, "app;read;system call read_[k]"), 1, 0);
	UNIT_NEAR(weight_of(&into, 0, "app;read;system call_[k]"), 1, 0);
	UNIT_NEAR(weight_of(&into, 0, "app;f;page fault_[k]"), 1, 0);
	UNIT_NEAR(weight_of(&into, 1, "app;f;page fault_[k]"), 1, 0);
	UNIT_NEAR(weight_of(&into, 0, "app;f;kernel_[k]"), 1, 0);
	UNIT_NEAR(weight_of(&into, 0, "app;g;system call read_[k]"), 1, 0);
	UNIT_NEAR(weight_of(&into, 0, "app;g;system call read_[k];page fault_[k]"), -1, 0);
	profile_release(&into);
}

static void
functions_of_one_kernel_keep_their_names(void)
{
	static const char *const hosts[] = {"two, 6.1.0-13, x86_64, CPU 2", "", "two, x86_64"};

	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		struct profile into = joined(hosts[i]);

		UNIT_NEAR(weight_of(&into, 1,
				  "app;read;entry_SYSCALL_64_[k];do_syscall_64_[k];"
				  "__x64_sys_read_[k];pvm_copy_[k]"),
			1, 0);
		UNIT_NEAR(weight_of(&into, 0, "app;f;asm_exc_page_fault_[k];do_fault_[k]"), 1, 0);
		profile_release(&into);
	}
}

static void
what_is_below_an_interrupt_is_one_frame(void)
{
	static const char *const stacks[] = {
		"app;f;asm_sysvec_apic_timer_interrupt_[k];irq_exit_[k];pvm_irq_enable_[k]",
		"app;f;asm_common_interrupt_[k]",
		"app;f;__x64_sys_read_[k];vfs_read_[k];asm_common_interrupt_[k];net_rx_action_[k]",
		"app;f;pvm_irq_enable_[k]", NULL};
	struct profile into = folded(stacks);

	UNIT_NEAR(weight_of(&into, 0, "app;f;interrupt_[k]"), 2, 0);
	UNIT_NEAR(weight_of(&into, 0, "app;f;__x64_sys_read_[k];vfs_read_[k];interrupt_[k]"), 1, 0);
	UNIT_NEAR(weight_of(&into, 0, "app;f;pvm_irq_enable_[k]"), 1, 0);
	profile_release(&into);
}

static void
variants_of_a_function_are_listed(void)
{
	static const struct {
		const char *function;
		const char *variants;
	} examples[] = {
		{"strlen", "evex, avx2_rtm"},
		{"memmove", "avx512_unaligned_erms"},
		{"strcpy", ""},
		{"sum", ""},
	};
	static const char *const stacks[] = {"app;main;__strlen_evex",
		"app;main;f;__strlen_avx2_rtm", "app;__memcpy_avx512_unaligned_erms", "app;strcpy",
		"app;sum_avx2", NULL};
	struct profile profile;
	struct buf text = {0};

	profile_init(&profile);
	profile_add_run(&profile);
	for (const char *const *stack = stacks; *stack; stack++)
		add(&profile, 0, *stack, 1);
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		buf_clear(&text);
		canonical_put_variants(&profile, examples[i].function, &text);
		UNIT_STR_EQ(buf_text(&text), examples[i].variants);
	}
	buf_release(&text);
	profile_release(&profile);
}

void
suite_profile_canonical_join(void)
{
	static const struct unit_case cases[] = {
		{"clones_become_one_frame_and_weights_are_kept",
			clones_become_one_frame_and_weights_are_kept},
		{"joining_is_folding_what_was_appended", joining_is_folding_what_was_appended},
		{"a_function_is_where_the_second_side_has_it",
			a_function_is_where_the_second_side_has_it},
		{"full_names_are_kept_whatever_the_order", full_names_are_kept_whatever_the_order},
		{"attributes_of_frames_are_kept", attributes_of_frames_are_kept},
		{"a_function_and_its_piece_are_one_frame", a_function_and_its_piece_are_one_frame},
		{"recursion_stays", recursion_stays},
		{"variants_of_a_function_are_listed", variants_of_a_function_are_listed},
		{"functions_of_two_kernels_become_the_ways_into_them",
			functions_of_two_kernels_become_the_ways_into_them},
		{"functions_of_one_kernel_keep_their_names",
			functions_of_one_kernel_keep_their_names},
		{"what_is_below_an_interrupt_is_one_frame",
			what_is_below_an_interrupt_is_one_frame},
		{"a_profile_of_canonical_names_stays_as_it_is",
			a_profile_of_canonical_names_stays_as_it_is},
		{NULL, NULL},
	};

	unit_suite("profile/canonical_join", cases);
}
