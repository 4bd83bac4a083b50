#include "process/tool.h"

#include "base/clock.h"
#include "base/mem.h"
#include "process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A check-out may take long, but not for ever. */
#define TIMEOUT_S 3600.0
/* What a program that is told to end may take for cleaning up. */
#define GRACE_S 5.0
#define COMPLAINT_LINES_MAX 6

/* Where the child's streams go, and how it tells that there is no such program. */
struct streams {
	int out;
	int complaint;
	int failure;
};

static _Noreturn void
run_child(const char *const *argv, const char *const *env, const char *folder,
	const struct streams *streams)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	/* Ignored ones would stay ignored. */
	sigaction(SIGPIPE, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* Without a terminal, and in a group of its own: we end it in order. */
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(streams->out, STDOUT_FILENO) >= 0 &&
		dup2(streams->complaint, STDERR_FILENO) >= 0 && (!folder || chdir(folder) == 0))
		execvpe(argv[0], (char *const *)argv, (char *const *)env);
	int number = errno;

	if (pwrite(streams->failure, &number, sizeof(number), 0) < 0)
		_exit(126);
	_exit(127);
}

/* Waits up to `seconds`: whether it has ended. An interruption is looked for where `heeds` it. */
static bool
wait_for(pid_t pid, int pidfd, double seconds, bool heeds, int *status)
{
	double end = clock_seconds() + seconds;
	struct pollfd fd = {.fd = pidfd, .events = POLLIN};

	while (waitpid(pid, status, WNOHANG) != pid) {
		if (clock_seconds() > end || (heeds && process_interrupted() != 0))
			return false;
		/* Kernels before 5.3 have no such descriptors. */
		poll(&fd, pidfd >= 0 ? 1 : 0, pidfd >= 0 ? 100 : 5);
	}
	return true;
}

static int
wait_to_end(pid_t pid, const char *name, int *status, struct err *err)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	int result = 0;

	if (!wait_for(pid, pidfd, TIMEOUT_S, true, status)) {
		kill(-pid, SIGTERM);
		if (!wait_for(pid, pidfd, GRACE_S, false, status)) {
			kill(-pid, SIGKILL);
			waitpid(pid, status, 0);
		}
		result = process_interrupted() != 0
				 ? err_set_interrupted(err, process_interrupted())
				 : err_set(err, ERR_SYSTEM,
					   "'%s' took longer than %g s and was ended", name,
					   TIMEOUT_S);
	}
	if (pidfd >= 0)
		close(pidfd);
	return result;
}

static void
take(int fd, struct buf *out)
{
	char chunk[4096];
	ssize_t got;

	while (out->len < TOOL_OUTPUT_MAX &&
		(got = pread(fd, chunk, sizeof(chunk), (off_t)out->len)) > 0)
		buf_put(out, chunk, (size_t)got);
}

static int
run_with(const struct streams *streams, struct tool_output *output, const char *const *argv,
	const char *const *env, const char *folder, struct err *err)
{
	int number = 0;
	int status = 0;
	pid_t pid = fork();

	if (pid < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot run '%s'", argv[0]);
	if (pid == 0)
		run_child(argv, env, folder, streams);
	if (wait_to_end(pid, argv[0], &status, err) < 0)
		return -1;
	if (pread(streams->failure, &number, sizeof(number), 0) == sizeof(number)) {
		err_set_errno(err, ERR_SYSTEM, number, "cannot run '%s'", argv[0]);
		if (number == ENOENT)
			err_note(err, "is it installed, and in a folder of PATH?");
		return -1;
	}
	output->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	take(streams->out, &output->out);
	take(streams->complaint, &output->complaint);
	return 0;
}

int
tool_run(struct tool_output *output, const char *const *argv, const char *const *env,
	const char *folder, struct err *err)
{
	/* Files rather than pipes: a process that is left behind keeps nobody waiting. */
	struct streams streams = {
		.out = memfd_create("stdout", MFD_CLOEXEC),
		.complaint = memfd_create("stderr", MFD_CLOEXEC),
		.failure = memfd_create("failure", MFD_CLOEXEC),
	};
	int result = -1;

	*output = (struct tool_output){.status = -1};
	if (streams.out < 0 || streams.complaint < 0 || streams.failure < 0)
		err_set_errno(err, ERR_SYSTEM, errno, "cannot run '%s'", argv[0]);
	else if (process_interrupted() != 0)
		err_set_interrupted(err, process_interrupted());
	else
		result = run_with(&streams, output, argv, env ? env : (const char *const *)environ,
			folder, err);
	if (streams.out >= 0)
		close(streams.out);
	if (streams.complaint >= 0)
		close(streams.complaint);
	if (streams.failure >= 0)
		close(streams.failure);
	return result;
}

void
tool_output_release(struct tool_output *output)
{
	buf_release(&output->out);
	buf_release(&output->complaint);
}

char *
tool_line(const struct tool_output *output)
{
	size_t len = output->out.len;

	if (len > 0 && output->out.data[len - 1] == '\n')
		len--;
	return mem_dup(buf_text(&output->out), len);
}

void
tool_note_complaint(const struct tool_output *output, struct err *err)
{
	const char *at = buf_text(&output->complaint);

	for (unsigned lines = 0; *at && lines < COMPLAINT_LINES_MAX;) {
		size_t len = strcspn(at, "\n");

		if (len > 0) {
			err_note(err, "%.*s", (int)len, at);
			lines++;
		}
		at += len + (at[len] == '\n');
	}
}
