/*
 * The key `service` of a workload: a server that is measured while `run`, its driver, puts it under
 * load.
 */
#include "spec/sections_internal.h"

#include "profile/latency.h"
#include "spec/keys.h"
#include "spec/workload.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
command_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	const char ***run = into;
	size_t count = 0;

	if (node->kind == YAML_SEQUENCE && node->first) {
		const char **argv =
			arena_alloc(reader->arena, (yaml_count(node) + 1) * sizeof(*argv));

		for (const struct yaml_node *at = node->first; at; at = at->next) {
			argv[count] = keys_text(reader, at, "a text: one argument of the command");
			if (!argv[count++])
				return -1;
		}
		if (argv[0][0] == '\0')
			return keys_refuse(
				reader, node->first, "the program to run is an empty text");
		*run = argv;
		return 0;
	}
	if (node->kind != YAML_SCALAR || yaml_is_null(node) || node->text[0] == '\0')
		return keys_refuse(reader, node,
			"'%s' must be a command: a list such as [./program, --rounds, 60], or one text for the shell; %s",
			node->key->text, keys_found(reader, node));
	const char **argv = arena_alloc(reader->arena, 4 * sizeof(*argv));

	argv[0] = "/bin/sh";
	argv[1] = "-c";
	argv[2] = arena_strdup(reader->arena, node->text);
	*run = argv;
	return 0;
}

#define NEEDS_MAX 8
#define TIMEOUT_DEFAULT_S 10
/* Longer texts are not looked for in a server's output. */
#define LOG_TEXT_MAX 200
#define PORT_BYTES 5

static const struct {
	const char *name;
	int number;
} signals[] = {
	{"SIGTERM", SIGTERM},
	{"SIGINT", SIGINT},
	{"SIGQUIT", SIGQUIT},
	{"SIGHUP", SIGHUP},
	{"SIGUSR1", SIGUSR1},
	{"SIGUSR2", SIGUSR2},
	{"SIGKILL", SIGKILL},
};

static int
stop_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	int *number = into;
	const char *name = keys_text(reader, node, "a signal, such as SIGTERM");

	if (!name)
		return -1;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		if (strcmp(name, signals[i].name) != 0)
			continue;
		*number = signals[i].number;
		return 0;
	}
	return keys_refuse(reader, node,
		"'%.40s' is none of the signals that may stop a service: SIGTERM, SIGINT, SIGQUIT, "
		"SIGHUP, SIGUSR1, SIGUSR2 or SIGKILL",
		name);
}

static bool
is_address(const char *text)
{
	unsigned char bytes[sizeof(struct in6_addr)];

	return inet_pton(AF_INET, text, bytes) == 1 || inet_pton(AF_INET6, text, bytes) == 1;
}

static bool
is_port(const char *text)
{
	size_t len = strspn(text, "0123456789");
	unsigned long port = len > 0 && len <= PORT_BYTES ? strtoul(text, NULL, 10) : 0;

	return text[len] == '\0' && port > 0 && port <= 65535;
}

/* "PORT", "ADDRESS:PORT" or "[ADDRESS]:PORT". */
static bool
split_address(const struct key_reader *reader, const char *text, struct service_ready *ready)
{
	const char *colon = strrchr(text, ':');
	const char *port = colon ? colon + 1 : text;
	size_t host_len = colon ? (size_t)(colon - text) : 0;
	bool bracketed = host_len > 2 && text[0] == '[' && text[host_len - 1] == ']';
	const char *host = text + (bracketed ? 1 : 0);

	host_len -= bracketed ? 2 : 0;
	ready->host =
		colon ? arena_printf(reader->arena, "%.*s", (int)host_len, host) : "127.0.0.1";
	if (strcmp(ready->host, "localhost") == 0)
		ready->host = "127.0.0.1";
	ready->port = arena_strdup(reader->arena, port);
	return is_address(ready->host) && is_port(port);
}

static int
tcp_read(const struct key_reader *reader, const struct yaml_node *node, struct service_ready *ready)
{
	const char *text = keys_text(reader, node, "a port");

	ready->kind = READY_TCP;
	if (!text)
		return -1;
	if (split_address(reader, text, ready))
		return 0;
	return keys_refuse(reader, node,
		"'%.80s' is no port: 7777, \"127.0.0.1:7777\" or \"[::1]:7777\"", text);
}

