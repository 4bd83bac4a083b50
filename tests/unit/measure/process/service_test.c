#include "process/service.h"

#include "base/clock.h"
#include "scratch.h"
#include "unit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

void suite_process_service(void);

static const struct child_spec beside = {.argv = NULL};

/* A separate listening socket, and its port as text. */
static int
listen_somewhere(char port[8])
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CU_ASSERT_EQUAL_FATAL(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	CU_ASSERT_EQUAL_FATAL(listen(fd, 4), 0);
	CU_ASSERT_EQUAL_FATAL(getsockname(fd, (struct sockaddr *)&address, &size), 0);
	snprintf(port, 8, "%u", (unsigned)ntohs(address.sin_port));
	return fd;
}

static struct service_server
server_with(enum ready_kind kind, const char *port, const char *text)
{
	return (struct service_server){
		.ready = {kind, "127.0.0.1", port, text, NULL}, .stop = SIGTERM, .timeout_s = 20};
}

static void
a_listening_port_is_seen(void)
{
	char port[8];
	int fd = listen_somewhere(port);
	const struct service_server server = server_with(READY_TCP, port, NULL);

	CU_ASSERT(service_is_taken(&server, &beside));
	close(fd);
	CU_ASSERT_FALSE(service_is_taken(&server, &beside));
}

/* A process that answers one request. */
static pid_t
answer_once(int listener, const char *answer)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	char request[256];
	int fd = accept(listener, NULL, NULL);
	ssize_t got = read(fd, request, sizeof(request) - 1);

	request[got > 0 ? got : 0] = '\0';
	if (strncmp(request, "GET /health HTTP/1.0\r\n", 22) != 0)
		answer = "HTTP/1.0 400 Bad Request\r\n\r\n";
	if (write(fd, answer, strlen(answer)) < 0)
		_exit(1);
	_exit(0);
}

static void
an_answer_to_http_is_judged_by_its_status(void)
{
	static const struct {
		const char *answer;
		bool ready;
	} cases[] = {
		{"HTTP/1.1 200 OK\r\n\r\n", true},
		{"HTTP/1.0 302 Found\r\n\r\n", true},
		{"HTTP/1.1 503 Service Unavailable\r\n\r\n", false},
		{"SSH-2.0-OpenSSH_9.2\r\n", false},
		{"HTTP/1.1", false},
		{"", false},
	};
	char port[8];
	int fd = listen_somewhere(port);
	const struct service_server server = server_with(READY_HTTP, port, "/health");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pid_t pid = answer_once(fd, cases[i].answer);

		CU_ASSERT_EQUAL(service_is_taken(&server, &beside), cases[i].ready);
		waitpid(pid, NULL, 0);
	}
	close(fd);
}

/* What a shell script is as a server: 0 if it became ready and ended in order. */
static int
serve(const char *script, double timeout_s, struct err *err)
{
	const char *const argv[] = {"/bin/sh", "-c", script, NULL};
	struct service_server server = server_with(READY_LOG, "", "ready to serve");
	struct child_spec spec = {.argv = argv};
	struct child child;

	server.argv = argv;
	server.timeout_s = timeout_s;
	service_prepare(&server, &spec);
	CU_ASSERT_EQUAL_FATAL(child_start(&child, &spec, err), 0);
	int status = child_go(&child, &spec, err);

	if (status == 0)
		status = service_wait_ready(&server, &child, &beside, err);
	if (status == 0)
		status = service_stop(&server, &child, err);
	child_end(&child);
	return status;
}

static void
a_text_is_found_in_its_output(void)
{
	struct err err = {.kind = ERR_NONE};

	CU_ASSERT_EQUAL(serve("echo; echo now ready to serve.; exec sleep 60", 20, &err), 0);
	/* In two pieces, one of which goes to stderr. */
	CU_ASSERT_EQUAL(
		serve("printf 'ready to' >&2; sleep 0.1; printf ' serve'; exec sleep 60", 20, &err),
		0);
}

