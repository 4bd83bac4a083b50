/*
 * One run of the program of a request: it and its companions are started, watched, ended and
 * judged; and the folder of files that its processes leave.
 */
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "capture/capture_internal.h"
#include "machine/machine.h"
#include "process/child.h"
#include "process/process.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Between the last answer of a server that dies and its end. */
#define DYING_MS 100

/* All CPUs but those of the server; all where there are no others. */
static void
choose_cpus(struct companions *companions, const cpu_set_t *pin)
{
	cpus_all(&companions->cpus);
	for (size_t cpu = 0; pin && cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, pin))
			CPU_CLR(cpu, &companions->cpus);
	if (CPU_COUNT(&companions->cpus) > 0)
		companions->beside.pin = &companions->cpus;
}

/*
 * Refuses to start a server in whose place another process already answers: that one would be taken
 * for the server, and the server for ready.
 */
static int
refuse_taken(
	const struct companions *companions, const struct service_server *server, struct err *err)
{
	struct child_spec beside = companions->beside;

	if (companions->nneeds > 0)
		beside.joins = companions->needs[0].pid;
	if (!service_is_taken(server, &beside))
		return 0;
	if (server->ready.kind == READY_COMMAND) {
		err_set(err, ERR_MEASURE,
			"'%s' succeeds before '%s' is started: it cannot show when that is ready",
			server->ready.argv[0], server->argv[0]);
		return err_note(
			err, "does another process answer, or is a file left from earlier?");
	}
	err_set(err, ERR_MEASURE, "'%s' cannot be started: another process answers in its place",
		server->argv[0]);
	return err_note(err,
		"it uses the port or socket that `ready` waits for: end it, or use another one");
}

static int
start_need(struct companions *companions, const struct service_server *server, struct err *err)
{
	struct child *child = &companions->needs[companions->nneeds];
	struct child_spec spec = companions->beside;

	if (refuse_taken(companions, server, err) < 0)
		return -1;
	spec.argv = server->argv;
	service_prepare(server, &spec);
	if (child_start(child, &spec, err) < 0)
		return -1;
	companions->nneeds++;
	if (child_go(child, &spec, err) < 0)
		return -1;
	struct child_spec joined = companions->beside;

	joined.joins = child->pid;
	return service_wait_ready(server, child, &joined, err);
}

/* Stops a server in order; once one did not end, no other is waited for. */
static void
stop(struct companions *companions, const struct service_server *server, struct child *child)
{
	if (companions->stop.kind == ERR_NONE)
		service_stop(server, child, &companions->stop);
}

/*
 * Whether the server ended before it was stopped. A driver whose server dies may fail before the
 * end of the server is seen.
 */
static bool
has_left(const struct companions *companions, struct child *server)
{
	struct pollfd end = {.fd = server->pidfd, .events = POLLIN};

	if (companions->driver.status != 0)
		poll(&end, 1, DYING_MS);
	child_reap(server);
	return server->ended;
}

/*
 * Ends the server (NULL: it was not started) and all its companions: in order, by the signals that
 * the service names, only if `end` is WATCH_ENDED.
 */
static void
companions_end(struct companions *companions, struct child *server, enum watch_end end)
{
	if (server && end == WATCH_ENDED && companions->driving) {
		companions->left = has_left(companions, server);
		stop(companions, &companions->service->own, server);
		for (size_t i = companions->nneeds; i-- > 0;)
			stop(companions, &companions->service->needs[i], &companions->needs[i]);
	}
	/* This ends all that is left. */
	if (server)
		child_end(server);
	if (companions->driving)
		child_end(&companions->driver);
	while (companions->nneeds > 0)
		child_end(&companions->needs[--companions->nneeds]);
}

/* Starts the servers that the request's service needs. On error nothing is left. */
static int
companions_start(
	struct companions *companions, const struct capture_request *request, struct err *err)
{
	const struct service *service = request->service;