static int
http_read(
	const struct key_reader *reader, const struct yaml_node *node, struct service_ready *ready)
{
	static const char scheme[] = "http://";
	const char *text = keys_text(reader, node, "a URL");

	ready->kind = READY_HTTP;
	if (!text)
		return -1;
	if (strncmp(text, scheme, sizeof(scheme) - 1) == 0) {
		const char *host = text + sizeof(scheme) - 1;
		const char *path = strchrnul(host, '/');
		const char *address = arena_printf(reader->arena, "%.*s", (int)(path - host), host);

		ready->text = *path ? arena_strdup(reader->arena, path) : "/";
		if (strcspn(path, " \t\r\n") == strlen(path) && strchr(address, ':') &&
			split_address(reader, address, ready))
			return 0;
	}
	return keys_refuse(
		reader, node, "'%.80s' is no URL such as http://127.0.0.1:8080/health", text);
}

static int
unix_read(
	const struct key_reader *reader, const struct yaml_node *node, struct service_ready *ready)
{
	ready->kind = READY_UNIX;
	ready->text = keys_text(reader, node, "the path of a socket");
	if (!ready->text)
		return -1;
	if (strlen(ready->text) > 107)
		return keys_refuse(
			reader, node, "the path of a socket has at most 107 bytes (unix(7))");
	return 0;
}

static int
log_read(const struct key_reader *reader, const struct yaml_node *node, struct service_ready *ready)
{
	ready->kind = READY_LOG;
	ready->text = keys_text(reader, node, "a part of the server's output");
	if (!ready->text)
		return -1;
	if (ready->text[0] == '\0' || strlen(ready->text) > LOG_TEXT_MAX)
		return keys_refuse(
			reader, node, "'log' must be a text of 1 to %d bytes", LOG_TEXT_MAX);
	return 0;
}

static int
ready_command_read(
	const struct key_reader *reader, const struct yaml_node *node, struct service_ready *ready)
{
	ready->kind = READY_COMMAND;
	return command_read(reader, node, &ready->argv);
}

static const struct {
	const char *name;
	int (*read)(const struct key_reader *reader, const struct yaml_node *node,
		struct service_ready *ready);
} ways[] = {
	{"tcp", tcp_read},
	{"unix", unix_read},
	{"http", http_read},
	{"log", log_read},
	{"command", ready_command_read},
};

static int
ready_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	if (node->kind != YAML_MAPPING || yaml_count(node) != 1)
		return keys_refuse(reader, node,
			"'ready' must be one of {tcp: PORT}, {unix: PATH}, {http: URL}, {log: TEXT} "
			"and {command: COMMAND}; %s",
			keys_found(reader, node));
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (strcmp(node->first->key->text, ways[i].name) == 0)
			return ways[i].read(reader, node->first, into);
	}
	return keys_refuse(reader, node->first->key,
		"'ready' has no '%.40s': expected tcp, unix, http, log or command",
		node->first->key->text);
}

static int needs_read(const struct key_reader *reader, const struct yaml_node *node, void *into);

struct needs {
	const struct service_server *servers;
	size_t count;
};

/* Filled by the table: what a need has is at the front. */
struct service_reading {
	struct service_server own;
	struct needs needs;
};

#define SERVICE(field) offsetof(struct service_reading, field)
#define SERVER_KEYS                                                                               \
	{.name = "start", .type = KEY_CUSTOM, .offset = SERVICE(own.argv), .read = command_read}, \
		{.name = "ready",                                                                 \
			.type = KEY_CUSTOM,                                                       \
			.offset = SERVICE(own.ready),                                             \
			.read = ready_read},                                                      \
		{.name = "stop",                                                                  \
			.type = KEY_CUSTOM,                                                       \
			.offset = SERVICE(own.stop),                                              \
			.read = stop_read},                                                       \
	{                                                                                         \
		.name = "timeout", .type = KEY_DURATION, .offset = SERVICE(own.timeout_s),        \
		.min = 0.1, .max = 3600                                                           \
	}

static const struct key need_keys[] = {SERVER_KEYS, {.name = NULL}};

