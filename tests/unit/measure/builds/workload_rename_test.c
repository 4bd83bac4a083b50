#include "builds/git.h"
#include "builds/new_workload.h"

#include "git_fixture.h"

void suite_builds_workload_rename(void);

#define FIRST                                                                       \
	"mkdir -p w; printf 'name: %s\\nsummary: parses a document of 64 KiB\\n"    \
	"run: [./program, --rounds, \"60\"]\\ncapture: {runs: 5}\\n' a >w/a.yaml\n" \
	"git add .; git commit -q -m first\n"

/* Finds what the workload `name` of the first commit is after `script`; NULL: nothing. */
static void
check_finds(const char *script, const char *name, const char *before, const char *after)
{
	struct git_fixture f;
	struct workload_rename rename;
	char commit[GIT_COMMIT_SIZE];

	if (!git_fixture_init(&f))
		return;
	git_fixture_sh(&f, FIRST);
	git_head(NULL, commit);
	git_fixture_sh(&f, script);
	CU_ASSERT_EQUAL(workload_rename_find(&rename, name, commit), after != NULL);
	UNIT_STR_EQ(rename.before ? rename.before : "", before ? before : "");
	UNIT_STR_EQ(rename.after ? rename.after : "", after ? after : "");
	workload_rename_release(&rename);
	git_fixture_release(&f);
}

static void
a_renamed_file_is_found(void)
{
	check_finds("git mv w/a.yaml w/b.yaml; sed -i 's/name: a/name: b/' w/b.yaml\n"
		    "git commit -q -a -m rename",
		"a", "w/a.yaml", "w/b.yaml");
	/* In the working tree alone, and into another folder. */
	check_finds("mkdir v; git mv w/a.yaml 'v/b c.yml'", "a", "w/a.yaml", "v/b c.yml");
	check_finds("git mv w/a.yaml w/b.yaml; git commit -q -m one\n"
		    "git mv w/b.yaml w/c.yaml; git commit -q -m two",
		"a", "w/a.yaml", "w/c.yaml");
}

static void
a_changed_name_in_one_file_is_found(void)
{
	check_finds("sed -i 's/name: a/name: b/' w/a.yaml", "a", "w/a.yaml", "w/a.yaml");
}

static void
what_git_does_not_know_is_not_found(void)
{
	check_finds("mv w/a.yaml w/b.yaml", "a", NULL, NULL);
	check_finds("git rm -q w/a.yaml; git commit -q -m gone", "a", NULL, NULL);
	check_finds(
		"git mv w/a.yaml w/b.yaml; git commit -q -m moved; rm w/b.yaml", "a", NULL, NULL);
	check_finds("git mv w/a.yaml w/b.yaml", "c", NULL, NULL);
	check_finds("git mv w/a.yaml w/b.yaml", "a|b", NULL, NULL);
	/* The name is not a pattern. */
	check_finds("git mv w/a.yaml w/b.yaml", ".", NULL, NULL);
}

static void
a_commit_that_is_not_here_is_not_found(void)
{
	struct git_fixture f;
	struct workload_rename rename;

	if (!git_fixture_init(&f))
		return;
	git_fixture_sh(&f, FIRST);
	CU_ASSERT_FALSE(workload_rename_find(&rename, "a", ""));
	CU_ASSERT_FALSE(
		workload_rename_find(&rename, "a", "0123456789012345678901234567890123456789"));
	git_fixture_release(&f);
}

static void
names_in_use_are_known(void)
{
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	git_fixture_sh(&f, FIRST "printf 'run: x\\nname: \"b.c\" # new\\n' >w/new.yml\n"
				 "printf 'name: ci\\non: push\\n' >ci.yml\n");
	CU_ASSERT_EQUAL(workload_name_is_used("a"), 1);
	CU_ASSERT_EQUAL(workload_name_is_used("b.c"), 1);
	CU_ASSERT_EQUAL(workload_name_is_used("bxc"), 0);
	CU_ASSERT_EQUAL(workload_name_is_used("aa"), 0);
	/* It has no command: it is no workload. */
	CU_ASSERT_EQUAL(workload_name_is_used("ci"), 0);
	CU_ASSERT_EQUAL(workload_name_is_used("a b"), -1);
	git_fixture_sh(&f, "rm -rf .git");
	CU_ASSERT_EQUAL(workload_name_is_used("a"), -1);
	git_fixture_release(&f);
}

static const struct unit_case cases[] = {
	{"a_renamed_file_is_found", a_renamed_file_is_found},
	{"a_changed_name_in_one_file_is_found", a_changed_name_in_one_file_is_found},
	{"what_git_does_not_know_is_not_found", what_git_does_not_know_is_not_found},
	{"a_commit_that_is_not_here_is_not_found", a_commit_that_is_not_here_is_not_found},
	{"names_in_use_are_known", names_in_use_are_known},
	{NULL, NULL},
};

void
suite_builds_workload_rename(void)
{
	unit_suite("builds/workload_rename", cases);
}
