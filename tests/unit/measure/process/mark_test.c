/* Each case is a separate process: a mark cannot be taken off. */
#include "process/keeper.h"

#include "unit.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void suite_process_mark(void);

/* What `run` returns in its own process, which has no limit yet; 0 is success. */
static int
in_process(int (*run)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(run());
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* A process with the mark, in its own session; ends with us. */
static pid_t
make_marked(struct mark mark)
{
	char ready;
	int ends[2];

	if (pipe(ends) < 0)
		return -1;
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		mark_set(mark);
		setsid();
		if (write(ends[1], "", 1) == 1)
			pause();
		_exit(0);
	}
	if (read(ends[0], &ready, 1) != 1)
		pid = -1;
	close(ends[0]);
	close(ends[1]);
	return pid;
}

static bool
is_killed(pid_t pid)
{
	int status;

	return waitpid(pid, &status, WNOHANG) == pid && WIFSIGNALED(status) &&
	       WTERMSIG(status) == SIGKILL;
}

static int
kill_one_of_two(void)
{
	const struct mark one = mark_new();
	const struct mark other = mark_new();
	pid_t of_one = make_marked(one);
	pid_t of_other = make_marked(other);
	pid_t plain = make_marked((struct mark){0});

	if (one.number == 0 || one.number == other.number || of_one < 0 || of_other < 0)
		return 1;
	mark_kill_all(one);
	if (!is_killed(of_one))
		return 2;
	if (is_killed(of_other) || is_killed(plain))
		return 3;
	mark_kill_all((struct mark){0});
	return is_killed(of_other) || is_killed(plain) ? 4 : 0;
}

static void
those_with_the_mark_are_killed_and_no_others(void)
{
	CU_ASSERT_EQUAL(in_process(kill_one_of_two), 0);
}

/* Makes a mark below the caller's and kills all with that. */
static int
nested(struct mark outer, bool kill_outer)
{
	mark_set(outer);
	const struct mark inner = mark_new();
	const struct mark sibling = mark_new();
	pid_t of_outer = make_marked((struct mark){0});
	pid_t of_inner = make_marked(inner);

	if (!inner.nested || inner.number == 0 || inner.number >= outer.number ||
		sibling.number == inner.number)
		return 1;
	if (kill_outer) {
		mark_kill_all(outer);
		return is_killed(of_inner) && is_killed(of_outer) ? 0 : 2;
	}
	mark_kill_all(sibling);
	if (is_killed(of_inner))
		return 3;
	mark_kill_all(inner);
	return is_killed(of_inner) && !is_killed(of_outer) ? 0 : 4;
}

static int
kill_inner(void)
{
	return nested(mark_new(), false);
}

static int
kill_outer(void)
{
	return nested(mark_new(), true);
}

static void
a_mark_below_another_is_of_both(void)
{
	CU_ASSERT_EQUAL(in_process(kill_inner), 0);
	/* The process that kills has the outer mark, but is spared by itself. */
	CU_ASSERT_EQUAL(in_process(kill_outer), 0);
}

static int
limited(void)
{
	const struct rlimit limit = {1000000, 1000000};

	if (setrlimit(RLIMIT_RTTIME, &limit) < 0)
		return 1;
	return mark_new().number == 0 ? 0 : 2;
}

static void
a_limit_that_can_be_reached_is_left_alone(void)
{
	CU_ASSERT_EQUAL(in_process(limited), 0);
}

static const struct unit_case cases[] = {
	{"those_with_the_mark_are_killed_and_no_others",
		those_with_the_mark_are_killed_and_no_others},
	{"a_mark_below_another_is_of_both", a_mark_below_another_is_of_both},
	{"a_limit_that_can_be_reached_is_left_alone", a_limit_that_can_be_reached_is_left_alone},
	{NULL, NULL},
};

void
suite_process_mark(void)
{
	unit_suite("process/mark", cases);
}