static const struct key service_keys[] = {
	SERVER_KEYS,
	{.name = "needs", .type = KEY_CUSTOM, .offset = SERVICE(needs), .read = needs_read},
	{.name = NULL},
};

static int
server_read(const struct key_reader *reader, const struct yaml_node *node, const char *what,
	const struct key *keys, struct service_reading *into)
{
	*into = (struct service_reading){.own = {.stop = SIGTERM, .timeout_s = TIMEOUT_DEFAULT_S}};
	if (keys_read(reader, node, what, keys, into) < 0)
		return -1;
	if (!into->own.argv)
		return keys_refuse(reader, node,
			"'start' is missing: the command that is the server, in the foreground");
	if (!keys_find(node, "ready"))
		return keys_refuse(reader, node,
			"'ready' is missing: how it is seen that it takes requests, such as "
			"{tcp: 7777}");
	return 0;
}

static int
needs_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	struct needs *needs = into;
	size_t count = 0;

	if (node->kind != YAML_SEQUENCE || !node->first || yaml_count(node) > NEEDS_MAX)
		return keys_refuse(reader, node,
			"'needs' must be a list of 1 to %d servers, each as 'service'; %s",
			NEEDS_MAX, keys_found(reader, node));
	struct service_server *servers =
		arena_alloc(reader->arena, yaml_count(node) * sizeof(*servers));

	for (const struct yaml_node *at = node->first; at; at = at->next) {
		struct service_reading need;

		if (server_read(reader, at, "an entry of 'needs'", need_keys, &need) < 0)
			return -1;
		servers[count++] = need.own;
	}
	*needs = (struct needs){servers, count};
	return 0;
}

int
service_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	const struct service **service = into;
	struct service_reading reading;

	if (server_read(reader, node, "service", service_keys, &reading) < 0)
		return -1;
	struct service *made = arena_alloc(reader->arena, sizeof(*made));

	*made = (struct service){
		.needs = reading.needs.servers, .nneeds = reading.needs.count, .own = reading.own};
	*service = made;
	return 0;
}

/*
 * The key `latency` of a workload: where the number of operations of a run is reported, and how
 * long they took.
 */

/* Filled by the table. */
struct reading {
	int format; /* -1: not set */
	int unit;
	const char *file;
	const char *test;
};

#define READING(field) offsetof(struct reading, field)

const struct key latency_keys[] = {
	{.name = "format",
		.type = KEY_CHOICE,
		.offset = READING(format),
		.choices = latency_format_names},
	{.name = "file", .type = KEY_TEXT, .offset = READING(file)},
	{.name = "unit",
		.type = KEY_CHOICE,
		.offset = READING(unit),
		.choices = latency_unit_names},
	{.name = "test", .type = KEY_TEXT, .offset = READING(test)},
	{.name = NULL},
};

/* Keys that only one format has. */
static int
check_format(const struct key_reader *reader, const struct yaml_node *node,
	const struct reading *reading)
{
	const struct yaml_node *unit = keys_find(node, "unit");
	const struct yaml_node *test = keys_find(node, "test");

	if (reading->format < 0)
		return keys_refuse(reader, node,
			"'format' is missing: what prints the latencies, such as wrk; or lines");
	if (reading->format == LATENCY_HDR && !unit)
		return keys_refuse(
			reader, node, "'unit' is missing: files of HdrHistogram have none");
	if (reading->format != LATENCY_HDR && unit)
		return keys_refuse(reader, unit->key,
			"'unit' is for the format 'hdr' only: the output of '%s' has it",
			latency_format_names[reading->format]);
	if (reading->format != LATENCY_REDIS_BENCHMARK && test)
		return keys_refuse(
			reader, test->key, "'test' is for the format 'redis-benchmark' only");
	return 0;
}

int
latency_keys_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	struct latency_source **source = into;
	struct reading reading = {.format = -1, .unit = -1};

	if (keys_read(reader, node, "'latency'", latency_keys, &reading) < 0 ||
		check_format(reader, node, &reading) < 0)
		return -1;
	*source = arena_alloc(reader->arena, sizeof(**source));
	**source = (struct latency_source){
		.format = (enum latency_format)reading.format,
		.unit = reading.unit,
		.file = reading.file,
		.test = reading.test,
	};
	return 0;
}
