#include "mcp/mcp_server.h"

#include "base/file.h"
#include "base/mem.h"
#include "mcp/mcp_message.h"
#include "output/json_add.h"
#include "process/process.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LATEST "2026-07-28"
#define META_PREFIX "io.modelcontextprotocol/"
#define READ_BYTES ((size_t)64 << 10)
#define WAITING_MAX 100
#define LIST_TTL_MS 3600000

static const char instructions[] =
	"Performance of this repository's workloads. After 'gate', call 'explain' for the cause of a "
	"finding; it says what is known, what is not, and the limits of the evidence.";

/* Versions that begin with `initialize`, the newest first. */
static const char *const sessions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};

struct server {
	const struct mcp_place *place;
	struct mcp_lines lines;
	struct mcp_message waiting[WAITING_MAX];
	size_t nwaiting;
	const cJSON *running; /* the id of the request whose tool runs; NULL: none */
	bool cancelled;       /* that one */
	bool ended;           /* the input did */
	bool initialized;
};

static int
answer(struct buf *line, struct err *err)
{
	const int result = file_put(STDOUT_FILENO, line->data, line->len, "standard output", err);

	buf_release(line);
	return result;
}

static int
answer_error(const cJSON *id, enum mcp_code code, const char *text, cJSON *data, struct err *err)
{
	struct buf line = {0};

	mcp_put_error(id, code, text, data, &line);
	return answer(&line, err);
}

static int
answer_result(const cJSON *id, cJSON *result, struct err *err)
{
	struct buf line = {0};

	mcp_put_result(id, result, &line);
	return answer(&line, err);
}

/*
 * Receiving.
 */

/* A request that is no longer wanted. */
static void
cancel(struct server *server, const cJSON *id)
{
	if (mcp_same_id(server->running, id))
		server->cancelled = true;
	for (size_t i = 0; i < server->nwaiting; i++)
		if (mcp_same_id(server->waiting[i].id, id))
			server->waiting[i].id = NULL;
}

/* Takes over a message, which waits unless it can be answered at once. */
static int
receive(struct server *server, struct mcp_message *message, struct err *err)
{
	const bool is_request = message->id != NULL;
	int result = 0;

	if (!is_request && strcmp(message->method, "notifications/cancelled") == 0) {
		cancel(server, cJSON_GetObjectItemCaseSensitive(message->params, "requestId"));
	} else if (is_request && strcmp(message->method, "ping") == 0) {
		result = answer_result(message->id, cJSON_CreateObject(), err);
	} else if (is_request && server->nwaiting == WAITING_MAX) {
		result = answer_error(
			message->id, MCP_INTERNAL_ERROR, "too many requests wait", NULL, err);
	} else if (is_request) {
		server->waiting[server->nwaiting++] = *message;
		*message = (struct mcp_message){0};
	}
	mcp_message_release(message);
	return result;
}

/* Reads what has arrived. */
static int
read_input(struct server *server, struct err *err)
{
	char *bytes = mem_zalloc(READ_BYTES, 1);
	const ssize_t got = read(STDIN_FILENO, bytes, READ_BYTES);
	struct mcp_message message;
	enum mcp_code code;
	const char *problem;
	const char *text;
	size_t len;
	int result = 0;

	if (got > 0)
		mcp_lines_add(&server->lines, bytes, (size_t)got);
	else if (got == 0 || (errno != EINTR && errno != EAGAIN))
		server->ended = true;
	while (result == 0 && got > 0 && mcp_lines_next(&server->lines, &text, &len)) {
		if (mcp_message_parse(&message, text, len, &code, &problem) == 0) {
			result = receive(server, &message, err);
		} else {
			result = answer_error(message.id, code, problem, NULL, err);
			mcp_message_release(&message);
		}
	}
	free(bytes);
	return result;
}

/* While a tool runs: -1 ends it. */
static int
drain(void *context, struct err *err)
{
	struct server *server = context;

	if (read_input(server, err) < 0)
		return -1;
	return server->ended || server->cancelled ? err_set(err, ERR_INTERRUPTED, "cancelled") : 0;
}

/*
 * Answering.
 */

