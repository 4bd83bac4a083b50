#include "capture/command.h"

#include "base/clock.h"
#include "capture/backend.h"
#include "capture/companions.h"
#include "process/child.h"
#include "process/last_output.h"
#include "process/signals.h"
#include "process/watch.h"

#include <math.h>
#include <signal.h>
#include <string.h>

static int
run_driver(struct companions *companions, const struct command *command, struct child *server,
	struct watch *watch, enum watch_end *end, struct err *err)
{
	struct child_spec spec = companions->beside;

	spec.argv = companions->service->driver;
	spec.stdout_fd = command->request->stdout_fd;
	spec.stdout_path = command->request->stdout_path;
	spec.exit_codes = command->request->exit_codes;
	if (child_start(&companions->driver, &spec, err) < 0)
		return -1;
	companions->driving = true;
	if (command->ready && command->ready(command->context, err) < 0)
		return -1;
	const uint64_t start_ns = clock_ns();

	watch->child = &companions->driver;
	watch->beside = server;
	watch->deadline_ns = command_deadline_ns(command, start_ns);
	int status = child_go(&companions->driver, &spec, err);

	if (status == 0)
		status = watch_wait(watch, end, err);
	companions->took_ns = clock_ns() - start_ns;
	return status;
}

/* Waits until the server takes requests, calls ready(context), and runs the driver to its end. */
static int
watch_service(struct companions *companions, const struct command *command, struct child *server,
	struct watch *watch, enum watch_end *end, struct err *err)
{
	companions->beside.joins = server->pid;
	if (service_wait_ready(&companions->service->own, server, &companions->beside, err) < 0)
		return -1;
	return run_driver(companions, command, server, watch, end, err);
}

struct child_spec
command_spec(const struct command *command)
{
	const struct capture_request *request = command->request;

	return (struct child_spec){
		.argv = request->argv,
		.env = request->env,
		.cwd = request->cwd,
		.stdin_path = request->stdin_path,
		.pin = request->pin,
		/* Samples are too few for it to matter. */
		.stack_room = event_is_traced(&request->event) ? request->stack_bytes : 0,
		.output = request->output,
		.stdout_fd = request->service ? 0 : request->stdout_fd,
		.stdout_path = request->service ? NULL : request->stdout_path,
		.exit_codes = request->exit_codes,
		.measured = true,
		.file_watch = request->file_watch,
	};
}

static double
timeout_s(const struct command *command)
{
	return command->request->timeout_s * command->timeout_factor;
}

bool
command_has_duration(const struct command *command)
{
	double duration_s = command->request->duration_s;

	return duration_s > 0 && (timeout_s(command) <= 0 || duration_s <= timeout_s(command));
}

uint64_t
command_deadline_ns(const struct command *command, uint64_t start_ns)
{
	double limit_s =
		command_has_duration(command) ? command->request->duration_s : timeout_s(command);

	/* Other load must not end it. */
	if (command->timeout_is_cpu && !command_has_duration(command))
		limit_s = fmax(limit_s, fmin(CAPTURE_WALL_FACTOR * limit_s, CAPTURE_WALL_MOST_S));

	return limit_s > 0 ? start_ns + (uint64_t)(limit_s * 1e9) : 0;
}

int
command_start(const struct command *command, struct child *child, const struct child_spec *spec,
	struct err *err)
{
	const struct service *service = command->request->service;
	struct child_spec own = *spec;

	if (!service)
		return child_start(child, spec, err);
	if (companions_start(command->companions, command->request, err) < 0)
		return -1;
	service_prepare(&service->own, &own);
	if (child_start(child, &own, err) == 0)
		return 0;
	companions_end(command->companions, NULL, WATCH_LEFT);
	return -1;
}

bool
command_begins_later(const struct capture_request *request)
{
	return request->service || request->skip_s > 0;
}

