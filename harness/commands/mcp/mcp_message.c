#include "mcp/mcp_message.h"

#include "base/escape.h"
#include "output/json_add.h"

#include <math.h>
#include <string.h>

/* Up to here a double has every whole number. */
#define WHOLE_MAX 9007199254740991.0

void
mcp_lines_add(struct mcp_lines *lines, const char *bytes, size_t len)
{
	if (lines->taken > 0) {
		const size_t left = lines->bytes.len - lines->taken;

		memmove(lines->bytes.data, lines->bytes.data + lines->taken, left);
		lines->bytes.len = left;
		lines->taken = 0;
	}
	buf_put(&lines->bytes, bytes, len);
}

/* Drops what has come of a line that is too long. */
static void
skip(struct mcp_lines *lines, size_t behind)
{
	lines->taken = behind;
	lines->skipping = behind == lines->bytes.len;
}

bool
mcp_lines_next(struct mcp_lines *lines, const char **text, size_t *len)
{
	if (lines->bytes.len == lines->taken)
		return false;
	const char *begin = lines->bytes.data + lines->taken;
	const size_t left = lines->bytes.len - lines->taken;
	const char *end = memchr(begin, '\n', left);
	const bool was_skipping = lines->skipping;

	if (!end && (was_skipping || left > MCP_LINE_BYTES_MAX)) {
		skip(lines, lines->bytes.len);
		*text = NULL;
		*len = 0;
		/* It is answered once. */
		return !was_skipping;
	}
	if (!end)
		return false;
	*len = (size_t)(end - begin);
	lines->taken += *len + 1;
	lines->skipping = false;
	if (was_skipping)
		return mcp_lines_next(lines, text, len);
	*text = *len > MCP_LINE_BYTES_MAX ? NULL : begin;
	return true;
}

void
mcp_lines_release(struct mcp_lines *lines)
{
	buf_release(&lines->bytes);
	*lines = (struct mcp_lines){0};
}

/* An answer has the id as it is, and is one line of valid UTF-8. */
static bool
is_plain(const char *text)
{
	struct buf safe = {0};

	escape_utf8(&safe, text, strlen(text));
	const bool same = strcmp(buf_text(&safe), text) == 0;

	buf_release(&safe);
	return same;
}

static bool
is_id(const cJSON *id)
{
	if (cJSON_IsString(id))
		return strlen(id->valuestring) <= MCP_ID_BYTES_MAX && is_plain(id->valuestring);
	return cJSON_IsNumber(id) && fabs(id->valuedouble) <= WHOLE_MAX &&
	       id->valuedouble == floor(id->valuedouble);
}

/* What is wrong with a message; NULL: nothing. */
static const char *
find_problem(const struct mcp_message *message, const cJSON *id)
{
	const cJSON *root = message->root;
	const cJSON *version = cJSON_GetObjectItemCaseSensitive(root, "jsonrpc");
	const cJSON *params = cJSON_GetObjectItemCaseSensitive(root, "params");

	if (!cJSON_IsObject(root))
		return "expected an object: batches are not supported";
	if (!cJSON_IsString(version) || strcmp(version->valuestring, "2.0") != 0)
		return "'jsonrpc': expected \"2.0\"";
	if (id && !is_id(id))
		return "'id': expected a text of at most 256 bytes without control characters, or a whole number";
	if (!message->method)
		return "'method': expected a text";
	if (params && !cJSON_IsObject(params))
		return "'params': expected an object";
	return NULL;
}

int
mcp_message_parse(struct mcp_message *message, const char *text, size_t len, enum mcp_code *code,
	const char **problem)
{
	const char *end = NULL;

	*message = (struct mcp_message){0};
	*code = MCP_PARSE_ERROR;
	*problem = "the line is longer than 1 MiB";
	if (!text)
		return -1;
	*problem = "the line is no JSON";
	message->root = cJSON_ParseWithLengthOpts(text, len, &end, false);
	if (!message->root)
		return -1;
	while (end < text + len && strchr(" \t\r", *end) && *end)
		end++;
	if (end != text + len)
		return -1;
	const cJSON *id = cJSON_GetObjectItemCaseSensitive(message->root, "id");
	const cJSON *method = cJSON_GetObjectItemCaseSensitive(message->root, "method");
	const bool is_answer = !method && (cJSON_HasObjectItem(message->root, "result") ||
						  cJSON_HasObjectItem(message->root, "error"));

	message->id = id && is_id(id) && !is_answer ? id : NULL;
	message->method = is_answer ? "" : cJSON_GetStringValue(method);
	message->params = cJSON_GetObjectItemCaseSensitive(message->root, "params");
	*code = MCP_INVALID_REQUEST;
	*problem = find_problem(message, id);
	return *problem ? -1 : 0;
}

void
mcp_message_release(struct mcp_message *message)
{
	cJSON_Delete(message->root);
	*message = (struct mcp_message){0};
}

bool
mcp_same_id(const cJSON *one, const cJSON *other)
{
	return one && other && cJSON_Compare(one, other, true);
}

/* An answer is one line: cJSON writes a line end in a text as an escape. */
static void
put_line(cJSON *root, struct buf *out)
{
	char *text = cJSON_PrintUnformatted(root);

	buf_puts(out, text ? text : "");
	buf_putc(out, '\n');
	cJSON_free(text);
	cJSON_Delete(root);
}

static cJSON *
make_answer(const cJSON *id)
{
	cJSON *root = cJSON_CreateObject();

	cJSON_AddStringToObject(root, "jsonrpc", "2.0");
	if (id)
		cJSON_AddItemToObject(root, "id", cJSON_Duplicate(id, false));
	return root;
}

void
mcp_put_result(const cJSON *id, cJSON *result, struct buf *out)
{
	cJSON *root = make_answer(id);

	cJSON_AddItemToObject(root, "result", result);
	put_line(root, out);
}

void
mcp_put_error(const cJSON *id, enum mcp_code code, const char *text, cJSON *data, struct buf *out)
{
	cJSON *root = make_answer(id);
	cJSON *error = cJSON_AddObjectToObject(root, "error");

	cJSON_AddNumberToObject(error, "code", code);
	json_add_string(error, "message", text);
	if (data)
		cJSON_AddItemToObject(error, "data", data);
	put_line(root, out);
}