	*companions = (struct companions){.service = service};
	companions->beside = (struct child_spec){
		.env = service->env, .cwd = service->cwd, .file_watch = request->file_watch};
	choose_cpus(companions, request->pin);
	int status = refuse_taken(companions, &service->own, err);

	for (size_t i = 0; i < service->nneeds && status == 0; i++)
		status = start_need(companions, &service->needs[i], err);
	if (status < 0)
		companions_end(companions, NULL, WATCH_LEFT);
	return status;
}

static int
drive(struct companions *companions, const struct command *command, struct child *server,
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
	return drive(companions, command, server, watch, end, err);
}

/* Judges the driver's end, and the server's: 0 if both are a success. */
static int
companions_judge(const struct companions *companions, const struct child *server,
	enum watch_end end, struct err *err)
{
	const struct service *service = companions->service;

	if (end == WATCH_LEFT || (companions->left && companions->driver.status != 0)) {
		if (child_judge(server, service->own.argv[0], err) == 0)
			err_set(err, ERR_MEASURE, "'%s' ended", service->own.argv[0]);
		return err_note(err, "while its driver '%s' ran", service->driver[0]);
	}
	if (child_judge(&companions->driver, service->driver[0], err) < 0)
		return err_note(err, "it is the driver of '%s'", service->own.argv[0]);
	if (companions->stop.kind == ERR_NONE)
		return 0;
	*err = companions->stop;
	return -1;
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
		.stderr_too = request->stderr_too,
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

static int
finish(const struct command *command, const struct child *child, pid_t pid,
	struct capture_result *result, struct err *err)
{
	return command->finish ? command->finish(command->context, child, pid, &result->run, err)
			       : 0;
}

int
command_conclude(const struct command *command, const struct child *child, pid_t pid,
	enum watch_end end, struct capture_result *result, struct err *err)
{
	struct err later = {.kind = ERR_NONE}; /* the program's failure is the one reported */

	if (command_judge(command, child, end, err) == 0)
		return finish(command, child, pid, result, err);
	result->kept =
		command_keeps(command, end) && finish(command, child, pid, result, &later) == 0;
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

char *
left_files_make(const char *perfdata_path, struct err *err)
{
	char *wanted = mem_printf("%s.parts", perfdata_path);
	char *dir = NULL;

	if (file_remove_tree(wanted, err) == 0 && file_make_dirs(wanted, err) == 0) {
		dir = realpath(wanted, NULL);
		if (!dir)
			err_set_errno(err, ERR_SYSTEM, errno, "%s", wanted);
	}
	free(wanted);
	return dir;
}

static bool
is_of(const char *path, pid_t pid)
{
	return strtol(strrchr(path, '/') + 1, NULL, 10) == pid;
}

static int
compare_paths(const void *a, const void *b, void *context)
{
	const pid_t *first = context;
	const char *x = *(char *const *)a;
	const char *y = *(char *const *)b;
	const bool x_first = is_of(x, *first);

	if (x_first != is_of(y, *first))
		return x_first ? -1 : 1;
	return strverscmp(x, y);
}

int
left_files_list(struct left_files *files, const char *dir, pid_t first, struct err *err)
{
	struct dirent *entry;
	DIR *folder = opendir(dir);

	*files = (struct left_files){.count = 0};
	if (!folder)
		return err_set_errno(err, ERR_SYSTEM, errno, "%s", dir);
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		files->paths = mem_grow(
			files->paths, &files->capacity, files->count + 1, sizeof(*files->paths));
		files->paths[files->count++] = file_join(dir, entry->d_name);
	}
	closedir(folder);
	if (files->count > 0)
		qsort_r(files->paths, files->count, sizeof(*files->paths), compare_paths, &first);
	return 0;
}

void
left_files_release(struct left_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->paths[i]);
	free(files->paths);
	*files = (struct left_files){.count = 0};
}

void
left_files_remove(char *dir)
{
	struct err err = {.kind = ERR_NONE};

	if (dir && file_remove_tree(dir, &err) < 0)
		log_debug("%s", err.text);
	free(dir);
}
