#include "process/keeper.h"

#include "process/tree.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Our end of the line to the keeper, and whose end it is: a process that we fork has none. */
static int keeper_fd = -1;
static pid_t keeper_owner;

static void
close_others(void)
{
#ifdef SYS_close_range
	if (syscall(SYS_close_range, 1U, ~0U, 0U) == 0)
		return;
#endif
	for (int fd = 1; fd < 4096; fd++)
		close(fd);
}

/* Only async-signal-safe calls: it is a copy of a process that may have threads. */
static _Noreturn void
keep(int told)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	pid_t group = 0;
	pid_t next;
	ssize_t got;

	/* The terminal's signals, and those that we send to all our descendants, are for others. */
	setsid();
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &ignore, NULL);
	prctl(PR_SET_NAME, "keeper");
	/* It must hold no pipe open that somebody reads to its end. */
	if (dup2(told, STDIN_FILENO) < 0)
		_exit(1);
	close_others();
	while ((got = read(STDIN_FILENO, &next, sizeof(next))) != 0) {
		if (got == sizeof(next))
			group = next;
		else if (got > 0 || errno != EINTR)
			break;
	}
	if (group > 1)
		kill(-group, SIGKILL);
	_exit(0);
}

static void
start(void)
{
	int ends[2];

	keeper_owner = getpid();
	keeper_fd = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return;
	/* Without a signal at its end it is no child that wait(2) would wait for. */
	long pid = syscall(SYS_clone, 0UL, NULL, NULL, NULL, 0UL);

	if (pid == 0)
		keep(ends[0]);
	close(ends[0]);
	if (pid < 0) {
		close(ends[1]);
		return;
	}
	keeper_fd = ends[1];
	tree_spare((pid_t)pid);
}

void
keeper_set(pid_t group)
{
	if (keeper_owner != getpid()) {
		/* Of the process that we were forked from: it must see that one's end. */
		if (keeper_fd >= 0)
			close(keeper_fd);
		start();
	}
	/* Somebody may have ended it: no reason for us to fail. */
	if (keeper_fd >= 0 && send(keeper_fd, &group, sizeof(group), MSG_NOSIGNAL) < 0) {
		close(keeper_fd);
		keeper_fd = -1;
	}
}
