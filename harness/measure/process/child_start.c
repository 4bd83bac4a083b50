/*
 * Starting a child, through the launcher if it is measured, up to the exec of its program or the
 * error that it reports.
 */
#include "process/child.h"

#include "base/clock.h"
#include "base/log.h"
#include "process/file_watch.h"
#include "process/fixed_place.h"
#include "process/keeper.h"
#include "process/launch.h"
#include "process/memory_kills.h"
#include "process/process.h"
#include "process/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/memfd.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * The launcher (launch.h).
 */

/* Since Linux 6.3 files in memory that are to be executed say so. */
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif
/* More words of a command line than any of a workload has; others are started without us. */
#define WORDS_MAX 4096

/* launcher.S */
extern const char launcher_program[];
extern const uint64_t launcher_program_bytes; /* 0: none for this kind of processor */

/* A file in memory with the launcher; -1 where there can be none. */
static int
open_program(void)
{
	const size_t len = launcher_program_bytes;

	if (len == 0)
		return -1;
	int fd = memfd_create("launcher", MFD_CLOEXEC | MFD_EXEC);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("launcher", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, launcher_program, len) != (ssize_t)len) {
		close(fd);
		return -1;
	}
	return fd;
}

static void
set_close_on_exec(int fd, bool close_on_exec)
{
	fcntl(fd, F_SETFD, close_on_exec ? FD_CLOEXEC : 0);
}

/*
 * Makes the calling process the launcher, which starts the program at `path` with `argv`; the
 * program becomes a child of `parent`. Both descriptors stay open in the launcher. Returns if that
 * cannot be done here.
 */
static void
become_launcher(int start_fd, int report_fd, int parent, const char *path, const char *const *argv)
{
	char numbers[3][16];
	const char *words[LAUNCH_ARGV + WORDS_MAX + 1] = {
		[LAUNCH_NAME] = "launcher",
		[LAUNCH_START_FD] = numbers[0],
		[LAUNCH_REPORT_FD] = numbers[1],
		[LAUNCH_PARENT] = numbers[2],
		[LAUNCH_PATH] = path,
	};
	int fd = open_program();
	size_t n = 0;

	while (argv[n])
		n++;
	if (fd < 0 || n > WORDS_MAX)
		return;
	memcpy(words + LAUNCH_ARGV, argv, n * sizeof(*argv));
	snprintf(numbers[0], sizeof(numbers[0]), "%d", start_fd);
	snprintf(numbers[1], sizeof(numbers[1]), "%d", report_fd);
	snprintf(numbers[2], sizeof(numbers[2]), "%d", parent);
	set_close_on_exec(start_fd, false);
	set_close_on_exec(report_fd, false);
	fexecve(fd, (char *const *)words, environ);
	set_close_on_exec(start_fd, true);
	set_close_on_exec(report_fd, true);
	close(fd);
}

/*
 * The child, up to its exec.
 */

/* A program that writes much must not wake us for every line. */
#define OUTPUT_PIPE_BYTES (256 * 1024)

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
		dup2(spec->stderr_too && spec->stdout_fd > 0 ? fd : output_fd, STDERR_FILENO);
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

/* The descriptors that a child is started with. -1: not used. */
struct child_pipes {
	int start;     /* an eventfd, by which the parent lets the child go on */
	int report[2]; /* for a struct launch_report of the child */
	int output[2]; /* of stderr, or of stdout and stderr together */
	int own[2];    /* of stdout by itself */
};

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

/* Returns where that is not possible, and where there is no such program: we are the child. */
static void
try_launcher(const struct child_spec *spec, const struct child_pipes *pipes, pid_t parent)
{
	char *path = find_program(spec->argv[0], NULL, NULL);

	if (path && is_executable_file(path))
		become_launcher(pipes->start, pipes->report[1], parent, path, spec->argv);
	free(path);
}

/*
 * Puts the child into the state that `spec` asks for, waits for the parent's word and executes the
 * program. A step that fails is reported to the parent (launch.h). `parent` is the process that
 * forked.
 */
static _Noreturn void
run_child(const struct child_spec *spec, const struct child_pipes *pipes, pid_t parent,
	struct mark mark)
{
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
	if (spec->measured)
		try_launcher(spec, pipes, parent);
	wait_for_go(pipes);
	if (spec->stops_at_calls && stop_at_calls() < 0)
		report_failure(pipes->report[1], LAUNCH_FILTER);
	execvp(spec->argv[0], (char *const *)spec->argv);
	report_failure(pipes->report[1], LAUNCH_EXEC);
}

