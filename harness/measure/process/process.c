#include "process/process.h"

#include "base/clock.h"
#include "process/child.h"
#include "process/signals.h"
#include "process/watch.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static int
wait_to_end(struct child *child, double timeout_s, enum watch_end *end, struct err *err)
{
	struct watch watch = {.child = child};

	if (timeout_s > 0)
		watch.deadline_ns = clock_ns() + (uint64_t)(timeout_s * 1e9);
	return watch_wait(&watch, end, err);
}

/* For a child that has been ended. */
static int
judge_end(const struct child *child, const char *what, double timeout_s, enum watch_end end,
	struct err *err)
{
	switch (end) {
	case WATCH_ENDED:
		return 0;
	case WATCH_TIME_OVER:
		err_set(err, ERR_MEASURE, "'%s' took longer than its timeout of %g s%s", what,
			timeout_s, child_fate(child));
		return child_note_processes(child, err);
	case WATCH_INTERRUPTED:
		return err_set_interrupted(err, signals_caught());
	case WATCH_CPU_OVER: /* there are none of these */
	case WATCH_LEFT:
		break;
	}
	return -1;
}

int
process_run(struct child *child, const struct child_spec *spec, const char *what, double timeout_s,
	struct err *err)
{
	enum watch_end end = WATCH_ENDED;

	if (signals_check(err) < 0 || child_start(child, spec, err) < 0)
		return -1;
	int status = child_go(child, spec, err);

	if (status == 0)
		status = wait_to_end(child, timeout_s, &end, err);
	child_end(child);
	return status == 0 ? judge_end(child, what, timeout_s, end, err) : -1;
}

int
process_run_command(const struct shell_command *command, struct err *err)
{
	const char *const argv[] = {"/bin/sh", "-c", command->text, NULL};
	const char *path = command->output_path;
	int copy = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : 0;
	struct child_spec spec = {.argv = argv,
		.env = command->env,
		.cwd = command->cwd,
		.output = CHILD_MERGE,
		.copy_fd = copy};
	struct child child;
	int status = process_run(&child, &spec, command->what, command->timeout_s, err);

	if (status == 0)
		status = child_judge(&child, command->what, err);
	if (status < 0 && err->kind == ERR_MEASURE)
		err_note(err, "the command was: %s", command->text);
	if (copy > 0) {
		close(copy);
		if (child.copied == 0)
			unlink(path);
	}
	return status;
}

int
process_run_shell(const char *what, const char *command, const char *const *env, const char *cwd,
	double timeout_s, struct err *err)
{
	return process_run_command(&(struct shell_command){.what = what,
					   .text = command,
					   .env = env,
					   .cwd = cwd,
					   .timeout_s = timeout_s},
		err);
}
