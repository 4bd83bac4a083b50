#include "process/process.h"

#include "base/clock.h"
#include "base/file.h"
#include "process/child.h"
#include "process/tree.h"
#include "scratch.h"
#include "unit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void suite_process_process(void);

static void
command_that_succeeds_is_silent(void)
{
	static const char *const env[] = {"GREETING=hello", NULL};
	struct err err = {0};

	CU_ASSERT_EQUAL(
		process_run_shell("check", "test \"$GREETING\" = hello && test \"$PWD\" = /", env,
			"/", 10, &err),
		0);
	CU_ASSERT_EQUAL(err.kind, ERR_NONE);
}

static void
failure_tells_status_output_and_command(void)
{
	struct err err = {0};

	CU_ASSERT_EQUAL(process_run_shell("build of x",
				"echo to stdout; echo to stderr >&2; exit 7", NULL, NULL, 10, &err),
		-1);
	CU_ASSERT_EQUAL(err.kind, ERR_MEASURE);
	UNIT_CONTAINS(err.text, "'build of x' exited with status 7");
	UNIT_CONTAINS(err.text, "to stdout");
	UNIT_CONTAINS(err.text, "to stderr");
	UNIT_CONTAINS(err.text, "exit 7");
}

static void
all_output_goes_to_a_file_that_is_wanted(void)
{
	struct scratch scratch;
	struct buf text = {0};
	struct err err = {0};

	scratch_init(&scratch);
	char *path = file_join(scratch.dir, "build.txt");
	struct shell_command command = {.what = "build",
		.text = "i=0; while [ $i -lt 3000 ]; do echo $i; i=$((i+1)); done; echo end >&2; exit 3",
		.timeout_s = 10,
		.output_path = path};

	CU_ASSERT_EQUAL(process_run_command(&command, &err), -1);
	CU_ASSERT_EQUAL_FATAL(file_read(path, &text, CHILD_COPY_MAX, &err), 0);
	CU_ASSERT_EQUAL(strncmp(buf_text(&text), "0\n1\n", 4), 0);
	UNIT_CONTAINS(buf_text(&text), "\n2999\nend\n");
	/* A command that prints nothing leaves none, not even an old one. */
	command.text = "true";
	CU_ASSERT_EQUAL(process_run_command(&command, &err), 0);
	CU_ASSERT_FALSE(file_exists(path));
	buf_release(&text);
	free(path);
	scratch_release(&scratch);
}

static void
timeout_ends_the_whole_tree(void)
{
	struct scratch scratch;
	struct err err = {0};
	time_t start = time(NULL);

	scratch_init(&scratch);
	CU_ASSERT_EQUAL(
		process_run_shell("setup",
			"(setsid sleep 300 & echo $! > daemon); sleep 300 & echo $! > job; wait",
			NULL, scratch.dir, 1, &err),
		-1);
	UNIT_CONTAINS(err.text, "timeout of 1 s");
	CU_ASSERT_TRUE(time(NULL) - start < 20);
	CU_ASSERT_TRUE(scratch_is_gone(scratch_number(&scratch, "daemon")));
	CU_ASSERT_TRUE(scratch_is_gone(scratch_number(&scratch, "job")));
	scratch_release(&scratch);
}

static void
a_stopped_process_is_named_and_ended_with_its_tree(void)
{
	struct scratch scratch;
	struct err err = {0};
	char held[64];

	scratch_init(&scratch);
	CU_ASSERT_EQUAL(
		process_run_shell("setup",
			"(setsid sleep 300 & echo $! > daemon); sh -c 'echo $$ > pid; kill -STOP $$'; true",
			NULL, scratch.dir, 1, &err),
		-1);
	snprintf(held, sizeof(held), "note: process %ld ('sh') is stopped\n",
		(long)scratch_number(&scratch, "pid"));
	UNIT_CONTAINS(err.text, held);
	CU_ASSERT_TRUE(scratch_is_gone(scratch_number(&scratch, "daemon")));
	CU_ASSERT_TRUE(scratch_is_gone(scratch_number(&scratch, "pid")));
	scratch_release(&scratch);
}

