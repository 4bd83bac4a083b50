#include "capture/capture_internal.h"

#include "base/clock.h"
#include "machine/cpus.h"

#include <poll.h>
#include <string.h>

/* Between the last answer of a server that dies and its end. */
#define DYING_MS 100

/* All CPUs but those of the server; all where there are no others. */
static void
choose_cpus(struct driven *driven, const cpu_set_t *pin)
{
	cpus_all(&driven->cpus);
	for (size_t cpu = 0; pin && cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, pin))
			CPU_CLR(cpu, &driven->cpus);
	if (CPU_COUNT(&driven->cpus) > 0)
		driven->beside.pin = &driven->cpus;
}

/* Else it would be taken for ready, and that one for the server. */
static int
refuse_taken(const struct driven *driven, const struct service_server *server, struct err *err)
{
	struct child_spec beside = driven->beside;

	if (driven->nneeds > 0)
		beside.joins = driven->needs[0].pid;
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
start_need(struct driven *driven, const struct service_server *server, struct err *err)
{
	struct child *child = &driven->needs[driven->nneeds];
	struct child_spec spec = driven->beside;

	if (refuse_taken(driven, server, err) < 0)
		return -1;
	spec.argv = server->argv;
	service_prepare(server, &spec);
	if (child_start(child, &spec, err) < 0)
		return -1;
	driven->nneeds++;
	if (child_go(child, &spec, err) < 0)
		return -1;
	struct child_spec joined = driven->beside;

	joined.joins = child->pid;
	return service_wait_ready(server, child, &joined, err);
}

int
driven_begin(struct driven *driven, const struct capture_request *request, struct err *err)
{
	const struct service *service = request->service;

	*driven = (struct driven){.service = service};
	driven->beside = (struct child_spec){
		.env = service->env, .cwd = service->cwd, .file_watch = request->file_watch};
	choose_cpus(driven, request->pin);
	int status = refuse_taken(driven, &service->own, err);

	for (size_t i = 0; i < service->nneeds && status == 0; i++)
		status = start_need(driven, &service->needs[i], err);
	if (status < 0)
		driven_end(driven, NULL, WATCH_LEFT);
	return status;
}

static int
drive(struct driven *driven, const struct command *command, struct child *server,
	struct watch *watch, enum watch_end *end, struct err *err)
{
	struct child_spec spec = driven->beside;

	spec.argv = driven->service->driver;
	spec.stdout_fd = command->request->stdout_fd;
	spec.stdout_path = command->request->stdout_path;
	spec.exit_codes = command->request->exit_codes;
	if (child_start(&driven->driver, &spec, err) < 0)
		return -1;
	driven->driving = true;
	if (command->ready && command->ready(command->context, err) < 0)
		return -1;
	const uint64_t start_ns = clock_ns();

	watch->child = &driven->driver;
	watch->beside = server;
	watch->deadline_ns = command_deadline_ns(command, start_ns);
	int status = child_go(&driven->driver, &spec, err);

	if (status == 0)
		status = watch_wait(watch, end, err);
	driven->took_ns = clock_ns() - start_ns;
	return status;
}

int
driven_watch(struct driven *driven, const struct command *command, struct child *server,
	struct watch *watch, enum watch_end *end, struct err *err)
{
	driven->beside.joins = server->pid;
	if (service_wait_ready(&driven->service->own, server, &driven->beside, err) < 0)
		return -1;
	return drive(driven, command, server, watch, end, err);
}

/* In order, until one does not end. */
static void
stop(struct driven *driven, const struct service_server *server, struct child *child)
{
	if (driven->stop.kind == ERR_NONE)
		service_stop(server, child, &driven->stop);
}

/* Whether it ended before it was stopped. A driver whose server dies may see that first. */
static bool
has_left(const struct driven *driven, struct child *server)
{
	struct pollfd end = {.fd = server->pidfd, .events = POLLIN};

	if (driven->driver.status != 0)
		poll(&end, 1, DYING_MS);
	child_reap(server);
	return server->ended;
}

void
driven_end(struct driven *driven, struct child *server, enum watch_end end)
{
	if (server && end == WATCH_ENDED && driven->driving) {
		driven->left = has_left(driven, server);
		stop(driven, &driven->service->own, server);
		for (size_t i = driven->nneeds; i-- > 0;)
			stop(driven, &driven->service->needs[i], &driven->needs[i]);
	}
	/* This ends all that is left. */
	if (server)
		child_end(server);
	if (driven->driving)
		child_end(&driven->driver);
	while (driven->nneeds > 0)
		child_end(&driven->needs[--driven->nneeds]);
}

int
driven_judge(const struct driven *driven, const struct child *server, enum watch_end end,
	struct err *err)
{
	const struct service *service = driven->service;

	if (end == WATCH_LEFT || (driven->left && driven->driver.status != 0)) {
		if (child_judge(server, service->own.argv[0], err) == 0)
			err_set(err, ERR_MEASURE, "'%s' ended", service->own.argv[0]);
		return err_note(err, "while its driver '%s' ran", service->driver[0]);
	}
	if (child_judge(&driven->driver, service->driver[0], err) < 0)
		return err_note(err, "it is the driver of '%s'", service->own.argv[0]);
	if (driven->stop.kind == ERR_NONE)
		return 0;
	*err = driven->stop;
	return -1;
}
