/* Each case is a separate process: whose descendants there are is then known. */
#include "process/tree.h"

#include "in_process.h"
#include "unit.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void suite_process_tree(void);

/* A child that does nothing but wait for its end. */
static pid_t
make_idle(void)
{
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		pause();
	_exit(0);
}

/* The same with its own child. */
static pid_t
make_idle_with_child(void)
{
	char ready;
	int ends[2];

	if (pipe(ends) < 0)
		return -1;
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (make_idle() > 0 && write(ends[1], "", 1) == 1)
			pause();
		_exit(0);
	}
	close(ends[1]);
	ssize_t got = read(ends[0], &ready, 1);

	close(ends[0]);
	return got == 1 ? pid : -1;
}

static void
end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int
grandchildren(void)
{
	pid_t child = make_idle();

	tree_begin(child);
	if (tree_signal(0).count != 1)
		return 1;
	pid_t other = make_idle_with_child();

	if (tree_signal(0).count != 3)
		return 2;
	end(child);
	if (tree_signal(0).count != 2)
		return 3;
	end(other);
	return 0;
}

static void
children_and_theirs_are_counted(void)
{
	CU_ASSERT_EQUAL(in_process(grandchildren), 0);
}

static int
dead(void)
{
	siginfo_t info;
	pid_t child = make_idle();

	tree_begin(child);
	kill(child, SIGKILL);
	if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) < 0)
		return 1;
	/* Nobody has taken note of its end yet. */
	if (tree_signal(0).count != 0)
		return 2;
	end(child);
	return 0;
}

static void
the_dead_are_not_counted(void)
{
	CU_ASSERT_EQUAL(in_process(dead), 0);
}

static int
older(void)
{
	/* Start times are in ticks of 10 ms. */
	struct timespec pause = {.tv_nsec = 50000000};
	pid_t before = make_idle();

	nanosleep(&pause, NULL);
	pid_t child = make_idle();

	tree_begin(child);
	if (tree_signal(SIGKILL).count != 1 || waitpid(child, NULL, 0) != child)
		return 1;
	if (tree_signal(0).count != 0)
		return 2;
	if (waitpid(before, NULL, WNOHANG) != 0)
		return 3;
	end(before);
	return 0;
}

static void
children_from_before_are_not_ours(void)
{
	CU_ASSERT_EQUAL(in_process(older), 0);
}

static int
with_one_spared(void)
{
	pid_t child = make_idle();

	tree_begin(child);
	pid_t kept = make_idle();

	tree_spare(kept);
	if (tree_signal(SIGKILL).count != 1 || waitpid(child, NULL, 0) != child)
		return 1;
	if (waitpid(kept, NULL, WNOHANG) != 0)
		return 2;
	end(kept);
	return 0;
}

static void
the_one_that_is_spared_lives(void)
{
	CU_ASSERT_EQUAL(in_process(with_one_spared), 0);
}

static int
signalled(void)
{
	int status;
	pid_t child = make_idle();

	tree_begin(child);
	if (tree_signal(SIGTERM).count != 1 || waitpid(child, &status, 0) != child)
		return 1;
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM ? 0 : 2;
}

static void
the_signal_is_the_one_asked_for(void)
{
	CU_ASSERT_EQUAL(in_process(signalled), 0);
}

/* The name stands unescaped ahead of the state, the parent and the start. */
static int
named(void)
{
	prctl(PR_SET_NAME, ") Z 1 1 1 1 (");
	pid_t child = make_idle();

	tree_begin(child);
	size_t found = tree_signal(0).count;

	end(child);
	return found == 1 ? 0 : 1;
}

static void
a_name_may_look_like_fields(void)
{
	CU_ASSERT_EQUAL(in_process(named), 0);
}

static void *
wait_for_end(void *nothing)
{
	pause();
	return nothing;
}

/* Waits until the first thread of a process has ended, half a minute at most. */
static bool
first_thread_ends(pid_t pid)
{
	const struct timespec moment = {.tv_nsec = 10000000};
	char path[64];
	char text[512];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	for (unsigned i = 0; i < 3000; i++) {
		FILE *file = fopen(path, "r");
		const bool is_zombie =
			file && fgets(text, sizeof(text), file) && strstr(text, ") Z ");

		if (file)
			fclose(file);
		if (is_zombie)
			return true;
		nanosleep(&moment, NULL);
	}
	return false;
}

/* Its first thread is a zombie, and the process lives. */
static int
without_first_thread(void)
{
	pid_t child = fork();

	if (child == 0) {
		pthread_t second;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pthread_create(&second, NULL, wait_for_end, NULL);
		pthread_exit(NULL);
	}
	tree_begin(child);
	const bool ended = first_thread_ends(child);
	const size_t found = tree_signal(0).count;

	end(child);
	return !ended ? 1 : found == 1 ? 0 : 2;
}

static void
a_process_outlives_its_first_thread(void)
{
	CU_ASSERT_EQUAL(in_process(without_first_thread), 0);
}

static int
survivor(void)
{
	pid_t child = make_idle();
	pid_t other = make_idle();

	tree_begin(child);
	if (tree_has_survivors() || !tree_add_survivor(child) || !tree_has_survivors())
		return 1;
	if (tree_signal(SIGKILL).count != 1 || waitpid(other, NULL, 0) != other)
		return 2;
	if (tree_signal(0).count != 0 || waitpid(child, NULL, WNOHANG) != 0)
		return 3;
	end(child);
	return tree_add_survivor(child) ? 4 : 0;
}

static void
one_that_cannot_be_ended_counts_no_more(void)
{
	CU_ASSERT_EQUAL(in_process(survivor), 0);
}

/* A child that is another user's, whom the caller may not signal from then on. */
static int
refused(void)
{
	int ends[2];
	char end_of_parent;

	if (pipe(ends) < 0)
		return 1;
	pid_t child = fork();

	/* The signal at the parent's end would be refused, too. */
	if (child == 0) {
		close(ends[1]);
		_exit(read(ends[0], &end_of_parent, 1) != 0);
	}
	tree_begin(child);
	if (setresuid(65534, 65534, 65534) < 0)
		return 2;
	const struct tree_found found = tree_signal(SIGTERM);

	return found.count == 1 && found.refused == 1 ? 0 : 3;
}

static void
one_of_another_user_refuses_signals(void)
{
	if (geteuid() != 0)
		unit_skip("only root has children of another user");
	else
		CU_ASSERT_EQUAL(in_process(refused), 0);
}

static const struct unit_case cases[] = {
	{"children_and_theirs_are_counted", children_and_theirs_are_counted},
	{"the_dead_are_not_counted", the_dead_are_not_counted},
	{"children_from_before_are_not_ours", children_from_before_are_not_ours},
	{"the_one_that_is_spared_lives", the_one_that_is_spared_lives},
	{"the_signal_is_the_one_asked_for", the_signal_is_the_one_asked_for},
	{"a_name_may_look_like_fields", a_name_may_look_like_fields},
	{"a_process_outlives_its_first_thread", a_process_outlives_its_first_thread},
	{"one_that_cannot_be_ended_counts_no_more", one_that_cannot_be_ended_counts_no_more},
	{"one_of_another_user_refuses_signals", one_of_another_user_refuses_signals},
	{NULL, NULL},
};

void
suite_process_tree(void)
{
	unit_suite("process/tree", cases);
}