static void
process_that_ignores_sigterm_is_ended_too(void)
{
	struct scratch scratch;
	struct err err = {0};

	scratch_init(&scratch);
	CU_ASSERT_EQUAL(process_run_shell("setup",
				"trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done", NULL,
				scratch.dir, 1, &err),
		-1);
	CU_ASSERT_TRUE(scratch_is_gone(scratch_number(&scratch, "pid")));
	scratch_release(&scratch);
}

/* In its own process: the signal is noted for good. */
static int
interrupted_child(struct scratch *scratch)
{
	struct err err = {0};
	pid_t self = getpid();

	signals_catch();
	if (fork() == 0) {
		struct timespec pause = {.tv_nsec = 20000000};

		scratch_await(scratch, "pid");
		kill(self, SIGINT);
		/* As timeout(1) does: the process, and then its group. */
		nanosleep(&pause, NULL);
		kill(self, SIGINT);
		_exit(0);
	}
	/* Does not end before the second one. */
	if (process_run_shell("setup",
		    "trap 'sleep 0.2; exit' TERM; echo $$ > pid; sleep 300 & wait", NULL,
		    scratch->dir, 0, &err) == 0)
		return 1;
	if (err.kind != ERR_INTERRUPTED || err_exit_code(&err) != 130)
		return 2;
	if (signals_caught() != SIGINT)
		return 3;
	/* And nothing is begun after it. */
	return process_run_shell("setup", "touch more", NULL, scratch->dir, 0, &err) == 0 ? 4 : 0;
}

static void
interruption_ends_the_command_and_is_reported(void)
{
	struct scratch scratch;
	int status;

	scratch_init(&scratch);
	fflush(NULL);
	pid_t pid = fork();

	if (pid == 0)
		_exit(interrupted_child(&scratch));
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_TRUE(WIFEXITED(status));
	CU_ASSERT_EQUAL(WEXITSTATUS(status), 0);
	CU_ASSERT_TRUE(scratch_is_gone(scratch_number(&scratch, "pid")));
	CU_ASSERT_FALSE(file_exists(scratch_path(&scratch, "more")));
	scratch_release(&scratch);
}

/* In its own process, with SIGHUP ignored as nohup(1) has it, or not. */
static int
hung_up_child(const char *dir, bool ignored)
{
	struct err err = {0};

	signal(SIGHUP, ignored ? SIG_IGN : SIG_DFL);
	signals_catch();
	const char *command = ignored ? "kill -HUP $PPID; sleep 0.2" : "kill -HUP $PPID; sleep 300";
	int result = process_run_shell("setup", command, NULL, dir, 0, &err);

	return ignored ? result != 0 : err_exit_code(&err) != 128 + SIGHUP;
}

static void
a_hang_up_is_an_interruption_unless_ignored(void)
{
	for (int ignored = 0; ignored <= 1; ignored++) {
		int status;

		fflush(NULL);
		pid_t pid = fork();

		if (pid == 0)
			_exit(hung_up_child("/", ignored != 0));
		CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
		CU_ASSERT_TRUE(WIFEXITED(status));
		CU_ASSERT_EQUAL(WEXITSTATUS(status), 0);
	}
}

/* Earlier cases have made us the subreaper: what somebody left comes to us. */
static bool
is_gone_soon(pid_t pid)
{
	struct timespec pause = {.tv_nsec = 20000000};

	for (int i = 0; i < 500 && !scratch_is_gone(pid); i++) {
		waitpid(pid, NULL, WNOHANG);
		nanosleep(&pause, NULL);
	}
	return scratch_is_gone(pid);
}

