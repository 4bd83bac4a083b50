/* Starting a child: its pipes, the fork, and the reports that it sends up to its exec. */
#include "process/child.h"

#include "base/log.h"
#include "process/child_exec.h"
#include "process/keeper.h"
#include "process/launch.h"
#include "process/mark.h"
#include "process/memory_kills.h"
#include "process/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A program that writes much must not wake us for every line. */
#define OUTPUT_PIPE_BYTES (256 * 1024)

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
		child_exec(spec, &pipes, self, mark);
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
	waitpid(child->pid, NULL, 0);
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
