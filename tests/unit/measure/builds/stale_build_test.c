#include "builds/product_source.h"

#include "base/mem.h"
#include "git_fixture.h"

#include <stdlib.h>

void suite_builds_stale_build(void);

/* What is found after `script`, with a program that was built at second 1000, or by `build`. */
static void
check_built_files(const char *build, const char *script, const char *files)
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
	git_fixture_sh(&f, build);
	git_head(NULL, commit);
	git_fixture_sh(&f, script);
	char *found = stale_build_files(&workload, commit);

	UNIT_STR_EQ(found ? found : "none", files);
	free(found);
	git_fixture_release(&f);
}

static void
check_files(const char *script, const char *files)
{
	check_built_files("true", script, files);
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

/* As where objects are kept in a folder that both builds share. */
static void
changed_sources_of_the_program_are_named(void)
{
	static const char make[] =
		"echo 'int work(void) { return 1; }' >work.c; echo 'int other;' >other.c\n"
		"echo 'int work(void);int main(void){return work();}' >main.c\n"
		"cc -o program main.c work.c; git add *.c; git commit -qm four";
	static const struct {
		const char *change;
		const char *files;
	} cases[] = {
		{"true", "none"},
		{"echo 'int work(void) { return 2; }' >work.c", "work.c"},
		{"echo ' // a comment' >>work.c; echo >>main.c", "none"},
		{"echo 'int another;' >other.c", "none"},
		/* Which of the two the program is made of is not known. */
		{"mkdir d; echo 2 >d/work.c; git add d; echo 'int work(void) { return 2; }' >work.c",
			"none"},
	};

	if (system("cc --version >/dev/null 2>&1") != 0) {
		unit_skip("there is no cc");
		return;
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *script = mem_printf("%s; touch program", cases[i].change);

		check_built_files(make, script, cases[i].files);
		free(script);
	}
}

static const struct unit_case cases[] = {
	{"changed_sources_of_the_program_are_named", changed_sources_of_the_program_are_named},
	{"changed_files_newer_than_the_program_are_named",
		changed_files_newer_than_the_program_are_named},
	{NULL, NULL},
};

void
suite_builds_stale_build(void)
{
	unit_suite("builds/stale_build", cases);
}
