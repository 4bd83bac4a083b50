/*
 * Processes that wait for the end of this one; one of them then kills the process groups of its
 * list.
 */
#include "process/keeper.h"

#include "process/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The first descriptor that is nobody's standard stream. */
#define LINE_FD 3

/* The keeper of groups has at most so many at a time. */
#define GROUPS_MAX 16

/*
 * The keeper that kills the process groups that we started; the process that made it (a fork of
 * ours has none); and the mark on the processes that this process starts.
 */
static struct keeper group_keeper = {.line = -1};
static pid_t group_keeper_owner;
static struct mark group_keeper_mark;

/* A keeper must hold no pipe open that is read to its end, and write to no file by accident. */
static void
keep_only(int line)
{
	int null = open("/dev/null", O_RDWR);

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fd != line)
			dup2(null, fd);
	if (dup2(line, LINE_FD) < 0)
		_exit(1);
#ifdef SYS_close_range
	if (syscall(SYS_close_range, LINE_FD + 1U, ~0U, 0U) == 0)
		return;
#endif
	for (int fd = LINE_FD + 1; fd < 4096; fd++)
		close(fd);
}

static _Noreturn void
run_keeper(int line, const char *name, void (*run)(int line, void *context), void *context)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	/* The terminal's signals, and those that we send to all our descendants, are for others. */
	setsid();
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &ignore, NULL);
	prctl(PR_SET_NAME, name);
	keep_only(line);
	run(LINE_FD, context);
	_exit(0);
}

void
keeper_start(struct keeper *keeper, const char *name, void (*run)(int line, void *context),
	void *context)
{
	int ends[2];

	*keeper = (struct keeper){.line = -1};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return;
	/* Without a signal at its end it is no child that wait(2) would wait for. */
	long pid = syscall(SYS_clone, 0UL, NULL, NULL, NULL, 0UL);

	if (pid == 0)
		run_keeper(ends[0], name, run, context);
	close(ends[0]);
	if (pid < 0) {
		close(ends[1]);
		return;
	}
	*keeper = (struct keeper){.line = ends[1], .pid = (pid_t)pid};
	tree_spare(keeper->pid);
}

void
keeper_stop(struct keeper *keeper)
{
	if (keeper->line < 0)
		return;
	close(keeper->line);
	keeper->line = -1;
	while (waitpid(keeper->pid, NULL, __WALL) < 0 && errno == EINTR)
		;
}

/* A group that is there from now on, or no longer. */
struct group_change {
	pid_t group; /* 0, and not `added`: all */
	bool added;
};

struct groups {
	pid_t all[GROUPS_MAX]; /* 0: a free place */
};

static void
put_group(struct groups *groups, pid_t old, pid_t group)
{
	for (size_t i = 0; i < GROUPS_MAX; i++) {
		if (groups->all[i] != old)
			continue;
		groups->all[i] = group;
		return;
	}
}

static void
change_groups(struct groups *groups, const struct group_change *change)
{
	if (change->added)
		put_group(groups, 0, change->group);
	else if (change->group > 0)
		put_group(groups, change->group, 0);
	else
		*groups = (struct groups){{0}};
}

static void
kill_all_at_end(int line, void *context)
{
	const struct mark *mark = context;
	struct groups groups = {{0}};
	struct group_change change;
	ssize_t got;

	while ((got = read(line, &change, sizeof(change))) != 0) {
		if (got == sizeof(change))
			change_groups(&groups, &change);
		else if (got > 0 || errno != EINTR)
			break;
	}
	for (size_t i = 0; i < GROUPS_MAX; i++)
		if (groups.all[i] > 1)
			kill(-groups.all[i], SIGKILL);
	mark_kill_all(*mark);
}

/* Makes the keeper, unless this process has made it before. */
static struct keeper *
own_keeper(void)
{
	struct keeper *keeper = &group_keeper;

	if (group_keeper_owner == getpid())
		return keeper;
	/* For the process that we were forked from: it must see that one's end. */
	if (keeper->line >= 0)
		close(keeper->line);
	group_keeper_owner = getpid();
	group_keeper_mark = mark_new();
	keeper_start(keeper, "keeper", kill_all_at_end, &group_keeper_mark);
	return keeper;
}

static void
tell(struct group_change change)
{
	struct keeper *keeper = own_keeper();

	/* Somebody may have ended it: no reason for us to fail. */
	if (keeper->line >= 0 && send(keeper->line, &change, sizeof(change), MSG_NOSIGNAL) < 0) {
		close(keeper->line);
		keeper->line = -1;
	}
}

void
keeper_add_group(pid_t group)
{
	tell((struct group_change){group, true});
}

void
keeper_drop_group(pid_t group)
{
	tell((struct group_change){group, false});
}

struct mark
keeper_mark(void)
{
	own_keeper();
	return group_keeper_mark;
}