/* The version that a request names by itself; NULL: none. */
static const cJSON *
version_of(const struct mcp_message *message)
{
	const cJSON *meta = cJSON_GetObjectItemCaseSensitive(message->params, "_meta");

	return cJSON_GetObjectItemCaseSensitive(meta, META_PREFIX "protocolVersion");
}

static void
add_server(cJSON *object, const char *key)
{
	cJSON *info = cJSON_AddObjectToObject(object, key);

	cJSON_AddStringToObject(info, "name", "profile_run");
	cJSON_AddStringToObject(info, "version", PROFILE_RUN_VERSION);
}

/* Adds what the results of the latest version have; `cached`: the same for every client. */
static void
complete(cJSON *result, bool is_latest, bool cached)
{
	if (!is_latest)
		return;
	cJSON_AddStringToObject(result, "resultType", "complete");
	add_server(cJSON_AddObjectToObject(result, "_meta"), META_PREFIX "serverInfo");
	if (!cached)
		return;
	cJSON_AddNumberToObject(result, "ttlMs", LIST_TTL_MS);
	cJSON_AddStringToObject(result, "cacheScope", "public");
}

static void
add_capabilities(cJSON *result)
{
	cJSON_AddObjectToObject(cJSON_AddObjectToObject(result, "capabilities"), "tools");
	cJSON_AddStringToObject(result, "instructions", instructions);
}

static int
initialize(struct server *server, const struct mcp_message *message, struct err *err)
{
	const char *wanted = cJSON_GetStringValue(
		cJSON_GetObjectItemCaseSensitive(message->params, "protocolVersion"));
	const char *version = sessions[0];
	cJSON *result;

	if (!wanted)
		return answer_error(message->id, MCP_INVALID_PARAMS,
			"'protocolVersion': expected a text", NULL, err);
	for (size_t i = 0; i < sizeof(sessions) / sizeof(sessions[0]); i++)
		if (strcmp(sessions[i], wanted) == 0)
			version = sessions[i];
	server->initialized = true;
	result = cJSON_CreateObject();
	cJSON_AddStringToObject(result, "protocolVersion", version);
	add_capabilities(result);
	add_server(result, "serverInfo");
	return answer_result(message->id, result, err);
}

static int
discover(const struct mcp_message *message, struct err *err)
{
	static const char *const versions[] = {LATEST};
	cJSON *result = cJSON_CreateObject();

	cJSON_AddItemToObject(result, "supportedVersions", cJSON_CreateStringArray(versions, 1));
	add_capabilities(result);
	complete(result, true, true);
	return answer_result(message->id, result, err);
}

static int
list_tools(const struct mcp_message *message, bool is_latest, struct err *err)
{
	cJSON *result = cJSON_CreateObject();

	mcp_tools_add(result);
	complete(result, is_latest, true);
	return answer_result(message->id, result, err);
}

/* Runs the command of a call, and answers with its output. */
static int
run_tool(struct server *server, const struct mcp_tool *tool, const struct mcp_message *message,
	const struct mcp_command *command, struct err *err)
{
	const int fds[] = {STDIN_FILENO};
	const struct tool_watch limits = {
		.most_bytes = command->most_bytes,
		.timeout_s = command->timeout_s,
		.fds = fds,
		.nfds = 1,
		.drain = drain,
		.context = server,
	};
	struct tool_output output;
	struct err problem = {0};

	server->running = message->id;
	server->cancelled = false;
	const int run = tool_run_watched(&output, command->argv, &limits, &problem);

	server->running = NULL;
	cJSON *result = run == 0 ? mcp_tool_result(tool, &output) : mcp_tool_failure(problem.text);

	tool_output_release(&output);
	if (signals_check(err) < 0 || server->ended || server->cancelled) {
		cJSON_Delete(result);
		return signals_caught() ? -1 : 0;
	}
	complete(result, version_of(message) != NULL, false);
	return answer_result(message->id, result, err);
}

