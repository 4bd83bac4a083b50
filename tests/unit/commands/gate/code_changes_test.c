/* Two builds of small programs, made by the compiler of this machine, and profiles made up. */
#include "gate/code_changes.h"

#include "base/file.h"
#include "base/mem.h"
#include "builds/path_map.h"
#include "gate/module_pairs.h"
#include "measurement/measurement.h"
#include "unit.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

void suite_gate_code_changes(void);

/* Two functions that move those behind them to other addresses. */
#define KEEP "__attribute__((noinline, noclone, used)) "
#define HOT KEEP "int hot(int x) { int s = 0; while (x-- > 0) s ^= x * 7; return s; }\n"
#define MAIN "int main(int c, char **v) { (void)v; return hot(c); }\n"
#define AHEAD KEEP "int extra(int x) { return x / 3; }\nint more[9] = {1};\n"

struct builds {
	char *dir; /* head/ and base/ are in it */
	struct measurement m;
	struct build_side base;
	const char *run[MEASURE_SIDES][2];
	struct module_pairs *changes;
	struct comparison comparison;
	struct code_states code;
};

static const char *const folders[MEASURE_SIDES] = {"head", "base"};

static bool
run(const char *command)
{
	/* NOLINTNEXTLINE(bugprone-command-processor): a fixed command in our own folder. */
	int status = system(command);

	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void
release(struct builds *b)
{
	if (b->comparison.self)
		comparison_release(&b->comparison);
	module_pairs_free(b->changes);
	free(b->code.by_frame);
	for (int side = 0; side < MEASURE_SIDES; side++)
		profile_release(&b->m.sides[side].profile);
	path_map_free(b->base.map);
	path_map_free(b->base.back);
	if (b->dir)
		file_dir_abandon(b->dir);
}

static char *
path_of(const struct builds *b, enum measure_side side, const char *name)
{
	return name[0] == '[' || name[0] == '/'
		       ? mem_strdup(name)
		       : mem_printf("%s/%s/%s", b->dir, folders[side], name);
}

/* Makes both folders, still empty; with `mapped` a path map leads from one to the other. */
static void
begin(struct builds *b, bool mapped)
{
	struct err err = {0};
	char *made;

	*b = (struct builds){.m.nsides = MEASURE_SIDES};
	CU_ASSERT_EQUAL_FATAL(file_dir_scratch(&made, &err), 0);
	b->dir = realpath(made, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(b->dir);
	free(made);
	for (enum measure_side side = 0; side < MEASURE_SIDES; side++) {
		struct measured_side *to = &b->m.sides[side];
		char *folder = path_of(b, side, "");

		CU_ASSERT_EQUAL_FATAL(file_make_dirs(folder, &err), 0);
		profile_init(&to->profile);
		profile_add_run(&to->profile);
		to->profile.started = (int64_t)time(NULL) + 60;
		b->run[side][0] = "program";
		to->workload.run = b->run[side];
		free(folder);
	}
	if (mapped) {
		char *head = mem_printf("%s/head", b->dir);
		char *base = mem_printf("%s/base", b->dir);

		b->base.map = path_map_of_folders(head, base);
		b->base.back = path_map_of_folders(base, head);
		free(head);
		free(base);
	}
}

static bool
compile(const struct builds *b, enum measure_side side, const char *name, const char *source)
{
	struct err err = {0};
	char *path = path_of(b, side, name);
	char *file = mem_printf("%s.c", path);
	char *command = mem_printf("cc -O2 -w -fPIC -fno-inline -fcf-protection=none %s -o '%s' "
				   "'%s' >/dev/null 2>&1",
		strstr(source, " main(") ? "" : "-shared", path, file);

	CU_ASSERT_EQUAL_FATAL(file_write(file, source, strlen(source), &err), 0);
	bool made = run(command);

	if (!made)
		unit_skip("the compiler is missing or refuses");
	free(command);
	free(file);
	free(path);
	return made;
}

static void
put(struct builds *b, enum measure_side side, const char *name, enum frame_kind kind,
	const char *module)
{
	struct profile *profile = &b->m.sides[side].profile;
	frame_id frame = profile_frame(profile, name, strlen(name), kind);
	frame_id process = profile_frame(profile, "process", strlen("process"), FRAME_USER);
	node_id root = ctree_child(&profile->tree, CTREE_ROOT, process);
	char *path = path_of(b, side, module);

	if (*module)
		profile->frames.frames[frame].module = strtab_intern_str(&profile->strings, path);
	ctree_add(&profile->tree, 0, ctree_child(&profile->tree, root, frame), 100);
	free(path);
}

static void
put_both(struct builds *b, const char *name, enum frame_kind kind, const char *module)
{
	for (enum measure_side side = 0; side < MEASURE_SIDES; side++)
		put(b, side, name, kind, module);
}

static void
read_code(struct builds *b)
{
	const struct comparison_options options = {.mode = COMPARISON_PAIRED, .alpha = 0.05};

	if (b->comparison.self)
		comparison_release(&b->comparison);
	free(b->code.by_frame);
	comparison_make(&b->comparison, &b->m.sides[MEASURE_BASE].profile,
		&b->m.sides[MEASURE_CANDIDATE].profile, &options);
	if (!b->changes)
		b->changes = module_pairs_new(&b->m, &b->base);
	code_changes_read(b->changes, &b->comparison, &b->code);
	CU_ASSERT_EQUAL(b->code.nframes, b->comparison.profile.frames.nframes);
}

static enum code_state
state(struct builds *b, const char *name, enum frame_kind kind)
{
	frame_id frame = profile_frame(&b->comparison.profile, name, strlen(name), kind);

	CU_ASSERT_FATAL(frame < b->code.nframes);
	return b->code.by_frame[frame];
}

#define STATE(b, name, expected) CU_ASSERT_EQUAL(state(b, name, FRAME_USER), expected)

static void
each_function_is_told_apart(void)
{
	struct builds b;

	begin(&b, true);
	if (compile(&b, MEASURE_CANDIDATE, "program",
		    AHEAD HOT KEEP "int other(int x) { return x + 5; }\n" MAIN) &&
		compile(&b, MEASURE_BASE, "program",
			HOT KEEP "int other(int x) { return x + 6; }\n" KEEP
				 "int old(int x) { return x * x; }\n" MAIN)) {
		put_both(&b, "hot", FRAME_USER, "program");
		put_both(&b, "main", FRAME_USER, "program");
		put_both(&b, "other", FRAME_USER, "program");
		put_both(&b, "nowhere", FRAME_USER, "program");
		put_both(&b, "[program]", FRAME_USER, "program");
		put(&b, MEASURE_CANDIDATE, "extra", FRAME_USER, "program");
		put(&b, MEASURE_BASE, "old", FRAME_USER, "program");
		for (int round = 0; round < 2; round++) {
			read_code(&b);
			STATE(&b, "hot", CODE_SAME);
			STATE(&b, "main", CODE_SAME);
			STATE(&b, "other", CODE_CHANGED);
			STATE(&b, "extra", CODE_NEW);
			STATE(&b, "old", CODE_GONE);
			STATE(&b, "nowhere", CODE_UNKNOWN);
			STATE(&b, "[program]", CODE_UNKNOWN);
			STATE(&b, "process", CODE_UNKNOWN);
		}
	}
	release(&b);
}

/*
 * The base has no files: its code is stored with `digest`, and the digest of the baseline is "d".
 */
static void
check_stored(const char *digest, enum code_state same)
{
	struct baseline before = {0};
	struct builds b;
	struct err err = {0};

	begin(&b, true);
	if (compile(&b, MEASURE_CANDIDATE, "program",
		    AHEAD HOT KEEP "int other(int x) { return x + 5; }\n" MAIN) &&
		compile(&b, MEASURE_BASE, "program",
			HOT KEEP "int other(int x) { return x + 6; }\n" KEEP
				 "int old(int x) { return x * x; }\n" MAIN)) {
		char *folder = mem_printf("%s/store/class/program/cpu", b.dir);
		char *path = path_of(&b, MEASURE_BASE, "program");
		char *name = path_of(&b, MEASURE_CANDIDATE, "program");
		char *code = mem_printf("d  %s\n", name);
		struct buf text = {0};

		code_lists_put(&text, "hash", "");
		CU_ASSERT_EQUAL_FATAL(
			code_list_put(&text, path, name, digest, NULL, NULL, &err), 0);
		CU_ASSERT_EQUAL_FATAL(baseline_write_code(folder, &text, &err), 0);
		put_both(&b, "hot", FRAME_USER, "program");
		put_both(&b, "other", FRAME_USER, "program");
		put_both(&b, "read", FRAME_KERNEL, "[kernel.kallsyms]");
		put(&b, MEASURE_CANDIDATE, "extra", FRAME_USER, "program");
		put(&b, MEASURE_BASE, "old", FRAME_USER, "program");
		profile_init(&before.profile);
		before.profile.code = strtab_intern_str(&before.profile.strings, code);
		b.changes = module_pairs_stored(&b.m, &before, folder);
		CU_ASSERT_PTR_NOT_NULL_FATAL(b.changes);
		read_code(&b);
		STATE(&b, "hot", same);
		STATE(&b, "other", CODE_CHANGED);
		STATE(&b, "extra", CODE_NEW);
		STATE(&b, "old", CODE_GONE);
		CU_ASSERT_EQUAL(state(&b, "read", FRAME_KERNEL), CODE_UNKNOWN);
		CU_ASSERT_PTR_NULL(module_pairs_stored(&b.m, &before, b.dir));
		profile_release(&before.profile);
		buf_release(&text);
		free(code);
		free(name);
		free(path);
		free(folder);
	}
	release(&b);
}

static void
stored_code_tells_the_same_as_a_build(void)
{
	check_stored("d", CODE_SAME);
}

static void
stored_code_of_another_build_does_not_tell_that_code_is_the_same(void)
{
	check_stored("e", CODE_UNKNOWN);
}

static void
clones_go_by_the_name_of_the_function(void)
{
	struct builds b;

	begin(&b, true);
	if (compile(&b, MEASURE_CANDIDATE, "program",
		    AHEAD "int hot(int) __asm__(\"hot.constprop.0\");\n" HOT MAIN) &&
		compile(&b, MEASURE_BASE, "program", HOT MAIN)) {
		put(&b, MEASURE_CANDIDATE, "hot.constprop.0", FRAME_USER, "program");
		put(&b, MEASURE_BASE, "hot", FRAME_USER, "program");
		put_both(&b, "main", FRAME_USER, "program");
		read_code(&b);
		STATE(&b, "hot", CODE_SAME);
		STATE(&b, "main", CODE_SAME);
	}
	release(&b);
}

static void
equal_files_are_not_read(void)
{
	struct builds b;
	struct err err = {0};

	begin(&b, true);
	for (enum measure_side side = 0; side < MEASURE_SIDES; side++) {
		char *path = path_of(&b, side, "script");
		char *other = path_of(&b, side, "other");

		CU_ASSERT_EQUAL(file_write(path, "no program", 10, &err), 0);
		CU_ASSERT_EQUAL(file_write(other, folders[side], 4, &err), 0);
		free(path);
		free(other);
	}
	put_both(&b, "in_script", FRAME_USER, "script");
	put_both(&b, "[script]", FRAME_USER, "script");
	put_both(&b, "in_other", FRAME_USER, "other");
	put_both(&b, "in_shell", FRAME_USER, "/bin/sh");
	read_code(&b);
	STATE(&b, "in_script", CODE_SAME);
	STATE(&b, "[script]", CODE_SAME);
	STATE(&b, "in_other", CODE_UNKNOWN);
	STATE(&b, "in_shell", CODE_SAME);
	release(&b);
}

static void
the_kernel_is_the_same_and_jits_are_not_known(void)
{
	struct builds b;

	begin(&b, true);
	put_both(&b, "read", FRAME_KERNEL, "[kernel.kallsyms]");
	put_both(&b, "clock_gettime", FRAME_USER, "[vdso]");
	put_both(&b, "Main.run", FRAME_JIT, "");
	put_both(&b, "helper", FRAME_INLINED, "/bin/sh");
	put_both(&b, "[broken]", FRAME_USER, "");
	put_both(&b, "heap", FRAME_USER, "[heap]");
	read_code(&b);
	CU_ASSERT_EQUAL(state(&b, "read", FRAME_KERNEL), CODE_SAME);
	STATE(&b, "clock_gettime", CODE_SAME);
	CU_ASSERT_EQUAL(state(&b, "Main.run", FRAME_JIT), CODE_UNKNOWN);
	CU_ASSERT_EQUAL(state(&b, "helper", FRAME_INLINED), CODE_UNKNOWN);
	STATE(&b, "[broken]", CODE_UNKNOWN);
	STATE(&b, "heap", CODE_UNKNOWN);
	release(&b);
}

static void
a_file_that_changed_since_is_not_known(void)
{
	struct builds b;

	begin(&b, true);
	if (compile(&b, MEASURE_CANDIDATE, "program", HOT MAIN) &&
		compile(&b, MEASURE_BASE, "program", HOT MAIN)) {
		b.m.sides[MEASURE_BASE].profile.started = (int64_t)time(NULL) - 60;
		put_both(&b, "hot", FRAME_USER, "program");
		put_both(&b, "lost", FRAME_USER, "lost");
		read_code(&b);
		STATE(&b, "hot", CODE_UNKNOWN);
		STATE(&b, "lost", CODE_UNKNOWN);
	}
	release(&b);
}

static void
programs_are_paired_by_the_words_of_the_command(void)
{
	struct builds b;

	begin(&b, false);
	if (compile(&b, MEASURE_CANDIDATE, "new", AHEAD HOT MAIN) &&
		compile(&b, MEASURE_BASE, "old", HOT MAIN)) {
		char *words[] = {path_of(&b, MEASURE_CANDIDATE, "new"), mem_strdup("./old")};
		char *cwd = path_of(&b, MEASURE_BASE, "");

		b.run[MEASURE_CANDIDATE][0] = words[0];
		b.run[MEASURE_BASE][0] = words[1];
		b.m.sides[MEASURE_BASE].workload.cwd = cwd;
		put(&b, MEASURE_CANDIDATE, "hot", FRAME_USER, "new");
		put(&b, MEASURE_BASE, "hot", FRAME_USER, "old");
		read_code(&b);
		STATE(&b, "hot", CODE_SAME);
		for (int i = 0; i < 2; i++)
			free(words[i]);
		free(cwd);
	}
	release(&b);
}

static void
libraries_are_paired_by_name_where_there_is_one_of_it(void)
{
	struct builds b;

	begin(&b, false);
	if (compile(&b, MEASURE_CANDIDATE, "libhot.so", AHEAD HOT) &&
		compile(&b, MEASURE_BASE, "libhot.so", HOT)) {
		put_both(&b, "hot", FRAME_USER, "libhot.so");
		read_code(&b);
		STATE(&b, "hot", CODE_SAME);
		put(&b, MEASURE_BASE, "third", FRAME_USER, "/nowhere/libhot.so");
		module_pairs_free(b.changes);
		b.changes = NULL;
		read_code(&b);
		STATE(&b, "hot", CODE_UNKNOWN);
	}
	release(&b);
}

static void
a_name_that_another_file_changed_has_changed(void)
{
	struct builds b;

	begin(&b, true);
	if (compile(&b, MEASURE_CANDIDATE, "program", AHEAD HOT MAIN) &&
		compile(&b, MEASURE_BASE, "program", HOT MAIN) &&
		compile(&b, MEASURE_CANDIDATE, "libother.so",
			KEEP "int hot(int x) { return x; }\n" KEEP
			     "int two(int x) { return 2; }") &&
		compile(&b, MEASURE_BASE, "libother.so",
			KEEP "int hot(int x) { return x + 1; }\n" KEEP
			     "int two(int x) { return 2; }")) {
		put_both(&b, "hot", FRAME_USER, "program");
		put_both(&b, "main", FRAME_USER, "program");
		put_both(&b, "two", FRAME_USER, "libother.so");
		read_code(&b);
		STATE(&b, "hot", CODE_CHANGED);
		STATE(&b, "main", CODE_SAME);
		STATE(&b, "two", CODE_SAME);
	}
	release(&b);
}

static void
a_function_that_went_to_another_file_is_not_known(void)
{
	struct builds b;

	begin(&b, true);
	if (compile(&b, MEASURE_CANDIDATE, "program", HOT MAIN) &&
		compile(&b, MEASURE_BASE, "program", AHEAD HOT MAIN)) {
		put(&b, MEASURE_CANDIDATE, "hot", FRAME_USER, "program");
		put(&b, MEASURE_BASE, "hot", FRAME_USER, "/bin/sh");
		read_code(&b);
		STATE(&b, "hot", CODE_UNKNOWN);
	}
	release(&b);
}

static const struct unit_case cases[] = {
	{"each_function_is_told_apart", each_function_is_told_apart},
	{"stored_code_tells_the_same_as_a_build", stored_code_tells_the_same_as_a_build},
	{"stored_code_of_another_build_does_not_tell_that_code_is_the_same",
		stored_code_of_another_build_does_not_tell_that_code_is_the_same},
	{"clones_go_by_the_name_of_the_function", clones_go_by_the_name_of_the_function},
	{"equal_files_are_not_read", equal_files_are_not_read},
	{"the_kernel_is_the_same_and_jits_are_not_known",
		the_kernel_is_the_same_and_jits_are_not_known},
	{"a_file_that_changed_since_is_not_known", a_file_that_changed_since_is_not_known},
	{"programs_are_paired_by_the_words_of_the_command",
		programs_are_paired_by_the_words_of_the_command},
	{"libraries_are_paired_by_name_where_there_is_one_of_it",
		libraries_are_paired_by_name_where_there_is_one_of_it},
	{"a_name_that_another_file_changed_has_changed",
		a_name_that_another_file_changed_has_changed},
	{"a_function_that_went_to_another_file_is_not_known",
		a_function_that_went_to_another_file_is_not_known},
	{NULL, NULL},
};

void
suite_gate_code_changes(void)
{
	unit_suite("gate/code_changes", cases);
}
