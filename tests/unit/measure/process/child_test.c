#include "process/process.h"

#include "base/file.h"
#include "base/log.h"
#include "process/memory_kills.h"
#include "scratch.h"
#include "stderr_file.h"
#include "unit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

void suite_process_child(void);

struct bench {
	struct scratch scratch;
	const char *argv[4];
	struct child_spec spec;
	struct child child;
	struct err err;
	char text[LAST_OUTPUT_MAX + 1]; /* the tail of what it wrote */
};

static void
bench_init(struct bench *bench, const char *script)
{
	*bench = (struct bench){.argv = {"/bin/sh", "-c", script, NULL}};
	scratch_init(&bench->scratch);
	bench->spec = (struct child_spec){
		.argv = bench->argv, .cwd = bench->scratch.dir, .output = CHILD_MERGE};
}

static void
bench_release(struct bench *bench)
{
	scratch_release(&bench->scratch);
}

/* From its start to its end; -1 where it could not be run. */
static int
run(struct bench *bench)
{
	struct child *child = &bench->child;
	enum watch_end end;

	if (child_start(child, &bench->spec, &bench->err) < 0)
		return -1;
	int result = child_go(child, &bench->spec, &bench->err);

	if (result == 0)
		result = watch_wait(&(struct watch){.child = child}, &end, &bench->err);
	child_end(child);
	last_output_text(&child->last_output, bench->text, sizeof(bench->text));
	return result;
}

static void
expect_output(struct bench *bench, const char *expected)
{
	CU_ASSERT_EQUAL(run(bench), 0);
	UNIT_STR_EQ(bench->text, expected);
	CU_ASSERT_EQUAL(bench->child.status, 0);
	bench_release(bench);
}

/* The file that a process runs now. */
static void
program_of(pid_t pid, char path[512])
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	ssize_t len = readlink(link, path, 511);

	path[len > 0 ? len : 0] = '\0';
}

static void
the_child_stands_still_until_it_may_go(void)
{
	struct bench bench;
	char ours[512];
	char its[512];

	bench_init(&bench, "echo ran");
	CU_ASSERT_EQUAL_FATAL(child_start(&bench.child, &bench.spec, &bench.err), 0);
	program_of(getpid(), ours);
	program_of(bench.child.pid, its);
	UNIT_STR_EQ(its, ours);
	child_reap(&bench.child);
	CU_ASSERT_FALSE(bench.child.ended);
	/* It may be given up as well. */
	child_end(&bench.child);
	CU_ASSERT_EQUAL(bench.child.last_output.len, 0);
	CU_ASSERT_EQUAL(bench.child.pidfd, -1);
	CU_ASSERT_EQUAL(bench.child.start_fd, -1);
	child_end(&bench.child);
	bench_release(&bench);
}

static void
it_may_use_time_before_it_goes(void)
{
	struct bench bench;
	enum watch_end end;

	bench_init(&bench, "echo ran");
	CU_ASSERT_EQUAL_FATAL(child_start(&bench.child, &bench.spec, &bench.err), 0);
	CU_ASSERT_EQUAL(child_spin(&bench.child, &bench.spec, 0, &bench.err), 0);
	CU_ASSERT_EQUAL(child_spin(&bench.child, &bench.spec, 1000000, &bench.err), 0);
	CU_ASSERT_EQUAL(child_spin(&bench.child, &bench.spec, 0, &bench.err), 0);
	child_reap(&bench.child);
	CU_ASSERT_FALSE(bench.child.ended);
	CU_ASSERT_EQUAL(child_go(&bench.child, &bench.spec, &bench.err), 0);
	CU_ASSERT_EQUAL(watch_wait(&(struct watch){.child = &bench.child}, &end, &bench.err), 0);
	child_end(&bench.child);
	UNIT_STR_EQ(bench.child.last_output.bytes, "ran\n");
	const struct rusage *usage = &bench.child.usage;

	CU_ASSERT_TRUE(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec >= 1000);
	bench_release(&bench);
}

static void
what_is_asked_for_is_what_it_has(void)
{
	static const char *const env[] = {"GREETING=hello", "PATH_OF_X=/x", NULL};
	struct bench bench;

	bench_init(&bench, "read line; echo $GREETING $PATH_OF_X $line; pwd | grep -c unit");
	bench.spec.env = env;
	FILE *input = fopen(scratch_path(&bench.scratch, "input"), "we");

	CU_ASSERT_PTR_NOT_NULL_FATAL(input);
	fputs("first\nsecond\n", input);
	fclose(input);
	bench.spec.stdin_path = bench.scratch.path;
	expect_output(&bench, "hello /x first\n1");
	CU_ASSERT_PTR_NULL(getenv("GREETING"));
}