static int
call_tool(struct server *server, const struct mcp_message *message, struct err *err)
{
	const char *name =
		cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(message->params, "name"));
	const cJSON *arguments = cJSON_GetObjectItemCaseSensitive(message->params, "arguments");
	const struct mcp_tool *tool = name ? mcp_tool_find(name) : NULL;
	struct mcp_command command;
	struct err problem = {0};
	int result;

	if (!tool)
		return answer_error(message->id, MCP_INVALID_PARAMS,
			name ? "there is no such tool" : "'name': expected a text", NULL, err);
	if (arguments && !cJSON_IsObject(arguments))
		return answer_error(message->id, MCP_INVALID_PARAMS,
			"'arguments': expected an object", NULL, err);
	if (mcp_command_init(&command, tool, arguments, server->place, &problem) < 0)
		result = answer_error(message->id, MCP_INVALID_PARAMS, problem.text, NULL, err);
	else
		result = run_tool(server, tool, message, &command, err);
	mcp_command_release(&command);
	return result;
}

/* Answers a request whose version is not served. */
static int
refuse_version(const struct mcp_message *message, const cJSON *version, struct err *err)
{
	static const char *const versions[] = {LATEST};
	cJSON *data;

	if (!cJSON_IsString(version))
		return answer_error(message->id, MCP_INVALID_PARAMS,
			"'_meta': expected '" META_PREFIX "protocolVersion' as a text", NULL, err);
	data = cJSON_CreateObject();
	cJSON_AddItemToObject(data, "supported", cJSON_CreateStringArray(versions, 1));
	json_add_string(data, "requested", version->valuestring);
	return answer_error(
		message->id, MCP_UNSUPPORTED_VERSION, "unsupported protocol version", data, err);
}

/* Answers a request of the tools, which names its version or comes after `initialize`. */
static int
serve_tools(struct server *server, const struct mcp_message *message, struct err *err)
{
	const bool is_latest = version_of(message) != NULL;

	if (is_latest && strcmp(message->method, "server/discover") == 0)
		return discover(message, err);
	if (strcmp(message->method, "tools/list") == 0)
		return list_tools(message, is_latest, err);
	if (strcmp(message->method, "tools/call") == 0)
		return call_tool(server, message, err);
	return answer_error(
		message->id, MCP_METHOD_NOT_FOUND, "there is no such method", NULL, err);
}

static int
serve(struct server *server, const struct mcp_message *message, struct err *err)
{
	const cJSON *version = version_of(message);
	const cJSON *meta = cJSON_GetObjectItemCaseSensitive(message->params, "_meta");

	if (!message->id)
		return 0; /* it was cancelled */
	if (!version && strcmp(message->method, "initialize") == 0)
		return initialize(server, message, err);
	if (!version && !server->initialized)
		return answer_error(message->id, MCP_INVALID_PARAMS,
			"expected 'initialize', or '" META_PREFIX
			"protocolVersion' in '_meta' (" LATEST ")",
			NULL, err);
	if (version && (!cJSON_IsString(version) || strcmp(version->valuestring, LATEST) != 0))
		return refuse_version(message, version, err);
	if (version && !cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(
			       meta, META_PREFIX "clientCapabilities")))
		return answer_error(message->id, MCP_INVALID_PARAMS,
			"'_meta': expected '" META_PREFIX "clientCapabilities' as an object", NULL,
			err);
	return serve_tools(server, message, err);
}

/* The request that waits longest; to be released. */
static struct mcp_message
take_waiting(struct server *server)
{
	const struct mcp_message message = server->waiting[0];

	server->nwaiting--;
	memmove(server->waiting, server->waiting + 1,
		server->nwaiting * sizeof(server->waiting[0]));
	return message;
}

static int
wait_for_input(struct server *server, struct err *err)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

	if (poll(&input, 1, -1) < 0 && errno != EINTR)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot wait for standard input");
	if (signals_check(err) < 0)
		return -1;
	return input.revents ? read_input(server, err) : 0;
}

int
mcp_serve(const struct mcp_place *place, struct err *err)
{
	struct server *server = mem_zalloc(1, sizeof(*server));
	int result = 0;

	server->place = place;
	while (result == 0 && !server->ended) {
		if (server->nwaiting > 0) {
			struct mcp_message message = take_waiting(server);

			result = serve(server, &message, err);
			mcp_message_release(&message);
		} else {
			result = wait_for_input(server, err);
		}
	}
	while (server->nwaiting > 0)
		mcp_message_release(&server->waiting[--server->nwaiting]);
	mcp_lines_release(&server->lines);
	free(server);
	return result;
}
