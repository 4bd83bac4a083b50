#include "process/watch.h"

#include "base/clock.h"
#include "process/signals.h"
#include "process/tree.h"
#include "unit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

void suite_process_watch(void);

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
suite_process_watch(void)
{
	unit_suite("process/watch", cases);
}