static void
a_server_that_goes_wrong_is_an_error(void)
{
	struct err err = {.kind = ERR_NONE};

	CU_ASSERT_EQUAL(serve("echo ready to start; exec sleep 60", 0.2, &err), -1);
	UNIT_CONTAINS(err.text, "'/bin/sh' was not ready within 0.2 s");
	UNIT_CONTAINS(err.text, "'ready to serve' was not in its output");
	UNIT_CONTAINS(err.text, "| ready to start");
	err = (struct err){.kind = ERR_NONE};
	CU_ASSERT_EQUAL(serve("echo no port; exit 3", 20, &err), -1);
	UNIT_CONTAINS(err.text, "'/bin/sh' exited with status 3");
	UNIT_CONTAINS(err.text, "before it was ready");
	err = (struct err){.kind = ERR_NONE};
	CU_ASSERT_EQUAL(serve("exit 0", 20, &err), -1);
	UNIT_CONTAINS(err.text, "'/bin/sh' ended");
	err = (struct err){.kind = ERR_NONE};
	CU_ASSERT_EQUAL(
		serve("trap '' TERM; echo ready to serve; while :; do sleep 0.1; done", 0.5, &err),
		-1);
	UNIT_CONTAINS(err.text, "did not end within 0.5 s of SIGTERM");
}

/* Each of two children has its own end, whichever of them is waited for. */
static void
children_beside_one_another_are_told_apart(void)
{
	static const char *const first[] = {"/bin/sh", "-c", "sleep 0.05; exit 3", NULL};
	static const char *const second[] = {"/bin/sh", "-c", "sleep 0.1; exit 4", NULL};
	struct child_spec spec = {.argv = first};
	struct child one;
	struct child other;
	struct err err = {.kind = ERR_NONE};

	CU_ASSERT_EQUAL_FATAL(child_start(&one, &spec, &err), 0);
	CU_ASSERT_EQUAL(child_go(&one, &spec, &err), 0);
	spec.argv = second;
	spec.joins = one.pid;
	CU_ASSERT_EQUAL_FATAL(child_start(&other, &spec, &err), 0);
	CU_ASSERT_EQUAL(child_go(&other, &spec, &err), 0);
	CU_ASSERT_EQUAL(getpgid(other.pid), one.pid);
	for (int i = 0; i < 2000 && !(one.ended && other.ended); i++) {
		poll(NULL, 0, 5);
		child_reap(&other);
	}
	CU_ASSERT(one.ended && other.ended);
	child_end(&other);
	child_end(&one);
	CU_ASSERT_EQUAL(WEXITSTATUS(one.status), 3);
	CU_ASSERT_EQUAL(WEXITSTATUS(other.status), 4);
}

/* The end of one that joined another ends nothing else. */
static void
a_child_that_joined_is_ended_alone(void)
{
	static const char *const forever[] = {"sleep", "60", NULL};
	struct child_spec spec = {.argv = forever};
	struct child one;
	struct child other;
	struct err err = {.kind = ERR_NONE};

	CU_ASSERT_EQUAL_FATAL(child_start(&one, &spec, &err), 0);
	CU_ASSERT_EQUAL(child_go(&one, &spec, &err), 0);
	spec.joins = one.pid;
	CU_ASSERT_EQUAL_FATAL(child_start(&other, &spec, &err), 0);
	CU_ASSERT_EQUAL(child_go(&other, &spec, &err), 0);
	child_end(&other);
	CU_ASSERT(other.ended);
	child_reap(&one);
	CU_ASSERT_FALSE(one.ended);
	child_end(&one);
	CU_ASSERT_EQUAL(WTERMSIG(one.status), SIGTERM);
}

void
suite_process_service(void)
{
	static const struct unit_case cases[] = {
		{"a_listening_port_is_seen", a_listening_port_is_seen},
		{"an_answer_to_http_is_judged_by_its_status",
			an_answer_to_http_is_judged_by_its_status},
		{"a_text_is_found_in_its_output", a_text_is_found_in_its_output},
		{"a_server_that_goes_wrong_is_an_error", a_server_that_goes_wrong_is_an_error},
		{"children_beside_one_another_are_told_apart",
			children_beside_one_another_are_told_apart},
		{"a_child_that_joined_is_ended_alone", a_child_that_joined_is_ended_alone},
		{NULL, NULL},
	};

	unit_suite("process/service", cases);
}
