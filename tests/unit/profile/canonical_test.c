#include "profile/canonical.h"

#include "base/mem.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

void suite_profile_canonical(void);

struct example {
	const char *name;
	const char *canonical; /* NULL: stays */
};

static void
check(const struct example *examples)
{
	struct buf out;

	buf_init(&out);
	for (; examples->name; examples++) {
		const char *expected = examples->canonical ? examples->canonical : examples->name;
		bool differs = canonical_name(examples->name, strlen(examples->name), &out);

		UNIT_STR_EQ(buf_text(&out), expected);
		CU_ASSERT_EQUAL(differs, examples->canonical != NULL);
	}
	buf_release(&out);
}

static void
clones_of_gcc_and_llvm_fold(void)
{
	static const struct example examples[] = {
		{"foo.isra.0", "foo"},
		{"foo.constprop.12", "foo"},
		{"foo.part.3", "foo"},
		{"foo.cold", "foo"},
		{"foo.cold.1", "foo"},
		{"foo.lto_priv.0", "foo"},
		{"foo.localalias", "foo"},
		{"foo.localalias.2", "foo"},
		{"foo.llvm.11046083923853476421", "foo"},
		{"foo.clone.4", "foo"},
		{"foo.resolver", "foo"},
		{"foo.ifunc", "foo"},
		{"foo.__uniq.239084523904852390485239048523904852", "foo"},
		{"_ZN2ns3fooEv.cold", "_ZN2ns3fooEv"},
		{"ns::foo<int>.isra.0", "ns::foo<int>"},
		{NULL, NULL},
	};

	check(examples);
}

static void
chains_of_suffixes_fold(void)
{
	static const struct example examples[] = {
		{"foo.constprop.0.isra.0.cold", "foo"},
		{"foo.part.0.lto_priv.1.cold.2", "foo"},
		{"foo.__uniq.123.llvm.456", "foo"},
		{"core::fmt::write::h0123456789abcdef.llvm.77", "core::fmt::write"},
		{"inner.0.constprop.0.cold", "inner.0"},
		{NULL, NULL},
	};

	check(examples);
}

static void
notes_of_demanglers_fold(void)
{
	static const struct example examples[] = {
		{"foo(int) [clone .isra.0]", "foo(int)"},
		{"foo(int) [clone .isra.0] [clone .cold]", "foo(int)"},
		{"foo(int) [clone .constprop.0.isra.0.cold]", "foo(int)"},
		{"foo(int) (.llvm.123)", "foo(int)"},
		{"foo(char const*, ...) (.cold.1)", "foo(char const*, ...)"},
		{"foo(char const*, ...) [clone .cold]", "foo(char const*, ...)"},
		{"foo(int) [clone .avx2]", NULL},
		{"foo(int) [clone ]", NULL},
		{"foo (.bar)", NULL},
		{"foo ()", NULL},
		{NULL, NULL},
	};

	check(examples);
}

static void
symbol_versions_fold_and_plt_stays(void)
{
	static const struct example examples[] = {
		{"memcpy@@GLIBC_2.34", "memcpy"},
		{"memcpy@GLIBC_2.2.5", "memcpy"},
		{"__libc_early_init@@GLIBC_PRIVATE", "__libc_early_init"},
		{"__libc_early_init@GLIBC_PRIVATE", "__libc_early_init"},
		{"std::terminate()@@GLIBCXX_3.4", "std::terminate()"},
		{"foo@@Base", "foo"},
		{"foo@plt", NULL},
		{"foo@GLIBC_2.34@plt", NULL},
		{"foo@", NULL},
		{"foo@@", NULL},
		{"foo@home", NULL},
		{"@@GLIBC_2.34", NULL},
		{NULL, NULL},
	};

	check(examples);
}

static void
hashes_of_rust_fold(void)
{
	static const struct example examples[] = {
		{"alloc::vec::Vec<T>::push::h0123456789abcdef", "alloc::vec::Vec<T>::push"},
		{"<T as core::fmt::Debug>::fmt::hdeadbeefdeadbeef", "<T as core::fmt::Debug>::fmt"},
		{"foo::h0123456789abcde", NULL},
		{"foo::h0123456789abcdefa", NULL},
		{"foo::h0123456789ABCDEF", NULL},
		{"foo::hello_world_is_it", NULL},
		{"::h0123456789abcdef", NULL},
		{NULL, NULL},
	};

	check(examples);
}

static void
tiers_of_jits_fold(void)
{
	static const struct example examples[] = {
		{"LazyCompile:*fn file.js:1:2", "JS:fn file.js:1:2"},
		{"LazyCompile:~fn file.js:1:2", "JS:fn file.js:1:2"},
		{"Function:~fn file.js:1:2", "JS:fn file.js:1:2"},
		{"JS:*fn file.js:1:2", "JS:fn file.js:1:2"},
		{"JS:^fn file.js:1:2", "JS:fn file.js:1:2"},
		{"JS:+fn file.js:1:2", "JS:fn file.js:1:2"},
		{"JS:~ file.js:1:2", "JS: file.js:1:2"},
		{"JS:fn file.js:1:2", NULL},
		{"JS:fn part.cold", NULL},
		{"JS:*", NULL},
		{"Builtin:ArrayPrototypePush", NULL},
		{"Script:~file.js", NULL},
		{"java.lang.String.hashCode_[0]", "java.lang.String.hashCode"},
		{"java.lang.String.hashCode_[1]", "java.lang.String.hashCode"},
		{"void [System.Private.CoreLib] System.Foo::Bar()[OptimizedTier1]",
			"void [System.Private.CoreLib] System.Foo::Bar()"},
		{"foo[Tier]", NULL},
		{NULL, NULL},
	};

	check(examples);
}

