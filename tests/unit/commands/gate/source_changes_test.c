/* Functions with changed source, in repositories of git, and with profiles that are made up. */
#include "gate/source_changes.h"

#include "builds/git.h"
#include "builds/git_fixture.h"
#include "gate/inlined_calls.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

void suite_gate_source_changes(void);

struct known {
	const char *name; /* with its suffix */
	const char *file; /* NULL: not known */
	uint32_t line;
	enum source_state expected;
	uint32_t definition; /* the changed type or macro that it is compiled from */
};

static void
check_code(const char *base, const struct known *known, size_t n, bool type, enum code_state state)
{
	struct comparison comparison = {0};
	struct profile *profile = &comparison.profile;
	struct code_states code = {0};
	char head[GIT_COMMIT_SIZE];

	git_head(NULL, head);
	profile_init(profile);
	for (size_t i = 0; i < n; i++) {
		const frame_id id =
			profile_frame_text(profile, known[i].name, strlen(known[i].name));
		struct frame *frame = &profile->frames.frames[id];

		frame->line = known[i].line;
		if (known[i].file)
			frame->file = strtab_intern_str(&profile->strings, known[i].file);
	}
	code.nframes = profile->frames.nframes;
	code.by_frame = mem_zalloc(code.nframes, sizeof(*code.by_frame));
	for (size_t i = 1; i < code.nframes; i++)
		code.by_frame[i] = state;
	struct source_changes *changes = source_changes_new(base, head);

	UNIT_NEED(changes);
	/* A second look at the same profile reads nothing again. */
	for (int look = 0; look < 2; look++) {
		free(code.source);
		free(code.definition);
		code.definition = NULL;
		source_changes_find(changes, profile, &comparison, &code);
		for (size_t i = 0; i < n; i++) {
			const frame_id id =
				profile_frame_text(profile, known[i].name, strlen(known[i].name));

			if (code.source[id] != known[i].expected)
				fprintf(stderr, "%s is %d\n", known[i].name, code.source[id]);
			CU_ASSERT_EQUAL(code.source[id], known[i].expected);
			CU_ASSERT_EQUAL(
				code.definition ? code.definition[id] : 0, known[i].definition);
			/*
			 * The same code does not show that a function does the same, if it reads
			 * changed data.
			 */
			CU_ASSERT_EQUAL(code.by_frame[id],
				state == CODE_SAME && known[i].expected == SOURCE_USES
					? CODE_UNKNOWN
					: state);
		}
	}
	CU_ASSERT_EQUAL(code.by_frame[0] == CODE_CHANGED, type);
	free(code.by_frame);
	free(code.source);
	free(code.definition);
	source_changes_free(changes);
	profile_release(profile);
}

static void
check(const char *base, const struct known *known, size_t n, bool type)
{
	check_code(base, known, n, type, CODE_CHANGED);
}

static void
of_c(void)
{
	static const struct known known[] = {{"walk", "a.c", 1, SOURCE_CHANGED, 0},
		{"step_[i]", "a.c", 5, SOURCE_SAME, 0}, {"sort", "a.c", 9, SOURCE_SAME, 0},
		{"order", "a.c", 10, SOURCE_CHANGED, 0}, {"last", "a.c", 14, SOURCE_SAME, 0},
		{"other", "b.c", 1, SOURCE_SAME, 0},
		{"malloc", "/usr/src/malloc.c", 3, SOURCE_OUTSIDE, 0},
		{"stripped", NULL, 0, SOURCE_UNKNOWN, 0}};
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	git_fixture_enter(&f, "repo");
	/* A function within another; and one that was removed behind the last. */
	git_fixture_sh(&f,
		"printf 'int walk(int x) {\\n\\treturn x;\\n}\\n\\nint step(int x) {\\n"
		"\\treturn x + 1;\\n}\\n\\nvoid sort() {\\n\\tstd::sort(a, [](int order) {\\n"
		"\\t\\treturn 1;\\n\\t});\\n}\\nint last() {\n\\treturn 3;\\n}\\nint gone() {\\n}\\n' >a.c\n"
		"printf 'int other() {\\n}\\n' >b.c\n"
		"git add -A; git -c user.name=a -c user.email=a@example.org commit -qm one");
	char *base = git_fixture_ask("git rev-parse HEAD");

	git_fixture_sh(&f, "sed -i '2s/x/x * 2/; 11s/1/2/; 17,18d' a.c\n"
			   "git -c user.name=a -c user.email=a@example.org commit -qam two");
	check(base, known, sizeof(known) / sizeof(known[0]), false);
	free(base);
	git_fixture_release(&f);
}

