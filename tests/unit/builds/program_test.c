#include "builds/program.h"

#include "base/file.h"
#include "base/log.h"
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void suite_builds_program(void);

/* A workload in a folder of its own, which is where it runs. */
struct bench {
	char dir[48];
	const char *argv[4];
	const char *env[2];
	struct workload workload;
	struct err err;
};

static void
bench_init(struct bench *bench, const char *program, const char *argument)
{
	*bench = (struct bench){.dir = "/tmp/program-test-XXXXXX", .argv = {program, argument}};
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(bench->dir));
	bench->workload.name = "work";
	bench->workload.run = bench->argv;
	bench->workload.env = bench->env;
	bench->workload.cwd = bench->dir;
}

static void
bench_release(struct bench *bench)
{
	file_remove_tree(bench->dir, &bench->err);
}

static void
path_in(const struct bench *bench, const char *name, char path[128])
{
	snprintf(path, 128, "%s/%s", bench->dir, name);
}

static void
put_file(const struct bench *bench, const char *name, const char *text, mode_t mode)
{
	char path[128];

	path_in(bench, name, path);
	unlink(path);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, mode);

	CU_ASSERT_TRUE_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static void
put_folder(const struct bench *bench, const char *name)
{
	char path[128];

	path_in(bench, name, path);
	CU_ASSERT_EQUAL_FATAL(mkdir(path, 0700), 0);
}

/* Whether the hash is another one after `name` has got another text. */
static bool
hash_depends_on(struct bench *bench, const char *name)
{
	char before[65];
	char after[65];

	put_file(bench, name, "one", 0700);
	CU_ASSERT_EQUAL(program_hash(&bench->workload, before, &bench->err), 0);
	put_file(bench, name, "two", 0700);
	CU_ASSERT_EQUAL(program_hash(&bench->workload, after, &bench->err), 0);
	CU_ASSERT_EQUAL(strlen(after), 64);
	return strcmp(before, after) != 0;
}

static void
the_hash_is_of_the_program_and_its_script(void)
{
	struct bench bench;

	bench_init(&bench, "./program", "script.py");
	CU_ASSERT_TRUE(hash_depends_on(&bench, "program"));
	CU_ASSERT_TRUE(hash_depends_on(&bench, "script.py"));
	CU_ASSERT_FALSE(hash_depends_on(&bench, "other"));
	bench_release(&bench);
}

static void
an_argument_that_is_no_file_is_left_out(void)
{
	struct bench bench;
	char hash[65];

	bench_init(&bench, "./program", "1000");
	put_file(&bench, "program", "one", 0700);
	CU_ASSERT_EQUAL(program_hash(&bench.workload, hash, &bench.err), 0);
	put_folder(&bench, "1000");
	CU_ASSERT_EQUAL(program_hash(&bench.workload, hash, &bench.err), 0);
	bench_release(&bench);
}

/* Nobody writes into it: whoever opens it to read waits. */
static void
a_pipe_is_not_read(void)
{
	struct bench bench;
	char path[128];
	char hash[65];

	bench_init(&bench, "/bin/true", "pipe");
	path_in(&bench, "pipe", path);
	CU_ASSERT_EQUAL_FATAL(mkfifo(path, 0600), 0);
	alarm(20);
	CU_ASSERT_EQUAL(program_hash(&bench.workload, hash, &bench.err), 0);
	alarm(0);
	bench_release(&bench);
}

static void
a_bare_name_is_looked_for_as_the_program_will_be(void)
{
	struct bench bench;

	bench_init(&bench, "program", NULL);
	/* A folder of the name, and a file that cannot be run, are passed over. */
	bench.env[0] = "PATH=/nowhere:first:second::third";
	put_folder(&bench, "first");
	put_folder(&bench, "first/program");
	put_folder(&bench, "second");
	put_folder(&bench, "third");
	CU_ASSERT_TRUE(hash_depends_on(&bench, "third/program"));
	/* The current folder, which the empty part stands for, comes before it. */
	CU_ASSERT_TRUE(hash_depends_on(&bench, "program"));
	CU_ASSERT_FALSE(hash_depends_on(&bench, "third/program"));
	CU_ASSERT_TRUE(hash_depends_on(&bench, "second/program"));
	put_file(&bench, "second/program", "one", 0600);
	CU_ASSERT_TRUE(hash_depends_on(&bench, "program"));
	bench_release(&bench);
}

static void
a_build_runs_where_we_are_and_a_setup_where_the_program_will(void)
{
	struct bench bench;
	char path[128];
	struct stat made;

	bench_init(&bench, "./program", NULL);
	bench.env[0] = "MARK=made";
	bench.workload.setup = "touch \"$MARK\"";
	CU_ASSERT_EQUAL(program_build(&bench.workload, &bench.err), 0);
	CU_ASSERT_EQUAL(program_set_up(&bench.workload, &bench.err), 0);
	path_in(&bench, "made", path);
	CU_ASSERT_EQUAL(stat(path, &made), 0);
	enum log_level level = log_get_level();

	log_set_level(LOG_ERROR);
	bench.workload.build = "test -z \"$MARK\" && ! test -e made";
	CU_ASSERT_EQUAL(program_build(&bench.workload, &bench.err), 0);
	bench.workload.build = "exit 4";
	CU_ASSERT_EQUAL(program_build(&bench.workload, &bench.err), -1);
	UNIT_CONTAINS(bench.err.text, "'build of work' exited with status 4");
	bench.workload.teardown = "rm made; exit 1";
	program_tear_down(&bench.workload);
	CU_ASSERT_EQUAL(stat(path, &made), -1);
	log_set_level(level);
	bench_release(&bench);
}

static const struct unit_case cases[] = {
	{"the_hash_is_of_the_program_and_its_script", the_hash_is_of_the_program_and_its_script},
	{"an_argument_that_is_no_file_is_left_out", an_argument_that_is_no_file_is_left_out},
	{"a_pipe_is_not_read", a_pipe_is_not_read},
	{"a_bare_name_is_looked_for_as_the_program_will_be",
		a_bare_name_is_looked_for_as_the_program_will_be},
	{"a_build_runs_where_we_are_and_a_setup_where_the_program_will",
		a_build_runs_where_we_are_and_a_setup_where_the_program_will},
	{NULL, NULL},
};

void
suite_builds_program(void)
{
	unit_suite("builds/program", cases);
}
