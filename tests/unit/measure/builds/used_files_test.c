#include "builds/used_files.h"

#include "base/mem.h"
#include "git_fixture.h"
#include "unit.h"

#include <stdlib.h>

void suite_builds_used_files(void);

static void
use(struct run_files *files, const char *path, unsigned uses)
{
	char *real = realpath(path, NULL);

	run_files_add(
		files, &(struct run_file){.path = real, .name = real, .by = "", .uses = uses});
	free(real);
}

/* Whether the builds agree where their runs used these files, a name each, so. */
static bool
agree(const struct build_side *base, const char *here, const char *there, unsigned uses)
{
	static const char *const run[] = {"./work", NULL};
	const char *inputs[] = {"shared", NULL};
	const struct workload workload = {.name = "work", .run = run, .inputs = inputs};
	struct run_files candidate = {.known = true};
	struct run_files other = {.known = true};
	char *path = mem_printf("%s/%s", base->root, there);

	use(&candidate, here, uses);
	use(&other, path, uses);
	const bool same = used_files_agree(base, &workload, &candidate, &other);

	run_files_release(&candidate);
	run_files_release(&other);
	free(path);
	return same;
}

static void
files_of_other_contents_differ_on_either_side(void)
{
	struct build_side base;
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	git_fixture_sh(&f, "echo 1 >same; echo 1 >data; echo 1 >shared; echo 1 >gone; git add .\n"
			   "git commit -q -m data; git tag data\n"
			   "echo 2 >data; echo 2 >shared; echo 1 >new; rm gone");
	CU_ASSERT_EQUAL_FATAL(build_side_against(&base, "data", false, &f.err), 0);
	CU_ASSERT_TRUE(agree(&base, "same", "same", RUN_FILE_READ));
	CU_ASSERT_FALSE(agree(&base, "data", "same", RUN_FILE_READ));
	CU_ASSERT_FALSE(agree(&base, "same", "data", RUN_FILE_READ | RUN_FILE_WRITTEN));
	CU_ASSERT_FALSE(agree(&base, "data", "data", RUN_FILE_MAPPED));
	CU_ASSERT_FALSE(agree(&base, "new", "same", RUN_FILE_READ));
	CU_ASSERT_FALSE(agree(&base, "same", "gone", RUN_FILE_READ));
	/* Output, files of all builds, and those outside of both folders. */
	CU_ASSERT_TRUE(agree(&base, "data", "data", RUN_FILE_WRITTEN));
	CU_ASSERT_TRUE(agree(&base, "shared", "same", RUN_FILE_READ));
	CU_ASSERT_TRUE(agree(&base, "/etc/passwd", "same", RUN_FILE_READ));
	build_side_release(&base);
	git_fixture_release(&f);
}

/* Its path is in the program: the contents differ, and the digest does not. */
static void
a_program_built_in_another_folder_agrees(void)
{
	static const char build[] =
		"printf 'const char *f(void) { return DIR; } int main(void) { return f()[0] == 0; }'"
		" >work.c; cc -g -DDIR=\"\\\"$PWD/work.c\\\"\" -o work work.c";
	struct build_side base;
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	git_fixture_sh(&f, "git commit -q --allow-empty -m none; git tag none");
	git_fixture_sh(&f, build);
	CU_ASSERT_EQUAL_FATAL(build_side_against(&base, "none", false, &f.err), 0);
	char *there = mem_printf("cd '%s' && %s", base.root, build);

	git_fixture_sh(&f, there);
	CU_ASSERT_TRUE(agree(&base, "work", "work", RUN_FILE_EXECUTED));
	CU_ASSERT_FALSE(agree(&base, "work", "work", RUN_FILE_READ));
	free(there);
	build_side_release(&base);
	git_fixture_release(&f);
}

static void
runs_that_were_not_watched_tell_nothing(void)
{
	const struct workload workload = {.name = "work"};
	const struct run_files known = {.known = true};
	const struct run_files unknown = {.known = false};
	struct build_side base;
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	git_fixture_sh(&f, "git commit -q --allow-empty -m none; git tag none");
	CU_ASSERT_EQUAL_FATAL(build_side_against(&base, "none", false, &f.err), 0);
	CU_ASSERT_TRUE(used_files_agree(&base, &workload, &known, &known));
	CU_ASSERT_FALSE(used_files_agree(&base, &workload, &unknown, &known));
	CU_ASSERT_FALSE(used_files_agree(&base, &workload, &known, &unknown));
	build_side_release(&base);
	git_fixture_release(&f);
}

void
suite_builds_used_files(void)
{
	static const struct unit_case cases[] = {
		{"files_of_other_contents_differ_on_either_side",
			files_of_other_contents_differ_on_either_side},
		{"a_program_built_in_another_folder_agrees",
			a_program_built_in_another_folder_agrees},
		{"runs_that_were_not_watched_tell_nothing",
			runs_that_were_not_watched_tell_nothing},
		{NULL, NULL},
	};

	unit_suite("builds/used_files", cases);
}