static void
note_missing(const struct child_spec *spec, struct err *err)
{
	char here[1024];

	if (spec->is_tool) {
		err_note(err, "is it installed, and in a folder of PATH?");
		return;
	}
	if (access(spec->argv[0], F_OK) == 0 && !spec->cwd) {
		err_note(err,
			"the file is there, but its interpreter (first line) or loader is not");
		return;
	}
	if (!strchr(spec->argv[0], '/')) {
		err_note(err,
			"it is in no folder of PATH; to run a program of this folder, write './%s'",
			spec->argv[0]);
		return;
	}
	if (spec->cwd)
		snprintf(here, sizeof(here), "%s", spec->cwd);
	else if (!getcwd(here, sizeof(here)))
		snprintf(here, sizeof(here), "the current folder");
	err_note(err, "relative paths start at %s; was the program built?", here);
}

static int
explain_report(const struct child_spec *spec, const struct launch_report *report, struct err *err)
{
	const char *name = spec->argv[0];

	switch (report->step) {
	case LAUNCH_READY:
		break;
	case LAUNCH_PIN:
		return err_set_errno(err, ERR_MEASURE, report->errnum,
			"cannot run '%s': pinning to the chosen CPUs", name);
	case LAUNCH_PLACE:
		return err_set_errno(err, ERR_MEASURE, report->errnum,
			"cannot run '%s' in a mount namespace", name);
	case LAUNCH_CWD:
		return err_set_errno(err, ERR_MEASURE, report->errnum,
			"cannot run '%s': working folder '%s'", name, spec->cwd);
	case LAUNCH_STDIN:
		return err_set_errno(err, ERR_MEASURE, report->errnum,
			"cannot run '%s': standard input '%s'", name,
			spec->stdin_path ? spec->stdin_path : "/dev/null");
	case LAUNCH_STDOUT:
		return err_set_errno(err, ERR_MEASURE, report->errnum,
			"cannot run '%s': standard output '%s'", name,
			spec->stdout_path ? spec->stdout_path : "");
	case LAUNCH_FILTER:
		return err_set_errno(err, ERR_MEASURE, report->errnum,
			"cannot run '%s' with a seccomp filter", name);
	case LAUNCH_EXEC:
		err_set_errno(err, ERR_MEASURE, report->errnum, "cannot run '%s'", name);
		if (report->errnum == ENOENT)
			note_missing(spec, err);
		else if (report->errnum == EACCES)
			err_note(err, "not executable: run chmod +x");
		else if (report->errnum == ENOEXEC)
			err_note(err, "it is not a program for this machine");
		return -1;
	}
	return 0;
}

static int
ended_by_another(const struct child_spec *spec, struct err *err)
{
	return err_set(
		err, ERR_MEASURE, "cannot run '%s': another process ended it", spec->argv[0]);
}

/* The child's next report: 1 if there is one, 0 if it has gone on to its program (or died). */
static int
read_report(struct child *child, struct launch_report *report)
{
	ssize_t got;

	do
		got = read(child->report_fd, report, sizeof(*report));
	while (got < 0 && errno == EINTR);
	if (got != sizeof(*report))
		return 0;
	if (report->step == LAUNCH_READY) {
		child->before_ns = report->cpu_ns;
		child->before_faults = report->faults;
	}
	return 1;
}

/* Only our end does not wait: the program's writes do when the pipe is full, as it expects. */
static int
open_pipe(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	fcntl(ends[0], F_SETPIPE_SZ, OUTPUT_PIPE_BYTES);
	return 0;
}

static int
open_pipes(struct child_pipes *pipes, const struct child_spec *spec)
{
	const bool keeps_stdout =
		spec->output == CHILD_KEEP && spec->stdout_fd <= 0 && !spec->stdout_path;

	*pipes = (struct child_pipes){-1, {-1, -1}, {-1, -1}, {-1, -1}};
	pipes->start = eventfd(0, EFD_CLOEXEC);
	if (pipes->start < 0 || pipe2(pipes->report, O_CLOEXEC) < 0)
		return -1;
	if (spec->output == CHILD_INHERIT || spec->output == CHILD_TO_FILES)
		return 0;
	if (open_pipe(pipes->output) < 0 || (keeps_stdout && open_pipe(pipes->own) < 0))
		return -1;
	return 0;
}

static void
close_pipes(struct child_pipes *pipes)
{
	child_close_fd(&pipes->start);
	child_close_fd(&pipes->report[0]);
	child_close_fd(&pipes->report[1]);
	child_close_fd(&pipes->output[0]);
	child_close_fd(&pipes->output[1]);
	child_close_fd(&pipes->own[0]);
	child_close_fd(&pipes->own[1]);
}