/* A smaller environment is filled up to what is requested; a larger one is left as it is. */
static void
its_stack_has_room(void)
{
	char variable[32768] = "LARGE=";
	const char *env[] = {variable, NULL};
	const char *script = "wc -c </proc/$$/environ; echo ${PROFILE_RUN_STACK_ROOM:+made}";
	struct bench bench;

	memset(variable + strlen(variable), 'x', sizeof(variable) - strlen(variable) - 1);
	bench_init(&bench, script);
	bench.spec.stack_room = 20000;
	expect_output(&bench, "20000\nmade");
	bench_init(&bench, script);
	bench.spec.stack_room = 20000;
	bench.spec.env = env;
	CU_ASSERT_EQUAL(run(&bench), 0);
	CU_ASSERT(strtol(bench.text, NULL, 10) > 32000);
	CU_ASSERT_PTR_NULL(strstr(bench.text, "made"));
	bench_release(&bench);
}

static void
standard_input_is_empty_unless_asked_for(void)
{
	struct bench bench;

	bench_init(&bench, "cat; echo end");
	expect_output(&bench, "end");
}

static void
output_is_kept_as_asked_for(void)
{
	struct bench bench;

	bench_init(&bench, "echo out; echo err >&2");
	expect_output(&bench, "out\nerr");
	bench_init(&bench, "echo out; echo err >&2");
	bench.spec.output = CHILD_KEEP;
	expect_output(&bench, "err");
	bench_init(&bench, "exit 0");
	bench.spec.output = CHILD_INHERIT;
	expect_output(&bench, "");
}

/* More than the pipe holds: a program that nobody listens to would not end. */
static void
a_program_that_writes_much_is_listened_to(void)
{
	struct bench bench;

	bench_init(&bench, "head -c 2000000 /dev/zero | tr '\\0' x; echo; echo last");
	expect_output(&bench, "last");
}

/* We note SIGTERM and ignore SIGPIPE; a program must find both as a shell would give them. */
static void
signals_are_as_they_are_by_default(void)
{
	struct sigaction before;
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	sigset_t blocked;
	sigset_t mask;
	struct bench bench;

	sigaction(SIGPIPE, &ignore, &before);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, &mask);
	bench_init(&bench, "kill -PIPE $$; exit 3");
	CU_ASSERT_EQUAL(run(&bench), 0);
	CU_ASSERT_TRUE(WIFSIGNALED(bench.child.status));
	CU_ASSERT_EQUAL(WTERMSIG(bench.child.status), SIGPIPE);
	bench_release(&bench);
	bench_init(&bench, "kill -USR1 $$; exit 3");
	CU_ASSERT_EQUAL(run(&bench), 0);
	CU_ASSERT_TRUE(WIFSIGNALED(bench.child.status));
	bench_release(&bench);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGPIPE, &before, NULL);
}

static void
sigprof_is_ignored_where_wanted(void)
{
	struct bench bench;

	bench_init(&bench, "kill -PROF $$; exit 3");
	CU_ASSERT_EQUAL(run(&bench), 0);
	CU_ASSERT_TRUE(WIFSIGNALED(bench.child.status));
	bench_release(&bench);
	bench_init(&bench, "kill -PROF $$; exit 3");
	bench.spec.ignores_sigprof = true;
	CU_ASSERT_EQUAL(run(&bench), 0);
	CU_ASSERT_TRUE(WIFEXITED(bench.child.status));
	CU_ASSERT_EQUAL(WEXITSTATUS(bench.child.status), 3);
	bench_release(&bench);
}

/* Each of them says what to look at. */
static void
expect_refusal(struct bench *bench, const char *part, const char *hint)
{
	CU_ASSERT_EQUAL(run(bench), -1);
	CU_ASSERT_EQUAL(bench->err.kind, ERR_MEASURE);
	UNIT_CONTAINS(bench->err.text, part);
	UNIT_CONTAINS(bench->err.text, hint);
	CU_ASSERT_EQUAL(bench->child.start_fd, -1);
	CU_ASSERT_EQUAL(bench->child.output_fd, -1);
	bench_release(bench);
}

