/*
 * Starting a service's servers in order: waiting until each answers, and ending it by the signals
 * that the service names.
 */
#include "process/service.h"

#include "base/clock.h"
#include "process/process.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Between two tries, and how long one may take. */
#define PAUSE_MS 20
#define TRY_MS 1000

/* A try is over: its socket is closed. */
static bool
close_with(int fd, bool good)
{
	close(fd);
	return good;
}

static bool
wait_for(int fd, short events)
{
	struct pollfd at = {.fd = fd, .events = events};

	return poll(&at, 1, TRY_MS) == 1;
}

/* A connected socket; -1 if nobody listens. */
static int
connect_address(int family, const struct sockaddr *address, socklen_t size)
{
	int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int error = 0;
	socklen_t error_size = sizeof(error);

	if (fd < 0)
		return -1;
	if (connect(fd, address, size) == 0)
		return fd;
	if (errno == EINPROGRESS && wait_for(fd, POLLOUT) &&
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &error_size) == 0 && error == 0)
		return fd;
	close(fd);
	return -1;
}

/* By address: names would need a resolver, which a static program has not. */
static int
connect_tcp(const struct service_ready *ready)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
	const in_port_t port = htons((uint16_t)strtoul(ready->port, NULL, 10));

	v4.sin_port = v6.sin6_port = port;
	if (inet_pton(AF_INET, ready->host, &v4.sin_addr) == 1)
		return connect_address(AF_INET, (const struct sockaddr *)&v4, sizeof(v4));
	if (inet_pton(AF_INET6, ready->host, &v6.sin6_addr) == 1)
		return connect_address(AF_INET6, (const struct sockaddr *)&v6, sizeof(v6));
	return -1;
}

/* The path is seen from where the server runs: that folder's own may be too long for an address. */
static int
connect_unix(const char *path, const char *cwd)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const int folder = open(cwd ? cwd : ".", O_PATH | O_CLOEXEC);
	int fd = -1;

	if (folder < 0)
		return -1;
	const int len = path[0] == '/'
				? snprintf(address.sun_path, sizeof(address.sun_path), "%s", path)
				: snprintf(address.sun_path, sizeof(address.sun_path),
					  "/proc/self/fd/%d/%s", folder, path);

	if (len < (int)sizeof(address.sun_path))
		fd = connect_address(AF_UNIX, (const struct sockaddr *)&address, sizeof(address));
	close(folder);
	return fd;
}

static bool
answers_http(const struct service_ready *ready)
{
	char text[2048];
	int fd = connect_tcp(ready);

	if (fd < 0)
		return false;
	int len = snprintf(text, sizeof(text),
		"GET %s HTTP/1.0\r\nHost: %s:%s\r\nConnection: close\r\n\r\n", ready->text,
		ready->host, ready->port);

	if (len >= (int)sizeof(text) || send(fd, text, (size_t)len, MSG_NOSIGNAL) != len ||
		!wait_for(fd, POLLIN))
		return close_with(fd, false);
	/* "HTTP/1.1 200 OK" */
	ssize_t got = recv(fd, text, sizeof(text) - 1, 0);

	if (got < 12)
		return close_with(fd, false);
	return close_with(
		fd, memcmp(text, "HTTP/1.", 7) == 0 && (text[9] == '2' || text[9] == '3'));
}

static bool
connects(int fd)
{
	if (fd < 0)
		return false;
	return close_with(fd, true);
}

/* Whether a command of ours ends well, within the time of a try. */
static bool
command_succeeds(const char *const *argv, const struct child_spec *beside)
{
	const uint64_t end = clock_ns() + TRY_MS * UINT64_C(1000000);
	struct child_spec spec = *beside;
	struct err ignored = {.kind = ERR_NONE};
	struct child child;

	spec.argv = argv;
	spec.output = CHILD_MERGE;
	if (child_start(&child, &spec, &ignored) < 0)
		return false;
	if (child_go(&child, &spec, &ignored) == 0) {
		while (!child.ended && clock_ns() < end && signals_caught() == 0) {
			poll(NULL, 0, 1);
			child_read_output(&child);
			child_reap(&child);
		}
	}
	bool good = child.ended && child.status == 0;

	child_end(&child);
	return good;
}