/* A macro and a type that changed. */
static void
of_definitions(void)
{
	static const struct known one[] = {{"walk", "a.c", 2, SOURCE_USES, 1},
		{"step", "a.c", 5, SOURCE_SAME, 1}, {"last_[i]", "a.c", 8, SOURCE_CHANGED, 0}};
	/* A function that uses the type has its name or the member's in its text. */
	static const struct known two[] = {{"walk", "a.c", 2, SOURCE_USES, 1},
		{"step", "a.c", 5, SOURCE_SAME, 0}, {"last_[i]", "a.c", 8, SOURCE_CHANGED, 0},
		{"size", "a.c", 11, SOURCE_SAME, 2}, {"take", "a.c", 14, SOURCE_SAME, 2},
		/* Two as often: which of them it is is not known. */
		{"both", "a.c", 17, SOURCE_USES, 0}};
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	git_fixture_enter(&f, "repo");
	git_fixture_sh(&f,
		"printf '#include \"a.h\"\nint walk(int x) {\n\treturn x * LIMIT;\n}\nint step(int x) {\n"
		"\treturn x + LIMITS;\n}\nint last() {\n\treturn LIMIT;\n}\n"
		"int size() {\n\treturn sizeof(struct node);\n}\n"
		"int take() {\n\treturn head->weight;\n}\n"
		"int both() {\n\treturn sizeof(struct node) * LIMIT;\n}\n' >a.c\n"
		"printf '#define LIMIT 3\nstruct node {\n\tint weight;\n};\n' >a.h\n"
		"git add -A; git -c user.name=a -c user.email=a@example.org commit -qm one");
	char *base = git_fixture_ask("git rev-parse HEAD");

	git_fixture_sh(&f, "sed -i 's/LIMIT 3/LIMIT 4/' a.h; sed -i '9s/;/ + 1;/' a.c\n"
			   "git -c user.name=a -c user.email=a@example.org commit -qam two");
	check(base, one, sizeof(one) / sizeof(one[0]), false);
	git_fixture_sh(&f, "sed -i 's/int w/long w/' a.h\n"
			   "git -c user.name=a -c user.email=a@example.org commit -qam three");
	check(base, two, sizeof(two) / sizeof(two[0]), true);
	free(base);
	git_fixture_release(&f);
}

/* Two constants changed: one function reads the first, another uses a type made from the second. */
static void
of_values(void)
{
	static const struct known known[] = {{"walk", "a.c", 2, SOURCE_USES, 1},
		{"size", "a.c", 5, SOURCE_SAME, 2}, {"last", "a.c", 8, SOURCE_SAME, 0}};
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	git_fixture_enter(&f, "repo");
	git_fixture_sh(&f,
		"printf '#include \"a.h\"\nint walk(int x) {\n\treturn x * limit;\n}\n"
		"int size() {\n\treturn sizeof(table_t);\n}\nint last() {\n\treturn 3;\n}\n' >a.c\n"
		"printf 'static int limit = 3;\nenum { SLOTS = 4 };\n"
		"struct table {\n\tint slots[SLOTS];\n};\ntypedef struct table table_t;\n' >a.h\n"
		"git add -A; git -c user.name=a -c user.email=a@example.org commit -qm one");
	char *base = git_fixture_ask("git rev-parse HEAD");

	git_fixture_sh(&f, "sed -i 's/limit = 3/limit = 4/; s/SLOTS = 4/SLOTS = 5/' a.h\n"
			   "git -c user.name=a -c user.email=a@example.org commit -qam two");
	check_code(base, known, sizeof(known) / sizeof(known[0]), false, CODE_SAME);
	free(base);
	git_fixture_release(&f);
}

static void
of_go(void)
{
	static const struct known known[] = {
		{"main.main", "example.org/tool/main.go", 0, SOURCE_SAME, 0},
		{"main.main.func1", NULL, 0, SOURCE_UNKNOWN, 0},
		{"main.step_[i]", NULL, 0, SOURCE_CHANGED, 0},
		{"example.org/tool/lex.(*Scanner[go.shape.int_0]).next",
			"example.org/tool/lex/lex.go", 0, SOURCE_CHANGED, 0},
		{"runtime.mallocgc", "runtime/malloc.go", 0, SOURCE_OUTSIDE, 0}};
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	git_fixture_enter(&f, "repo");
	git_fixture_sh(&f,
		"mkdir lex; printf 'module example.org/tool\\n' >go.mod\n"
		"printf 'package main\\n\\nfunc main() {\\n\\tf(func() {\\n\\t})\\n}\\n\\n"
		"func step(x int) int {\\n\\treturn x\\n}\\n' >main.go\n"
		"printf 'package lex\\n\\nfunc (s *Scanner[T]) next() {\\n}\\n' >lex/lex.go\n"
		"git add -A; git -c user.name=a -c user.email=a@example.org commit -qm one");
	char *base = git_fixture_ask("git rev-parse HEAD");

	git_fixture_sh(&f, "sed -i '9s/x/x + 1/' main.go; sed -i '3a\\\\ts.i++' lex/lex.go\n"
			   "git -c user.name=a -c user.email=a@example.org commit -qam two");
	check(base, known, sizeof(known) / sizeof(known[0]), false);
	free(base);
	git_fixture_release(&f);
}

