#include "builds/build_side.h"
#include "builds/new_workload.h"

#include "git_fixture.h"

void suite_builds_new_workload(void);

/* The commit has workloads/old.yaml; `script` makes the working tree from it. */
static void
check_lacks(const char *script, const char *path, bool lacks)
{
	static const char *const run[] = {"./program", "--fast", NULL};
	const struct workload workload = {
		.name = "work", .file_name = "work", .path = path, .run = run};
	struct git_fixture f;
	struct build_side side;

	if (!git_fixture_init(&f))
		return;
	git_fixture_sh(&f, "mkdir workloads\n"
			   "printf 'name: old\\nrun: ./program\\n' >workloads/old.yaml\n"
			   "git add .; git commit -q -m old");
	git_fixture_sh(&f, script);
	CU_ASSERT_EQUAL_FATAL(build_side_against(&side, "main", false, &f.err), 0);
	CU_ASSERT_EQUAL(build_side_lacks_workload(&side, &workload), lacks);
	build_side_release(&side);
	git_fixture_release(&f);
}

static void
a_workload_that_a_commit_adds_is_new(void)
{
	check_lacks("echo x >workloads/work.yaml; git add .", "workloads/work.yaml", true);
	check_lacks("echo x >workloads/old.yaml", "workloads/old.yaml", false);
	/* Somebody tries one, which is in no commit yet. */
	check_lacks("echo x >workloads/work.yaml", "workloads/work.yaml", false);
	check_lacks("echo x >../work.yaml", "../work.yaml", false);
}

static void
a_renamed_workload_is_not_new(void)
{
	check_lacks("sed -i s/old/work/ workloads/old.yaml; git commit -qam name\n"
		    "git tag -f base; git mv workloads/old.yaml workloads/work.yaml\n"
		    "git update-ref refs/heads/main base",
		"workloads/work.yaml", false);
	check_lacks("printf 'name: x\\nrun: [./program, --fast]\\n' >workloads/old.yaml\n"
		    "git commit -qam command; git mv workloads/old.yaml workloads/work.yaml",
		"workloads/work.yaml", false);
}

/* Only the whole command makes it the same one. */
static void
a_workload_with_part_of_the_command_is_another(void)
{
	static const char *const commands[] = {"[./program]", "[./program, --fast, --twice]",
		"[./program, --slow]", "[]", "{}", "./program --fast"};

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		char *script = mem_printf("printf 'name: x\\nrun: %s\\n' >workloads/old.yaml\n"
					  "git commit -qam command\n"
					  "git mv workloads/old.yaml workloads/work.yaml",
			commands[i]);

		check_lacks(script, "workloads/work.yaml", true);
		free(script);
	}
}

static void
the_base_is_named(void)
{
	struct arena arena = {0};
	char name[] = "HEAD~1 (0123456789ab)";
	char hash[] = "0123456789ab";

	UNIT_STR_EQ(
		build_side_subject(&(struct build_side){.name = name}, &arena), "the base HEAD~1");
	UNIT_STR_EQ(build_side_subject(&(struct build_side){.name = hash}, &arena),
		"the base 0123456789ab");
	arena_release(&arena);
}

static const struct unit_case cases[] = {
	{"a_workload_that_a_commit_adds_is_new", a_workload_that_a_commit_adds_is_new},
	{"a_renamed_workload_is_not_new", a_renamed_workload_is_not_new},
	{"a_workload_with_part_of_the_command_is_another",
		a_workload_with_part_of_the_command_is_another},
	{"the_base_is_named", the_base_is_named},
	{NULL, NULL},
};

void
suite_builds_new_workload(void)
{
	unit_suite("builds/new_workload", cases);
}
