#include "capture/companions.h"

#include "capture/backend.h"
#include "machine/cpus.h"
#include "process/child.h"
#include "process/watch.h"

#include <poll.h>
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

void
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

int
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

int
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
