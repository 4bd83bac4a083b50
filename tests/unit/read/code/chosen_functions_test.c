#include "code/chosen_functions.h"

#include "base/file.h"
#include "profile/canonical.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

void suite_code_chosen_functions(void);

/* `add` and `more` share a variant; no name tells of the CPU. `other` is called as it is. */
static const char source[] =
	"volatile int pick; typedef int sum(int);\n"
	"__attribute__((noinline)) static int quick(int n) { return n + 1; }\n"
	"__attribute__((noinline)) static int plain(int n) { return n + 2; }\n"
	"__attribute__((noinline)) static int large(int n) { return n + 3; }\n"
	"__attribute__((noinline)) static int __strlen_evex(int n) { return n + 4; }\n"
	"__attribute__((noinline)) int other(int n) { return n + 5; }\n"
	"static sum *choose(void) { return pick ? quick : plain; }\n"
	"static sum *choose_more(void) { return pick ? large : plain; }\n"
	"static sum *choose_length(void) { return __strlen_evex; }\n"
	"int add(int n) __attribute__((ifunc(\"choose\")));\n"
	"int more(int n) __attribute__((ifunc(\"choose_more\")));\n"
	"int length(int n) __attribute__((ifunc(\"choose_length\")));\n"
	"int main(void) { return add(1) + more(2) + other(3) + length(4); }\n";

static bool
compile(const char *dir, const char *flags)
{
	struct err err = {0};
	char *path = file_join(dir, "sums.c");
	char command[512];

	CU_ASSERT_EQUAL(file_write(path, source, sizeof(source) - 1, &err), 0);
	free(path);
	snprintf(command, sizeof(command), "cd '%s' && cc -O1 %s -o sums sums.c >/dev/null 2>&1",
		dir, flags);
	/* NOLINTNEXTLINE(bugprone-command-processor): a fixed command in our own folder. */
	const int status = system(command);

	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* A run in which a function of the file had a sample. */
static void
sample(struct profile *profile, const char *path, const char *name)
{
	const frame_id frame = profile_frame(profile, name, strlen(name), FRAME_USER);
	const size_t run = profile_add_run(profile);
	const node_id node = ctree_child(&profile->tree, CTREE_ROOT, frame);

	profile->frames.frames[frame].module = strtab_intern_str(&profile->strings, path);
	ctree_add(&profile->tree, run, node, 1);
}

/* The names that frames have once both profiles are compared. */
static bool
has_frame(const struct profile *profile, const char *name)
{
	bool has = false;

	for (frame_id frame = 1; frame < profile->frames.nframes; frame++)
		has = has || strcmp(profile_frame_name(profile, frame), name) == 0;
	return has;
}

static void
check_file(const char *path)
{
	struct profile before;
	struct profile after;
	struct profile both;
	struct buf text = {0};

	profile_init(&before);
	profile_init(&after);
	profile_init(&both);
	sample(&before, path, "plain");
	sample(&after, path, "large");
	sample(&after, path, "other");
	chosen_functions_find(&before);
	chosen_functions_find(&after);
	const char *lines = strtab_str(&after.strings, after.variants);

	CU_ASSERT_PTR_NOT_NULL(strstr(lines, "quick => add\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(lines, "plain => add\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(lines, "large => add\n"));
	CU_ASSERT_PTR_NULL(strstr(lines, "other"));
	CU_ASSERT_PTR_NULL(strstr(lines, "evex"));
	canonical_join(&both, &before, &after);
	CU_ASSERT(has_frame(&both, "add"));
	CU_ASSERT(has_frame(&both, "other"));
	CU_ASSERT_FALSE(has_frame(&both, "plain"));
	CU_ASSERT_FALSE(has_frame(&both, "large"));
	canonical_put_variants(&before, "add", &text);
	CU_ASSERT_STRING_EQUAL(buf_text(&text), "plain");
	buf_clear(&text);
	canonical_put_variants(&after, "add", &text);
	CU_ASSERT_STRING_EQUAL(buf_text(&text), "large");
	buf_release(&text);
	profile_release(&before);
	profile_release(&after);
	profile_release(&both);
}

static void
functions_are_those_that_a_resolver_takes(void)
{
	static const char *const flags[] = {"-fPIE -pie", "-fno-pie -no-pie", "-O0 -g"};
	struct err err = {0};
	char *dir;

	CU_ASSERT_EQUAL_FATAL(file_dir_scratch(&dir, &err), 0);
	char *path = file_join(dir, "sums");

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (compile(dir, flags[i]))
			check_file(path);
		else
			unit_skip("the compiler is missing, or makes no indirect functions");
	}
	free(path);
	file_dir_abandon(dir);
}

static void
nothing_is_known_of_other_files(void)
{
	struct profile profile;

	profile_init(&profile);
	sample(&profile, "/dev/null", "plain");
	sample(&profile, "/none", "large");
	chosen_functions_find(&profile);
	CU_ASSERT_STRING_EQUAL(strtab_str(&profile.strings, profile.variants), "");
	profile_release(&profile);
}

void
suite_code_chosen_functions(void)
{
	static const struct unit_case cases[] = {
		{"functions_are_those_that_a_resolver_takes",
			functions_are_those_that_a_resolver_takes},
		{"nothing_is_known_of_other_files", nothing_is_known_of_other_files},
		{NULL, NULL},
	};

	unit_suite("code/chosen_functions", cases);
}
