#include "builds/stale_build.h"

#include "git_fixture.h"

void suite_builds_stale_build(void);

/* What is found after `script`, with a program that was built at second 1000. */
static void
check_files(const char *script, const char *files)
{
	static const char *const run[] = {"./program", NULL};
	const struct workload workload = {.name = "work", .build = "make", .run = run};
	struct git_fixture f;
	char commit[GIT_COMMIT_SIZE];

	if (!git_fixture_init(&f))
		return;
	git_fixture_sh(&f,
		"echo 1 >Makefile; echo 1 >README.md; git add .; git commit -q -m three\n"
		"touch -d @1000 program");
	git_head(NULL, commit);
	git_fixture_sh(&f, script);
	char *found = stale_build_files(&workload, commit);

	UNIT_STR_EQ(found ? found : "none", files);
	free(found);
	git_fixture_release(&f);
}

static void
changed_files_newer_than_the_program_are_named(void)
{
	check_files("true", "none");
	check_files("echo 2 >Makefile", "Makefile");
	check_files("echo 2 >Makefile; git commit -qam flags; echo 3 >program.sh",
		"Makefile, program.sh");
	check_files("echo 2 >README.md", "none");
	/* The build came after the change. */
	check_files("echo 2 >Makefile; touch program", "none");
	check_files("echo 2 >Makefile; rm program", "none");
}

static const struct unit_case cases[] = {
	{"changed_files_newer_than_the_program_are_named",
		changed_files_newer_than_the_program_are_named},
	{NULL, NULL},
};

void
suite_builds_stale_build(void)
{
	unit_suite("builds/stale_build", cases);
}