static void
a_program_that_is_not_there_is_looked_for(void)
{
	struct bench bench;

	bench_init(&bench, NULL);
	bench.argv[0] = "no-such-program-anywhere";
	expect_refusal(&bench, "cannot run 'no-such-program-anywhere'", "in no folder of PATH");
	bench_init(&bench, NULL);
	bench.argv[0] = "./missing";
	expect_refusal(&bench, "cannot run './missing'", bench.spec.cwd);
}

static void
a_file_that_is_no_program_is_reported(void)
{
	struct bench bench;
	char path[128];

	bench_init(&bench, NULL);
	snprintf(path, sizeof(path), "%s", scratch_path(&bench.scratch, "file"));
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	CU_ASSERT_TRUE_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(write(fd, "#!/no/such/interpreter\n", 23), 23);
	bench.argv[0] = path;
	bench.spec.cwd = NULL;
	CU_ASSERT_EQUAL(run(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "chmod +x");
	CU_ASSERT_EQUAL(fchmod(fd, 0700), 0);
	close(fd);
	expect_refusal(&bench, "cannot run", "its interpreter (first line)");
}

static void
a_folder_or_input_that_is_not_there_is_reported(void)
{
	struct bench bench;

	bench_init(&bench, "exit 0");
	bench.spec.cwd = "/no/such/folder";
	expect_refusal(&bench, "working folder '/no/such/folder'", "No such file");
	bench_init(&bench, "exit 0");
	bench.spec.stdin_path = "/no/such/file";
	expect_refusal(&bench, "standard input '/no/such/file'", "No such file");
}

static void
cpus_that_are_not_there_are_reported(void)
{
	struct bench bench;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(CPU_SETSIZE - 1, &cpus);
	bench_init(&bench, "exit 0");
	bench.spec.pin = &cpus;
	expect_refusal(&bench, "pinning to the chosen CPUs", "/bin/sh");
}

static struct child
ended(int status, const char *wrote)
{
	struct child child = {.ended = true, .status = status};

	last_output_put(&child.last_output, wrote, strlen(wrote));
	return child;
}

static void
an_end_is_judged_by_its_status(void)
{
	struct err err = {0};
	struct child child = ended(0, "all is well\n");

	CU_ASSERT_EQUAL(child_judge(&child, "x", &err), 0);
	CU_ASSERT_EQUAL(err.kind, ERR_NONE);
	child = ended(3 << 8, "one\ntwo\n");
	CU_ASSERT_EQUAL(child_judge(&child, "x", &err), -1);
	UNIT_CONTAINS(err.text, "'x' exited with status 3");
	UNIT_CONTAINS(err.text, "\n    | one\n    | two");
	err = (struct err){0};
	child = ended(SIGSEGV, "");
	CU_ASSERT_EQUAL(child_judge(&child, "x", &err), -1);
	UNIT_CONTAINS(err.text, "'x' was killed by SIGSEGV");
	CU_ASSERT_PTR_NULL(strstr(err.text, "last it wrote"));
	CU_ASSERT_PTR_NULL(strstr(err.text, "out of memory"));
	err = (struct err){0};
	child = ended(SIGKILL, "");
	child.memory_kills = -1;
	CU_ASSERT_EQUAL(child_judge(&child, "x", &err), -1);
	UNIT_CONTAINS(err.text, "was it out of memory?");
	if (memory_kills() >= 0) {
		err = (struct err){0};
		child.memory_kills = memory_kills();
		CU_ASSERT_EQUAL(child_judge(&child, "x", &err), -1);
		UNIT_CONTAINS(err.text, "nor by the kernel for lack of memory");
	}
	/* One that could not be reaped did not succeed. */
	child = ended(0, "");
	child.ended = false;
	CU_ASSERT_EQUAL(child_judge(&child, "x", &err), -1);
	UNIT_CONTAINS(err.text, "its tracer hides its status");
}

/* What stderr gets while the debug log is on. */
static void
log_of(struct bench *bench, char *text, size_t size)
{
	enum log_level level = log_get_level();
	struct stderr_file file;

	stderr_file_begin(&file);
	log_set_level(LOG_DEBUG);
	int result = run(bench);

	log_set_level(level);
	stderr_file_end(&file, text, size);
	CU_ASSERT_EQUAL(result, 0);
}

static void
lines_of_any_length_are_logged_whole(void)
{
	struct bench bench;
	char text[8192];
	size_t letters = 0;

	bench_init(&bench, "printf 'one\\n\\n'; printf '%02500d' 0; printf '\\nno newline'");
	log_of(&bench, text, sizeof(text));
	UNIT_CONTAINS(text, "| one\n");
	UNIT_CONTAINS(text, "| no newline\n");
	for (const char *at = text; *at; at++)
		letters += *at == '0';
	CU_ASSERT_EQUAL(letters, 2500);
	bench_release(&bench);
}

/* The tail of each stream by itself; a file has stdout alone. */
static void
standard_output_goes_where_it_is_wanted(void)
{
	char text[LAST_OUTPUT_MAX + 1];
	struct buf written = {0};
	struct bench bench;

	bench_init(&bench, "echo out; echo err >&2; exit 3");
	bench.spec.output = CHILD_KEEP;
	CU_ASSERT_EQUAL(run(&bench), 0);
	UNIT_STR_EQ(bench.text, "err");
	last_output_text(&bench.child.last_stdout, text, sizeof(text));
	UNIT_STR_EQ(text, "out");
	CU_ASSERT_EQUAL(child_judge(&bench.child, "sh", &bench.err), -1);
	UNIT_CONTAINS(bench.err.text, "its last output:\n    | err");
	UNIT_CONTAINS(bench.err.text, "its last standard output:\n    | out");
	bench.spec.stdout_path = "out.txt";
	CU_ASSERT_EQUAL(run(&bench), 0);
	CU_ASSERT_EQUAL(bench.child.last_stdout.len, 0);
	CU_ASSERT_EQUAL(
		file_read(scratch_path(&bench.scratch, "out.txt"), &written, 100, &bench.err), 0);
	UNIT_STR_EQ(buf_text(&written), "out\n");
	buf_release(&written);
	bench.spec.stdout_path = "none/out.txt";
	bench.err = (struct err){0};
	CU_ASSERT_EQUAL(run(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "standard output 'none/out.txt': No such file or directory");
	bench_release(&bench);
}

static void
other_exit_codes_may_be_successes(void)
{
	struct bench bench;

	bench_init(&bench, "exit 200");
	exit_status_set_add(&bench.spec.exit_codes, 200);
	CU_ASSERT_EQUAL(run(&bench), 0);
	CU_ASSERT_EQUAL(child_judge(&bench.child, "sh", &bench.err), 0);
	bench.argv[2] = "exit 0";
	CU_ASSERT_EQUAL(run(&bench), 0);
	CU_ASSERT_EQUAL(child_judge(&bench.child, "sh", &bench.err), -1);
	bench_release(&bench);
}

static const struct unit_case cases[] = {
	{"the_child_stands_still_until_it_may_go", the_child_stands_still_until_it_may_go},
	{"it_may_use_time_before_it_goes", it_may_use_time_before_it_goes},
	{"what_is_asked_for_is_what_it_has", what_is_asked_for_is_what_it_has},
	{"its_stack_has_room", its_stack_has_room},
	{"standard_input_is_empty_unless_asked_for", standard_input_is_empty_unless_asked_for},
	{"output_is_kept_as_asked_for", output_is_kept_as_asked_for},
	{"a_program_that_writes_much_is_listened_to", a_program_that_writes_much_is_listened_to},
	{"signals_are_as_they_are_by_default", signals_are_as_they_are_by_default},
	{"sigprof_is_ignored_where_wanted", sigprof_is_ignored_where_wanted},
	{"a_program_that_is_not_there_is_looked_for", a_program_that_is_not_there_is_looked_for},
	{"a_file_that_is_no_program_is_reported", a_file_that_is_no_program_is_reported},
	{"a_folder_or_input_that_is_not_there_is_reported",
		a_folder_or_input_that_is_not_there_is_reported},
	{"cpus_that_are_not_there_are_reported", cpus_that_are_not_there_are_reported},
	{"standard_output_goes_where_it_is_wanted", standard_output_goes_where_it_is_wanted},
	{"other_exit_codes_may_be_successes", other_exit_codes_may_be_successes},
	{"an_end_is_judged_by_its_status", an_end_is_judged_by_its_status},
	{"lines_of_any_length_are_logged_whole", lines_of_any_length_are_logged_whole},
	{NULL, NULL},
};

void
suite_process_child(void)
{
	unit_suite("process/child", cases);
}