static bool
is_ready(const struct service_server *server, const struct child *child,
	const struct child_spec *beside)
{
	const struct service_ready *ready = &server->ready;

	switch (ready->kind) {
	case READY_TCP:
		return connects(connect_tcp(ready));
	case READY_UNIX:
		return connects(connect_unix(ready->text, beside->cwd));
	case READY_HTTP:
		return answers_http(ready);
	case READY_LOG:
		return !child->awaited;
	case READY_COMMAND:
		return command_succeeds(ready->argv, beside);
	}
	return false;
}

/* What it was waited for in vain. */
static int
not_ready(const struct service_server *server, struct err *err)
{
	const struct service_ready *ready = &server->ready;
	const char *name = server->argv[0];

	err_set(err, ERR_MEASURE, "'%s' was not ready within %g s", name, server->timeout_s);
	switch (ready->kind) {
	case READY_TCP:
		return err_note(
			err, "nothing took connections to %s, port %s", ready->host, ready->port);
	case READY_UNIX:
		return err_note(err, "nothing took connections to the socket '%s'", ready->text);
	case READY_HTTP:
		return err_note(err, "http://%s:%s%s was not answered with a status of 2xx or 3xx",
			ready->host, ready->port, ready->text);
	case READY_LOG:
		return err_note(err, "'%s' was not in its output", ready->text);
	case READY_COMMAND:
		return err_note(err, "'%s' did not succeed", ready->argv[0]);
	}
	return -1;
}

/* Looks after a server while nothing else happens: -1 after a signal. */
static int
attend(struct child *child, int most_ms, struct err *err)
{
	struct pollfd wake[] = {
		{.fd = child->output_fd, .events = POLLIN}, {.fd = child->pidfd, .events = POLLIN}};

	poll(wake, 2, most_ms);
	child_read_output(child);
	child_reap(child);
	return signals_check(err);
}

bool
service_is_taken(const struct service_server *server, const struct child_spec *beside)
{
	static const struct child none = {.awaited = ""};

	return is_ready(server, &none, beside);
}

void
service_prepare(const struct service_server *server, struct child_spec *spec)
{
	if (server->ready.kind != READY_LOG)
		return;
	spec->output = CHILD_MERGE;
	spec->awaited = server->ready.text;
}

int
service_wait_ready(const struct service_server *server, struct child *child,
	const struct child_spec *beside, struct err *err)
{
	const uint64_t end = clock_ns() + (uint64_t)(server->timeout_s * 1e9);

	for (;;) {
		if (attend(child, 0, err) < 0)
			return -1;
		if (child->ended) {
			if (child_judge(child, server->argv[0], err) == 0)
				err_set(err, ERR_MEASURE, "'%s' ended", server->argv[0]);
			return err_note(err, "before it was ready: a service runs in the "
					     "foreground until it is stopped");
		}
		if (is_ready(server, child, beside))
			return 0;
		if (clock_ns() >= end)
			break;
		if (attend(child, PAUSE_MS, err) < 0)
			return -1;
	}
	not_ready(server, err);
	child_note_output(child, err);
	return -1;
}

int
service_stop(const struct service_server *server, struct child *child, struct err *err)
{
	const uint64_t end = clock_ns() + (uint64_t)(server->timeout_s * 1e9);

	if (!child->ended && kill(child->pid, server->stop) < 0 && errno == EPERM)
		return err_set(err, ERR_MEASURE, "'%s' runs as another user and cannot be stopped",
			server->argv[0]);
	while (!child->ended && clock_ns() < end) {
		if (attend(child, PAUSE_MS, err) < 0)
			return -1;
	}
	if (child->ended)
		return 0;
	err_set(err, ERR_MEASURE, "'%s' did not end within %g s of SIG%s and was killed",
		server->argv[0], server->timeout_s, sigabbrev_np(server->stop));
	return err_note(err, "set `stop` to the signal that ends it, or increase `timeout` of the "
			     "service");
}
