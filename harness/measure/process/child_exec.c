#include "process/child_exec.h"

#include "base/clock.h"
#include "process/child.h"
#include "process/file_watch.h"
#include "process/fixed_place.h"
#include "process/launch.h"
#include "process/mark.h"
#include "process/seccomp_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static _Noreturn void
report_failure(int report_fd, enum launch_step step)
{
	struct launch_report report = {.step = step, .errnum = errno};

	if (write(report_fd, &report, sizeof(report)) < 0)
		_exit(126);
	_exit(127);
}

/* Without memory the stack has no room, which only costs time. */
static void
make_stack_room(size_t wanted)
{
	size_t bytes = sizeof(CHILD_STACK_ROOM "=");

	for (char **variable = environ; *variable; variable++)
		bytes += strlen(*variable) + 1;
	if (bytes >= wanted)
		return;
	char *filler = malloc(wanted - bytes + 1);

	if (!filler)
		return;
	memset(filler, '.', wanted - bytes);
	filler[wanted - bytes] = '\0';
	setenv(CHILD_STACK_ROOM, filler, 1);
	free(filler);
}

/* Opening a FIFO for reading would wait for its writer, without a message. */
static int
open_stdin(const char *path)
{
	int fd = open(path ? path : "/dev/null", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 || fcntl(fd, F_SETFL, 0) < 0)
		return -1;
	return dup2(fd, STDIN_FILENO);
}

static int
open_stdout(const struct child_spec *spec, int pipe_fd)
{
	if (spec->stdout_fd > 0)
		return spec->stdout_fd;
	return spec->stdout_path
		       ? open(spec->stdout_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
		       : pipe_fd;
}

/* -1 where its stdout cannot be opened. */
static int
redirect_output(const struct child_spec *spec, int output_fd, int stdout_fd)
{
	int fd;

	switch (spec->output) {
	case CHILD_INHERIT:
		break;
	case CHILD_KEEP:
		fd = open_stdout(spec, stdout_fd);
		if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
			return -1;
		dup2(output_fd, STDERR_FILENO);
		break;
	case CHILD_MERGE:
		dup2(output_fd, STDOUT_FILENO);
		dup2(output_fd, STDERR_FILENO);
		break;
	case CHILD_TO_FILES:
		dup2(spec->files[0], STDOUT_FILENO);
		dup2(spec->files[1], STDERR_FILENO);
		break;
	}
	return 0;
}

static void
default_signals(void)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t none;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGPIPE, &action, NULL);
	sigaction(SIGXFSZ, &action, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void
wait_for_go(const struct child_pipes *pipes)
{
	struct launch_report ready = {.step = LAUNCH_READY, .pid = getpid()};
	struct rusage usage;
	uint64_t word = 0;

	while (word != LAUNCH_GO) {
		if (getrusage(RUSAGE_SELF, &usage) == 0)
			ready.faults = (unsigned)(usage.ru_minflt + usage.ru_majflt);
		ready.cpu_ns = clock_own_cpu_ns();
		if (write(pipes->report[1], &ready, sizeof(ready)) < 0 ||
			read(pipes->start, &word, sizeof(word)) != sizeof(word))
			_exit(127);
		uint64_t start_ns = clock_own_cpu_ns();

		while (clock_own_cpu_ns() - start_ns < word - LAUNCH_GO)
			continue;
	}
}

/* Makes each system call from here on stop for the tracer. */
static int
stop_at_calls(void)
{
	struct sock_filter trace[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE)};
	const struct sock_fprog program = {.len = 1, .filter = trace};

	return seccomp_filter_set(&program, 0);
}

_Noreturn void
child_exec(const struct child_spec *spec, const struct child_pipes *pipes, pid_t parent,
	struct mark mark)
{
	char path[PATH_MAX];

	mark_set(mark);
	default_signals();
	if (spec->ignores_sigprof)
		signal(SIGPROF, SIG_IGN);
	/* A separate group: the terminal's Ctrl-C is for us, and we end the program in order. */
	if (spec->is_tool)
		setsid();
	else
		setpgid(0, spec->joins);
	/* First, since a user namespace takes the signal below back. */
	if (spec->place && fixed_place_enter(spec->place) < 0)
		report_failure(pipes->report[1], LAUNCH_PLACE);
	prctl(PR_SET_PDEATHSIG, spec->is_tool ? SIGTERM : SIGKILL);
	if (getppid() != parent)
		_exit(127);
	if (spec->pin && sched_setaffinity(0, sizeof(*spec->pin), spec->pin) < 0)
		report_failure(pipes->report[1], LAUNCH_PIN);
	if (spec->cwd && chdir(spec->cwd) < 0)
		report_failure(pipes->report[1], LAUNCH_CWD);
	if (open_stdin(spec->stdin_path) < 0)
		report_failure(pipes->report[1], LAUNCH_STDIN);
	if (redirect_output(spec, pipes->output[1], pipes->own[1]) < 0)
		report_failure(pipes->report[1], LAUNCH_STDOUT);
	if (spec->only_env)
		clearenv();
	for (const char *const *env = spec->env; env && *env; env++)
		putenv((char *)*env);
	make_stack_room(spec->stack_room);
	if (spec->file_watch)
		file_watch_join(spec->file_watch);
	/* Where that is not possible, and where there is no such program, we are the child. */
	if (spec->measured && launch_find_in_path(spec->argv[0], path))
		launch_become(pipes->start, pipes->report[1], parent, path, spec->argv);
	wait_for_go(pipes);
	if (spec->stops_at_calls && stop_at_calls() < 0)
		report_failure(pipes->report[1], LAUNCH_FILTER);
	execvp(spec->argv[0], (char *const *)spec->argv);
	report_failure(pipes->report[1], LAUNCH_EXEC);
}