static int
fork_child(struct child *child, const struct child_spec *spec, struct err *err)
{
	struct child_pipes pipes;
	pid_t self = getpid();

	if (open_pipes(&pipes, spec) < 0) {
		err_set_errno(err, ERR_SYSTEM, errno, "cannot run '%s'", spec->argv[0]);
		close_pipes(&pipes);
		return -1;
	}
	const bool first = !child_any_lives();

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (first && !spec->is_tool)
		keeper_drop_group(0);
	struct mark mark = {0};

	if (!spec->is_tool)
		mark = keeper_mark();
	child->crowded =
		waitid(P_ALL, 0, &(siginfo_t){.si_pid = 0}, WEXITED | WNOHANG | WNOWAIT) == 0;
	/* Data buffered by stdio would be written twice if the child failed. */
	fflush(NULL);
	child->pid = fork();
	if (child->pid < 0) {
		err_set_errno(err, ERR_SYSTEM, errno, "cannot run '%s'", spec->argv[0]);
		close_pipes(&pipes);
		return -1;
	}
	if (child->pid == 0)
		run_child(spec, &pipes, self, mark);
	child_register(child);
	if (first)
		tree_begin(child->pid);
	if (!spec->is_tool && spec->joins == 0)
		keeper_add_group(child->pid);
	close(pipes.report[1]);
	child_close_fd(&pipes.output[1]);
	child_close_fd(&pipes.own[1]);
	child->start_fd = pipes.start;
	child->report_fd = pipes.report[0];
	child->output_fd = pipes.output[0];
	child->stdout_fd = pipes.own[0];
	return 0;
}

/* The launcher is over, and the process that it made is the child. */
static void
take_launched(struct child *child, pid_t pid)
{
	struct rusage usage;

	if (wait4(child->pid, NULL, 0, &usage) == child->pid)
		child->launch_ns = clock_usage_ns(&usage);
	keeper_drop_group(child->pid);
	child->pid = pid;
	child->launched = true;
	keeper_add_group(pid);
}

int
child_start(struct child *child, const struct child_spec *spec, struct err *err)
{
	struct launch_report report;

	memset(child, 0, sizeof(*child));
	child->pidfd = child->start_fd = child->report_fd = child->output_fd = -1;
	child->stdout_fd = -1;
	child->exit_codes = spec->exit_codes;
	child->is_tool = spec->is_tool;
	child->joined = spec->joins > 0;
	child->awaited = spec->awaited;
	child->memory_kills = spec->is_tool ? -1 : memory_kills();
	child->measured = spec->measured;
	child->copy_fd = spec->copy_fd;
	child->log_lines = spec->output == CHILD_MERGE && log_get_level() >= LOG_DEBUG;
	if (fork_child(child, spec, err) < 0)
		return -1;
	int reported = read_report(child, &report);

	if (reported && report.step == LAUNCH_READY) {
		if (report.pid != child->pid)
			take_launched(child, report.pid);
		child->pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0);
		return 0;
	}
	child_end(child);
	if (reported)
		return explain_report(spec, &report, err);
	return ended_by_another(spec, err);
}

static int
send_word(struct child *child, const struct child_spec *spec, uint64_t word, struct err *err)
{
	ssize_t put;

	do
		put = write(child->start_fd, &word, sizeof(word));
	while (put < 0 && errno == EINTR);
	if (put < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot run '%s'", spec->argv[0]);
	child->words++;
	return 0;
}

int
child_spin(struct child *child, const struct child_spec *spec, uint64_t cpu_ns, struct err *err)
{
	struct launch_report report;

	if (cpu_ns == 0)
		return 0;
	if (send_word(child, spec, LAUNCH_GO + cpu_ns, err) < 0)
		return -1;
	return read_report(child, &report) ? 0 : ended_by_another(spec, err);
}

int
child_release(struct child *child, const struct child_spec *spec, struct err *err)
{
	return send_word(child, spec, LAUNCH_GO, err);
}

int
child_released(struct child *child, const struct child_spec *spec, struct err *err)
{
	struct launch_report report;
	int failed = read_report(child, &report);

	child_close_fd(&child->start_fd);
	child_close_fd(&child->report_fd);
	return failed ? explain_report(spec, &report, err) : 0;
}

int
child_go(struct child *child, const struct child_spec *spec, struct err *err)
{
	return child_release(child, spec, err) < 0 ? -1 : child_released(child, spec, err);
}