static void
names_of_other_languages_and_lambdas_stay(void)
{
	static const struct example examples[] = {
		{"", NULL},
		{".", NULL},
		{"operator.", NULL},
		{"foo.bar", NULL},
		{"foo.part", NULL},
		{"foo.isra", NULL},
		{"foo.isra.0x", NULL},
		{"foo.isra.", NULL},
		{"foo.0", NULL},
		{".cold", NULL},
		{".isra.0", NULL},
		{"runtime.mallocgc", NULL},
		{"main.(*T).cold", NULL},
		{"main.thing.resolver", NULL},
		{"github.com/x/y.cold", NULL},
		{"camlStdlib__List.map_321", NULL},
		{"foo()::{lambda(int)#1}::operator()(int) const", NULL},
		{"(anonymous namespace)::foo(int)", NULL},
		{"[unknown]", NULL},
		{"[libc.so.6]", NULL},
		{FRAME_TRUNCATED, NULL},
		{NULL, NULL},
	};

	check(examples);
}

/* Pieces that the rules look for, in every order: what is canonical stays so. */
static void
a_canonical_name_is_its_own(void)
{
	static const char *const pieces[] = {"foo", ".cold", ".cold.1", ".isra.0", "JS:", "*", "~",
		"Function:", "@@V_1", "@", "::h0123456789abcdef", " [clone .part.0]", " (.llvm.1)",
		"_[0]", "/", ".bar", "(int)", "[Optimized]"};
	const size_t n = sizeof(pieces) / sizeof(pieces[0]);
	struct buf name;
	struct buf once;
	struct buf twice;

	buf_init(&name);
	buf_init(&once);
	buf_init(&twice);
	for (size_t i = 0; i < n * n * n * n; i++) {
		buf_clear(&name);
		for (size_t k = 0, left = i; k < 4; k++, left /= n)
			buf_puts(&name, pieces[left % n]);
		canonical_name(buf_text(&name), name.len, &once);
		bool again = canonical_name(buf_text(&once), once.len, &twice);

		if (again || once.len == 0)
			UNIT_STR_EQ(buf_text(&name), "a name whose canonical name is not its own");
	}
	buf_release(&name);
	buf_release(&once);
	buf_release(&twice);
	CU_PASS("looked at all");
}

/* Quadratic time would be hours. */
static void
a_megabyte_of_suffixes_is_soon_read(void)
{
	static const char *const ends[] = {".cold", " [clone .cold]", "@", "1", ".part.0", "::h0"};
	struct buf name;
	struct buf out;

	buf_init(&name);
	buf_init(&out);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		buf_clear(&name);
		buf_puts(&name, "a.b");
		while (name.len < (1 << 20))
			buf_puts(&name, ends[i]);

		canonical_name(buf_text(&name), name.len, &out);
		CU_ASSERT_TRUE(out.len <= name.len);
	}
	buf_release(&name);
	buf_release(&out);
}

static void
any_bytes_are_taken(void)
{
	static const char name[] = "a\0b.cold";
	struct buf out;

	buf_init(&out);
	CU_ASSERT_TRUE(canonical_name(name, sizeof(name) - 1, &out));
	CU_ASSERT_EQUAL(out.len, 3);
	CU_ASSERT_FALSE(canonical_name("JS:\0x", 5, &out));
	CU_ASSERT_EQUAL(out.len, 5);
	buf_release(&out);
}

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
	canonical_fold(&into, &from);
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
	canonical_fold(&into, &from);
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
	canonical_fold(&into[0], &appended);
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
	canonical_fold(&into, &from);
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

void
suite_profile_canonical(void)
{
	static const struct unit_case cases[] = {
		{"clones_of_gcc_and_llvm_fold", clones_of_gcc_and_llvm_fold},
		{"chains_of_suffixes_fold", chains_of_suffixes_fold},
		{"notes_of_demanglers_fold", notes_of_demanglers_fold},
		{"symbol_versions_fold_and_plt_stays", symbol_versions_fold_and_plt_stays},
		{"hashes_of_rust_fold", hashes_of_rust_fold},
		{"tiers_of_jits_fold", tiers_of_jits_fold},
		{"names_of_other_languages_and_lambdas_stay",
			names_of_other_languages_and_lambdas_stay},
		{"a_canonical_name_is_its_own", a_canonical_name_is_its_own},
		{"a_megabyte_of_suffixes_is_soon_read", a_megabyte_of_suffixes_is_soon_read},
		{"any_bytes_are_taken", any_bytes_are_taken},
		{"clones_become_one_frame_and_weights_are_kept",
			clones_become_one_frame_and_weights_are_kept},
		{"joining_is_folding_what_was_appended", joining_is_folding_what_was_appended},
		{"full_names_are_kept_whatever_the_order", full_names_are_kept_whatever_the_order},
		{"attributes_of_frames_are_kept", attributes_of_frames_are_kept},
		{"a_function_and_its_piece_are_one_frame", a_function_and_its_piece_are_one_frame},
		{"recursion_stays", recursion_stays},
		{"a_profile_of_canonical_names_stays_as_it_is",
			a_profile_of_canonical_names_stays_as_it_is},
		{NULL, NULL},
	};

	unit_suite("profile/canonical", cases);
}
