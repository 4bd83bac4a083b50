#include "process/process.h"

#include "base/clock.h"
#include "process/signals.h"
#include "process/watch.h"

static int
wait_to_end(struct child *child, const char *what, double timeout_s, struct err *err)
{
	struct watch watch = {.child = child};
	enum watch_end end = WATCH_ENDED;

	if (timeout_s > 0)
		watch.deadline_ns = clock_ns() + (uint64_t)(timeout_s * 1e9);
	if (watch_wait(&watch, &end, err) < 0)
		return -1;
	switch (end) {
	case WATCH_ENDED:
		return 0;
	case WATCH_TIME_OVER:
		return err_set(err, ERR_MEASURE,
			"'%s' took longer than its timeout of %g s and was ended", what, timeout_s);
	case WATCH_INTERRUPTED:
		return err_set_interrupted(err, signals_caught());
	}
	return -1;
}

int
process_run(struct child *child, const struct child_spec *spec, const char *what, double timeout_s,
	struct err *err)
{
	if (signals_check(err) < 0 || child_start(child, spec, err) < 0)
		return -1;
	int status = child_go(child, spec, err);

	if (status == 0)
		status = wait_to_end(child, what, timeout_s, err);
	child_end(child);
	return status;
}

int
process_run_shell(const char *what, const char *command, const char *const *env, const char *cwd,
	double timeout_s, struct err *err)
{
	const char *const argv[] = {"/bin/sh", "-c", command, NULL};
	struct child_spec spec = {.argv = argv, .env = env, .cwd = cwd, .output = CHILD_MERGE};
	struct child child;
	int status = process_run(&child, &spec, what, timeout_s, err);

	if (status == 0)
		status = child_judge(&child, what, err);
	if (status < 0 && err->kind == ERR_MEASURE)
		err_note(err, "the command was: %s", command);
	return status;
}