static void
second_signal_ends_everything_at_once(void)
{
	struct scratch scratch;
	struct timespec pause = {.tv_nsec = 50000000};
	int status;

	scratch_init(&scratch);
	fflush(NULL);
	pid_t pid = fork();

	if (pid == 0) {
		struct err err = {0};

		signals_catch();
		/* Outlives SIGTERM for a second, which is when the second signal comes. */
		process_run_shell("setup",
			"trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done", NULL,
			scratch.dir, 0, &err);
		_exit(0);
	}
	scratch_await(&scratch, "pid");
	/* In this order also where it sees both at once. */
	kill(pid, SIGINT);
	nanosleep(&pause, NULL);
	kill(pid, SIGTERM);
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_TRUE(WIFEXITED(status));
	CU_ASSERT_EQUAL(WEXITSTATUS(status), 128 + SIGTERM);
	CU_ASSERT_TRUE(is_gone_soon((pid_t)scratch_number(&scratch, "pid")));
	while (waitpid(-1, NULL, WNOHANG) > 0)
		continue;
	scratch_release(&scratch);
}

static void
children_from_before_are_left_alone(void)
{
	struct scratch scratch;
	struct timespec pause = {.tv_nsec = 50000000}; /* start times are in ticks of 10 ms */
	struct err err = {0};

	scratch_init(&scratch);
	fflush(NULL);
	pid_t before = fork();

	if (before == 0) {
		execlp("sleep", "sleep", "300", (char *)NULL);
		_exit(127);
	}
	nanosleep(&pause, NULL);
	CU_ASSERT_EQUAL(process_run_shell("setup", "(setsid sleep 300 & echo $! > daemon)", NULL,
				scratch.dir, 10, &err),
		0);
	CU_ASSERT_TRUE(scratch_is_gone(scratch_number(&scratch, "daemon")));
	CU_ASSERT_EQUAL(waitpid(before, NULL, WNOHANG), 0);
	kill(before, SIGKILL);
	waitpid(before, NULL, 0);
	scratch_release(&scratch);
}

static void
sudden_death_ends_what_the_command_started(void)
{
	struct scratch scratch;
	struct err err = {0};

	scratch_init(&scratch);
	fflush(NULL);
	pid_t pid = fork();

	if (pid == 0) {
		process_run_shell("setup",
			"(setsid sh -c 'echo $$ > daemon; exec sleep 300' &);"
			"sh -c 'echo $$ > pid; exec sleep 300'; sleep 300",
			NULL, scratch.dir, 0, &err);
		_exit(0);
	}
	scratch_await(&scratch, "pid");
	scratch_await(&scratch, "daemon");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CU_ASSERT_TRUE(is_gone_soon((pid_t)scratch_number(&scratch, "pid")));
	CU_ASSERT_TRUE(is_gone_soon((pid_t)scratch_number(&scratch, "daemon")));
	while (waitpid(-1, NULL, WNOHANG) > 0)
		continue;
	scratch_release(&scratch);
}

/* Where nothing else ends the wait: no case gets there. */
#define LONG_NS UINT64_C(20000000000)

/* A process that lives as long as `hold` is open, and a pipe that is drained. */
struct bench {
	pid_t pid;
	int hold;
	int pipe[2];
	int drained;       /* calls */
	int release_after; /* so many calls the process may end; 0: it may not */
	int fail_after;    /* so many calls drain() fails; 0: it does not */
	struct watch watch;
	enum watch_end end;
	struct err err;
};

static int
drain(void *context, struct err *err)
{
	struct bench *bench = context;
	char bytes[16];

	while (read(bench->pipe[0], bytes, sizeof(bytes)) > 0)
		continue;
	bench->drained++;
	if (bench->drained == bench->release_after) {
		close(bench->hold);
		bench->hold = -1;
	}
	return bench->drained == bench->fail_after ? err_set(err, ERR_SYSTEM, "no room") : 0;
}

static void
bench_init(struct bench *bench)
{
	int ends[2];
	char byte;

	*bench = (struct bench){.end = WATCH_INTERRUPTED};
	CU_ASSERT_EQUAL_FATAL(pipe2(ends, O_CLOEXEC), 0);
	fflush(NULL);
	bench->pid = fork();
	if (bench->pid == 0) {
		close(ends[1]);
		_exit(read(ends[0], &byte, 1) == 0 ? 0 : 1);
	}
	close(ends[0]);
	/* After the fork: the process is not to hold it open. */
	CU_ASSERT_EQUAL_FATAL(pipe2(bench->pipe, O_CLOEXEC | O_NONBLOCK), 0);
	bench->hold = ends[1];
	bench->watch = (struct watch){
		.attached = bench->pid,
		.fds = &bench->pipe[0],
		.nfds = 1,
		.drain = drain,
		.context = bench,
		.deadline_ns = clock_ns() + LONG_NS,
	};
}

