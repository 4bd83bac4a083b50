#include "process/process.h"

#include "base/clock.h"
#include "process/child.h"
#include "process/tree.h"
#include "process/watch.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* timeout(1) sends its signal to us and then to our group: one that follows so soon is the same. */
#define ECHO_S 0.5

static volatile sig_atomic_t noted_signal;

static void
note_signal(int number)
{
	static double noted_at;
	double now = clock_seconds();

	if (number == noted_signal && now < noted_at + ECHO_S)
		return;
	if (noted_signal != 0) {
		tree_signal(SIGKILL);
		_exit(128 + number);
	}
	noted_signal = number;
	noted_at = now;
}

void
process_catch_signals(void)
{
	struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction old;

	/* One at a time. */
	sigfillset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* nohup has it ignored, and means it. */
	if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	/* Whoever reads our progress may go (`2>&1 | head`); the workload's end is ours to see to.
	 */
	sigaction(SIGPIPE, &ignore, NULL);
}

int
process_interrupted(void)
{
	return noted_signal;
}

static int
shell_end(const struct child *child, enum watch_end end, const char *what, double timeout_s,
	struct err *err)
{
	switch (end) {
	case WATCH_ENDED:
		return child_judge(child, what, err);
	case WATCH_TIME_OVER:
		err_set(err, ERR_MEASURE, "'%s' took longer than its timeout of %g s and was ended",
			what, timeout_s);
		return -1;
	case WATCH_INTERRUPTED:
		return err_set_interrupted(err, process_interrupted());
	}
	return -1;
}

int
process_run_shell(const char *what, const char *command, const char *const *env, const char *cwd,
	double timeout_s, struct err *err)
{
	const char *const argv[] = {"/bin/sh", "-c", command, NULL};
	struct child_spec spec = {.argv = argv, .env = env, .cwd = cwd, .output = CHILD_MERGE};
	struct child child;
	enum watch_end end = WATCH_ENDED;

	if (process_interrupted() != 0)
		return err_set_interrupted(err, process_interrupted());
	if (child_start(&child, &spec, err) < 0)
		return -1;
	int status = child_go(&child, &spec, err);

	if (status == 0) {
		struct watch watch = {.child = &child};

		if (timeout_s > 0)
			watch.deadline_ns = watch_now_ns() + (uint64_t)(timeout_s * 1e9);
		status = watch_wait(&watch, &end, err);
	}
	child_end(&child);
	if (status == 0)
		status = shell_end(&child, end, what, timeout_s, err);
	if (status < 0 && err->kind == ERR_MEASURE)
		err_note(err, "the command was: %s", command);
	return status;
}