/* The cause of an inlined call, "a.c:6 step (inlined)"; "" where it changed nothing. */
static void
expect_inlined(struct source_changes *changes, const struct inlined_call *call, const char *wanted)
{
	struct inlined_call copy = *call;
	const struct inlined_calls calls = {.all = &copy, .count = 1};
	struct comparison comparison = {0};
	enum source_state source[] = {SOURCE_UNKNOWN, SOURCE_SAME, SOURCE_CHANGED};
	struct code_states code = {.nframes = 3, .source = source};
	struct buf text = {0};
	const char *path;
	uint32_t line;

	profile_init(&comparison.profile);
	copy.into = profile_frame_text(&comparison.profile, "user", 4);
	const frame_id itself = frame_intern(&comparison.profile.frames,
		strtab_intern_str(&comparison.profile.strings, call->name), FRAME_INLINED);

	source_changes_find_inlined(changes, &calls, &comparison, &code);
	CU_ASSERT(!code.definition || code.definition[itself] == code.definition[copy.into]);
	const char *name = source_changes_definition(
		changes, code.definition ? code.definition[copy.into] : 0, &path, &line);

	if (name)
		buf_printf(&text, "%s:%u %s", path, line, name);
	UNIT_STR_EQ(buf_text(&text), wanted);
	free(code.definition);
	profile_release(&comparison.profile);
	buf_release(&text);
}

static void
of_inlined_calls(void)
{
	struct git_fixture f;
	char head[GIT_COMMIT_SIZE];

	if (!git_fixture_init(&f))
		return;
	git_fixture_enter(&f, "repo");
	git_fixture_sh(&f,
		"printf 'int walk(int x) {\n\treturn x;\n}\nint step(int x) {\n"
		"\tx++;\n\treturn x + 1;\n}\n' >a.h\n"
		"printf 'package main\n\nfunc hash(x int) int {\n\treturn x\n}\n' >main.go\n"
		"git add -A; git -c user.name=a -c user.email=a@example.org commit -qm one");
	char *base = git_fixture_ask("git rev-parse HEAD");

	git_fixture_sh(&f, "sed -i '6s/1/2/' a.h; sed -i '4s/x/x + 1/' main.go\n"
			   "git -c user.name=a -c user.email=a@example.org commit -qam two");
	git_head(NULL, head);
	struct source_changes *changes = source_changes_new(base, head);

	UNIT_NEED(changes);
	expect_inlined(
		changes, &(struct inlined_call){.name = "walk", .file = "a.h", .line = 1}, "");
	expect_inlined(changes, &(struct inlined_call){.name = "step", .file = "a.h", .line = 4},
		"a.h:6 step (inlined)");
	expect_inlined(changes, &(struct inlined_call){.name = "step", .file = "a.h", .line = 4},
		"a.h:6 step (inlined)");
	expect_inlined(changes,
		&(struct inlined_call){
			.name = "strlen", .file = "/usr/include/string.h", .line = 4},
		"");
	expect_inlined(changes, &(struct inlined_call){.name = "main.hash"},
		"main.go:4 main.hash (inlined)");
	source_changes_free(changes);
	free(base);
	git_fixture_release(&f);
}

static void
without_a_difference_nothing_is_known(void)
{
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	git_fixture_enter(&f, "repo");
	char *head = git_fixture_ask("git rev-parse HEAD");

	CU_ASSERT_PTR_NULL(source_changes_new(head, head));
	CU_ASSERT_PTR_NULL(source_changes_new("", head));
	source_changes_free(NULL);
	free(head);
	git_fixture_release(&f);
}

void
suite_gate_source_changes(void)
{
	static const struct unit_case cases[] = {
		{"the_innermost_function_around_a_changed_line_has_changed", of_c},
		{"functions_of_go_are_found_by_name", of_go},
		{"a_function_uses_the_changed_macro_or_type_that_it_names", of_definitions},
		{"code_does_not_tell_of_a_function_that_reads_changed_data", of_values},
		{"an_inlined_function_with_a_changed_line_changed_its_callers", of_inlined_calls},
		{"without_a_difference_nothing_is_known", without_a_difference_nothing_is_known},
		{NULL, NULL},
	};

	unit_suite("gate/source_changes", cases);
}