static void
bench_release(struct bench *bench)
{
	kill(bench->pid, SIGKILL);
	waitpid(bench->pid, NULL, 0);
	for (size_t i = 0; i < 2; i++)
		child_close_fd(&bench->pipe[i]);
	child_close_fd(&bench->hold);
}

static int
wait_for_end(struct bench *bench)
{
	return watch_wait(&bench->watch, &bench->end, &bench->err);
}

static void
put_byte(struct bench *bench)
{
	CU_ASSERT_EQUAL(write(bench->pipe[1], "x", 1), 1);
}

static void
the_end_of_the_process_ends_the_wait(void)
{
	struct bench bench;

	bench_init(&bench);
	close(bench.hold);
	bench.hold = -1;
	CU_ASSERT_EQUAL(wait_for_end(&bench), 0);
	CU_ASSERT_EQUAL(bench.end, WATCH_ENDED);
	CU_ASSERT_EQUAL(bench.drained, 0);
	bench_release(&bench);
}

static void
what_is_there_is_drained_while_waiting(void)
{
	struct bench bench;

	bench_init(&bench);
	bench.release_after = 1;
	put_byte(&bench);
	CU_ASSERT_EQUAL(wait_for_end(&bench), 0);
	CU_ASSERT_EQUAL(bench.end, WATCH_ENDED);
	CU_ASSERT_EQUAL(bench.drained, 1);
	bench_release(&bench);
}

/* The first task's end closes its descriptor; what came from it may still write. */
static void
draining_goes_on_after_a_descriptor_hung_up(void)
{
	struct bench bench;

	bench_init(&bench);
	bench.release_after = 4;
	child_close_fd(&bench.pipe[1]);
	CU_ASSERT_EQUAL(wait_for_end(&bench), 0);
	CU_ASSERT_EQUAL(bench.end, WATCH_ENDED);
	CU_ASSERT_TRUE(bench.drained >= 4);
	bench_release(&bench);
}

