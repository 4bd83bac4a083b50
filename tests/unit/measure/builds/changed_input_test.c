#include "builds/used_files.h"

#include "git_fixture.h"
#include "unit.h"

#include <stdlib.h>

void suite_builds_changed_input(void);

/* What is found where the run used this file so; `expected` "none": nothing. */
static void
expect(const struct build_side *side, const struct workload *here, const char *name, unsigned uses,
	const char *expected)
{
	struct run_files used = {.known = true};
	char *real = realpath(name, NULL);

	run_files_add(
		&used, &(struct run_file){.path = real, .name = real, .by = "", .uses = uses});
	char *found = changed_input_find(side, here, &used);

	UNIT_STR_EQ(found ? found : "none", expected);
	free(found);
	run_files_release(&used);
	free(real);
}

static void
an_input_that_differs_is_named_with_its_sizes(void)
{
	static const char *const run[] = {"python3", "work.py", NULL};
	const char *inputs[] = {"shared", NULL};
	struct workload here = {.name = "work", .run = run};
	struct build_side side;
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	git_fixture_sh(&f,
		"echo 1 >same; echo 1 >size; echo 1 >bytes; echo 1 >work.py\n"
		"echo 1 >shared; git add .; git commit -q -m data; git tag data\n"
		"echo 12 >size; echo 2 >bytes; echo 2 >work.py; echo 2 >shared; echo 1 >new");
	CU_ASSERT_EQUAL_FATAL(build_side_against(&side, "data", false, &f.err), 0);
	expect(&side, &here, "same", RUN_FILE_READ, "none");
	expect(&side, &here, "size", RUN_FILE_READ, "size (2 B before, 3 B now)");
	expect(&side, &here, "bytes", RUN_FILE_READ, "bytes (2 B, other contents)");
	expect(&side, &here, "new", RUN_FILE_READ, "new (2 B, not there before)");
	expect(&side, &here, "size", RUN_FILE_READ | RUN_FILE_WRITTEN, "none");
	expect(&side, &here, "size", RUN_FILE_READ | RUN_FILE_EXECUTED, "none");
	/* A script is code. */
	expect(&side, &here, "work.py", RUN_FILE_READ, "none");
	expect(&side, &here, "shared", RUN_FILE_READ, "shared (2 B, other contents)");
	here.inputs = inputs;
	expect(&side, &here, "shared", RUN_FILE_READ, "none");
	build_side_release(&side);
	git_fixture_release(&f);
}

void
suite_builds_changed_input(void)
{
	static const struct unit_case cases[] = {
		{"an_input_that_differs_is_named_with_its_sizes",
			an_input_that_differs_is_named_with_its_sizes},
		{NULL, NULL},
	};

	unit_suite("builds/changed_input", cases);
}