int
command_watch(const struct command *command, struct child *child, struct watch *watch,
	enum watch_end *end, struct err *err)
{
	if (command->request->service)
		return watch_service(command->companions, command, child, watch, end, err);
	watch->child = child;
	return watch_wait(watch, end, err);
}

void
command_end(const struct command *command, struct child *child, enum watch_end end,
	uint64_t start_ns, struct capture_result *result)
{
	/* The time that ending takes is not the program's. */
	result->run.wall_ns = clock_ns() - start_ns;
	if (command->request->service) {
		result->run.wall_ns = command->companions->took_ns;
		companions_end(command->companions, child, end);
	} else {
		child_end(child);
	}
	last_output_text(&child->last_output, result->last_output, sizeof(result->last_output));
	result->exit_status = child->status;
	result->ended_by_us = end == WATCH_TIME_OVER && command_has_duration(command);
}

static int
outlived(const struct command *command, const struct child *child, enum watch_end end,
	struct err *err)
{
	const struct service *service = command->request->service;
	const char *name = service ? service->driver[0] : command->request->argv[0];
	double timeout_s = command->request->timeout_s;

	if (end == WATCH_CPU_OVER)
		err_set(err, ERR_MEASURE, "'%s' used more than %g s of CPU time%s", name,
			timeout_s * command->timeout_factor, child_fate(child));
	else if (command->timeout_factor > 1)
		err_set(err, ERR_MEASURE, "'%s' ran longer than %u times its timeout of %g s%s",
			name, command->timeout_factor, timeout_s, child_fate(child));
	else
		err_set(err, ERR_MEASURE, "'%s' ran longer than its timeout of %g s%s", name,
			timeout_s, child_fate(child));
	child_note_processes(child, err);
	return err_note(err, "%s%sincrease `timeout`, or reduce the work of the program",
		command->slowness ? command->slowness : "", command->slowness ? ": " : "");
}

int
command_judge(const struct command *command, const struct child *child, enum watch_end end,
	struct err *err)
{
	switch (end) {
	case WATCH_ENDED:
	case WATCH_LEFT:
		return command->request->service
			       ? companions_judge(command->companions, child, end, err)
			       : child_judge(child, command->request->argv[0], err);
	case WATCH_TIME_OVER:
		return command_has_duration(command) ? 0 : outlived(command, child, end, err);
	case WATCH_CPU_OVER:
		return outlived(command, child, end, err);
	case WATCH_INTERRUPTED:
		return err_set_interrupted(err, signals_caught());
	}
	return -1;
}

bool
command_keeps(const struct command *command, enum watch_end end)
{
	if (!command->request->keep_failed)
		return false;
	return end == WATCH_ENDED || (end == WATCH_INTERRUPTED && signals_caught() == SIGINT);
}

int
command_conclude(const struct command *command, const struct child *child, pid_t pid,
	enum watch_end end, struct capture_result *result, struct err *err)
{
	struct err later = {.kind = ERR_NONE}; /* the program's failure is the one reported */

	if (command_judge(command, child, end, err) == 0)
		return command->finish(command->context, child, pid, &result->run, err);
	result->kept = command_keeps(command, end) &&
		       command->finish(command->context, child, pid, &result->run, &later) == 0;
	return -1;
}

int
command_run(const struct command *command, const struct child_spec *spec,
	struct capture_result *result, struct err *err)
{
	enum watch_end end = WATCH_ENDED;
	struct child child;

	if (command_start(command, &child, spec, err) < 0)
		return -1;
	const pid_t pid = child.pid;
	const uint64_t start_ns = clock_ns();
	struct watch watch = {
		.deadline_ns = command_deadline_ns(command, start_ns),
		.cpu_limit_ns = command->timeout_is_cpu ? (uint64_t)(timeout_s(command) * 1e9) : 0,
	};
	int status = child_go(&child, spec, err);

	if (status == 0)
		status = command_watch(command, &child, &watch, &end, err);
	command_end(command, &child, end, start_ns, result);
	if (status < 0)
		return -1;
	return command_conclude(command, &child, pid, end, result, err);
}
