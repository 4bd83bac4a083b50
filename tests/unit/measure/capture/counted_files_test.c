#include "base/file.h"
#include "capture/backend.h"
#include "scratch.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void suite_capture_counted_files(void);

#define EMPTY "#!/bin/sh\n"
#define OTHER EMPTY ": other\n"

/* A script that executes others in the scratch folder. */
struct bench {
	struct scratch scratch;
	const char *argv[2];
	struct capture_request request;
	struct err err;
};

static void
put(struct bench *bench, const char *name, const char *text)
{
	struct err err = {0};
	const char *path = scratch_path(&bench->scratch, name);

	CU_ASSERT_EQUAL(file_write(path, text, strlen(text), &err), 0);
	CU_ASSERT_EQUAL(chmod(path, 0755), 0);
}

static void
begin(struct bench *bench, const char *script)
{
	memset(bench, 0, sizeof(*bench));
	scratch_init(&bench->scratch);
	put(bench, "one", EMPTY);
	put(bench, "other", OTHER);
	put(bench, "copy", OTHER);
	put(bench, "run", script);
	bench->argv[0] = "./run";
	bench->request.argv = bench->argv;
	bench->request.cwd = bench->scratch.dir;
	bench->request.reader_cpu = -1;
	bench->request.timeout_s = 60;
}

static int
check(struct bench *bench)
{
	bench->err = (struct err){0};
	return capture_check_counted_files(&bench->request, NULL, &bench->err);
}

static void
end(struct bench *bench)
{
	unsetenv("PROFILE_RUN_TEST_A");
	unsetenv("PROFILE_RUN_TEST_B");
	scratch_release(&bench->scratch);
}

static void
the_variable_of_another_file_is_named(void)
{
	static const char *const env[] = {"PROFILE_RUN_TEST_A=./one", NULL};
	struct bench bench;

	begin(&bench, "#!/bin/sh\n${PROFILE_RUN_TEST_A:-./other}\n");
	CU_ASSERT_EQUAL(check(&bench), 0);
	setenv("PROFILE_RUN_TEST_A", "./one", 1);
	setenv("PROFILE_RUN_TEST_B", bench.scratch.dir, 1); /* likely, and not the cause */
	CU_ASSERT_EQUAL(check(&bench), -1);
	CU_ASSERT_EQUAL(bench.err.kind, ERR_MEASURE);
	UNIT_CONTAINS(bench.err.text, "it does not use '");
	UNIT_CONTAINS(bench.err.text, "/one', since it does not have PROFILE_RUN_TEST_A of");
	UNIT_CONTAINS(bench.err.text, "put PROFILE_RUN_TEST_A into the workload's `env`");
	bench.request.env = env;
	CU_ASSERT_EQUAL(check(&bench), 0);
	end(&bench);
}

static void
variables_that_are_needed_together_are_named(void)
{
	struct bench bench;

	begin(&bench,
		"#!/bin/sh\n"
		"[ -z \"$PROFILE_RUN_TEST_A\" ] || [ -z \"$PROFILE_RUN_TEST_B\" ] || ./one\n");
	setenv("PROFILE_RUN_TEST_A", "1", 1);
	CU_ASSERT_EQUAL(check(&bench), 0);
	setenv("PROFILE_RUN_TEST_B", "1", 1);
	CU_ASSERT_EQUAL(check(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "PROFILE_RUN_TEST_A");
	UNIT_CONTAINS(bench.err.text, "PROFILE_RUN_TEST_B");
	end(&bench);
}

static void
a_file_that_only_the_counted_run_uses_is_named(void)
{
	struct bench bench;

	begin(&bench, "#!/bin/sh\n[ \"$PROFILE_RUN_TEST_A\" ] || ./one\n");
	setenv("PROFILE_RUN_TEST_A", "1", 1);
	CU_ASSERT_EQUAL(check(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "it uses '");
	UNIT_CONTAINS(bench.err.text, "/one', since it does not have PROFILE_RUN_TEST_A of");
	end(&bench);
}

static void
a_copy_and_a_file_of_each_run_are_no_difference(void)
{
	struct bench bench;

	begin(&bench, "#!/bin/sh\n${PROFILE_RUN_TEST_A:-./other}\n"
		      "echo \"#!/bin/sh\n: $$\" >own.$$; chmod +x own.$$; ./own.$$\n");
	setenv("PROFILE_RUN_TEST_A", "./copy", 1);
	CU_ASSERT_EQUAL(check(&bench), 0);
	UNIT_STR_EQ(bench.err.text, "");
	end(&bench);
}

static void
a_program_that_fails_is_no_error_here(void)
{
	struct bench bench;

	begin(&bench, "#!/bin/sh\n[ -n \"$PROFILE_RUN_TEST_A\" ] && ./one\n");
	setenv("PROFILE_RUN_TEST_A", "1", 1);
	CU_ASSERT_EQUAL(check(&bench), 0);
	end(&bench);
}

static const struct unit_case cases[] = {
	{"the_variable_of_another_file_is_named", the_variable_of_another_file_is_named},
	{"variables_that_are_needed_together_are_named",
		variables_that_are_needed_together_are_named},
	{"a_file_that_only_the_counted_run_uses_is_named",
		a_file_that_only_the_counted_run_uses_is_named},
	{"a_copy_and_a_file_of_each_run_are_no_difference",
		a_copy_and_a_file_of_each_run_are_no_difference},
	{"a_program_that_fails_is_no_error_here", a_program_that_fails_is_no_error_here},
	{NULL, NULL},
};

void
suite_capture_counted_files(void)
{
	unit_suite("capture/counted_files", cases);
}