static void
a_drain_that_fails_ends_the_wait(void)
{
	struct bench bench;

	bench_init(&bench);
	bench.fail_after = 1;
	put_byte(&bench);
	CU_ASSERT_EQUAL(wait_for_end(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "no room");
	bench_release(&bench);
}

static void
a_time_that_is_over_ends_the_wait(void)
{
	struct bench bench;

	bench_init(&bench);
	bench.watch.deadline_ns = clock_ns();
	CU_ASSERT_EQUAL(wait_for_end(&bench), 0);
	CU_ASSERT_EQUAL(bench.end, WATCH_TIME_OVER);
	bench.watch.deadline_ns = clock_ns() + 2000000;
	CU_ASSERT_EQUAL(wait_for_end(&bench), 0);
	CU_ASSERT_EQUAL(bench.end, WATCH_TIME_OVER);
	CU_ASSERT_TRUE(clock_ns() >= bench.watch.deadline_ns);
	bench_release(&bench);
}

/* Time that passes is not CPU time: a process that waits uses none. */
static void
used_up_cpu_time_ends_the_wait(void)
{
	struct bench bench;

	bench_init(&bench);
	tree_begin(bench.pid);
	bench.watch.cpu_limit_ns = 100000000;
	bench.watch.deadline_ns = clock_ns() + 1500000000;
	CU_ASSERT_EQUAL(wait_for_end(&bench), 0);
	CU_ASSERT_EQUAL(bench.end, WATCH_TIME_OVER);
	bench_release(&bench);
	fflush(NULL);
	bench.pid = fork();
	while (bench.pid == 0) {
	}
	tree_begin(bench.pid);
	bench.watch = (struct watch){.attached = bench.pid,
		.deadline_ns = clock_ns() + LONG_NS,
		.cpu_limit_ns = 100000000};
	CU_ASSERT_EQUAL(wait_for_end(&bench), 0);
	CU_ASSERT_EQUAL(bench.end, WATCH_CPU_OVER);
	CU_ASSERT(tree_cpu_ns() >= 100000000);
	kill(bench.pid, SIGKILL);
	waitpid(bench.pid, NULL, 0);
}

static void
an_end_counts_though_the_time_is_over_too(void)
{
	struct bench bench;
	siginfo_t info;

	bench_init(&bench);
	kill(bench.pid, SIGKILL);
	waitid(P_PID, (id_t)bench.pid, &info, WEXITED | WNOWAIT);
	bench.watch.deadline_ns = 0;
	CU_ASSERT_EQUAL(wait_for_end(&bench), 0);
	CU_ASSERT_EQUAL(bench.end, WATCH_ENDED);
	bench_release(&bench);
}

static void
nobody_is_waited_for_but_the_time(void)
{
	struct bench bench;

	bench_init(&bench);
	close(bench.hold);
	bench.hold = -1;
	bench.watch.attached = 0;
	bench.watch.deadline_ns = clock_ns() + 1000000;
	CU_ASSERT_EQUAL(wait_for_end(&bench), 0);
	CU_ASSERT_EQUAL(bench.end, WATCH_TIME_OVER);
	bench_release(&bench);
}

/* In its own process: the signal is noted for good. */
static void
a_signal_ends_the_wait(void)
{
	int status;

	fflush(NULL);
	pid_t pid = fork();

	if (pid == 0) {
		struct bench bench;

		signals_catch();
		bench_init(&bench);
		raise(SIGTERM);
		int result = wait_for_end(&bench);

		bench_release(&bench);
		_exit(result == 0 && bench.end == WATCH_INTERRUPTED ? 0 : 1);
	}
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static const struct unit_case cases[] = {
	{"command_that_succeeds_is_silent", command_that_succeeds_is_silent},
	{"failure_tells_status_output_and_command", failure_tells_status_output_and_command},
	{"all_output_goes_to_a_file_that_is_wanted", all_output_goes_to_a_file_that_is_wanted},
	{"timeout_ends_the_whole_tree", timeout_ends_the_whole_tree},
	{"a_stopped_process_is_named_and_ended_with_its_tree",
		a_stopped_process_is_named_and_ended_with_its_tree},
	{"process_that_ignores_sigterm_is_ended_too", process_that_ignores_sigterm_is_ended_too},
	{"children_from_before_are_left_alone", children_from_before_are_left_alone},
	{"interruption_ends_the_command_and_is_reported",
		interruption_ends_the_command_and_is_reported},
	{"a_hang_up_is_an_interruption_unless_ignored",
		a_hang_up_is_an_interruption_unless_ignored},
	{"second_signal_ends_everything_at_once", second_signal_ends_everything_at_once},
	{"sudden_death_ends_what_the_command_started", sudden_death_ends_what_the_command_started},
	{"the_end_of_the_process_ends_the_wait", the_end_of_the_process_ends_the_wait},
	{"what_is_there_is_drained_while_waiting", what_is_there_is_drained_while_waiting},
	{"draining_goes_on_after_a_descriptor_hung_up",
		draining_goes_on_after_a_descriptor_hung_up},
	{"a_drain_that_fails_ends_the_wait", a_drain_that_fails_ends_the_wait},
	{"a_time_that_is_over_ends_the_wait", a_time_that_is_over_ends_the_wait},
	{"used_up_cpu_time_ends_the_wait", used_up_cpu_time_ends_the_wait},
	{"an_end_counts_though_the_time_is_over_too", an_end_counts_though_the_time_is_over_too},
	{"nobody_is_waited_for_but_the_time", nobody_is_waited_for_but_the_time},
	{"a_signal_ends_the_wait", a_signal_ends_the_wait},
	{NULL, NULL},
};

void
suite_process_process(void)
{
	unit_suite("process/process", cases);
}
