/*
 * Messages of the Model Context Protocol: any bytes, as they may arrive. What is no request has a
 * code and a reason; of a request the command of its tool has no option but the tool's own, and no
 * path but in the repository; and each answer is one line of JSON.
 */
#include "mcp/mcp_message.h"
#include "mcp/mcp_tools.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(bool good)
{
	if (!good)
		abort();
}

static void
check_answer(const struct buf *line)
{
	cJSON *root = cJSON_ParseWithLength(buf_text(line), line->len);

	check(root && line->len > 0);
	check(memchr(line->data, '\n', line->len) == line->data + line->len - 1);
	cJSON_Delete(root);
}

/* Ahead of "--" there are only options, and paths in the repository. */
static void
check_command(const struct mcp_command *command, const char *top)
{
	size_t at = 2;

	check(command->argc > 2 && !command->argv[command->argc]);
	for (; at < command->argc && strcmp(command->argv[at], "--") != 0; at++)
		check(strncmp(command->argv[at], "--", 2) == 0 ||
			strncmp(command->argv[at], top, strlen(top)) == 0);
	check(at < command->argc);
}

/* Each tool takes the arguments, or refuses them; nothing is run. */
static void
call_tools(const cJSON *arguments)
{
	static const char *const names[] = {"gate", "explain", "annotate", "flamegraph", "compare"};
	char top[] = "/proc/self/fd";
	const struct mcp_place place = {.top = top, .prefix = "", .reports_dir = "nowhere"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct mcp_command command;
		struct err err = {0};

		if (mcp_command_init(&command, mcp_tool_find(names[i]), arguments, &place, &err) ==
			0)
			check_command(&command, top);
		else
			check(err.len > 0);
		mcp_command_release(&command);
	}
}

static void
take(const char *text, size_t len)
{
	struct mcp_message message;
	enum mcp_code code;
	const char *problem = NULL;
	struct buf line = {0};

	if (mcp_message_parse(&message, text, len, &code, &problem) < 0) {
		check(problem && code < 0);
		mcp_put_error(message.id, code, problem, NULL, &line);
		check_answer(&line);
	} else {
		check(message.method && (!message.params || cJSON_IsObject(message.params)));
		if (message.id)
			mcp_put_result(message.id, cJSON_CreateObject(), &line);
		if (message.id)
			check_answer(&line);
		const cJSON *arguments =
			cJSON_GetObjectItemCaseSensitive(message.params, "arguments");

		if (cJSON_IsObject(arguments))
			call_tools(arguments);
	}
	mcp_message_release(&message);
	buf_release(&line);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mcp_lines lines = {0};
	const size_t piece = size > 0 ? data[0] + (size_t)1 : 1;
	const char *text;
	size_t len;

	for (size_t at = 0; at < size; at += piece) {
		mcp_lines_add(
			&lines, (const char *)data + at, size - at < piece ? size - at : piece);
		while (mcp_lines_next(&lines, &text, &len))
			take(text, len);
	}
	mcp_lines_release(&lines);
	return 0;
}
