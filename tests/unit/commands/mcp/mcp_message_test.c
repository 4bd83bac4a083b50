#include "mcp/mcp_message.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

void suite_mcp_mcp_message(void);

/* Adds a text in pieces, and returns the lines that come, each in brackets; "long" for one too
 * long. */
static void
lines_of(const char *text, size_t len, size_t piece, struct buf *out)
{
	struct mcp_lines lines = {0};
	const char *line;
	size_t line_len;

	buf_clear(out);
	for (size_t at = 0; at < len; at += piece) {
		mcp_lines_add(&lines, text + at, len - at < piece ? len - at : piece);
		while (mcp_lines_next(&lines, &line, &line_len))
			buf_printf(out, "[%.*s]", line ? (int)line_len : 4, line ? line : "long");
	}
	mcp_lines_release(&lines);
}

static void
lines_come_however_their_bytes_arrive(void)
{
	static const char text[] = "one\n\ntwo\nrest";
	struct buf out = {0};

	for (size_t piece = 1; piece < sizeof(text); piece++) {
		lines_of(text, strlen(text), piece, &out);
		UNIT_STR_EQ(buf_text(&out), "[one][][two]");
	}
	buf_release(&out);
}

static void
a_line_that_is_too_long_is_told_once(void)
{
	struct buf text = {0};
	struct buf out = {0};

	for (size_t i = 0; i < MCP_LINE_BYTES_MAX + 100000; i++)
		buf_putc(&text, 'x');
	buf_puts(&text, "\nnext\n");
	for (size_t piece = 4096; piece < 4 * MCP_LINE_BYTES_MAX; piece *= 7) {
		lines_of(buf_text(&text), text.len, piece, &out);
		UNIT_STR_EQ(buf_text(&out), "[long][next]");
	}
	buf_release(&text);
	buf_release(&out);
}

static void
what_is_no_request_has_its_code(void)
{
	static const struct {
		const char *text;
		enum mcp_code code;
	} cases[] = {
		{"", MCP_PARSE_ERROR},
		{"{", MCP_PARSE_ERROR},
		{"{} x", MCP_PARSE_ERROR},
		{"[]", MCP_INVALID_REQUEST},
		{"{\"jsonrpc\": \"1.0\", \"id\": 1, \"method\": \"a\"}", MCP_INVALID_REQUEST},
		{"{\"jsonrpc\": \"2.0\", \"id\": 1.5, \"method\": \"a\"}", MCP_INVALID_REQUEST},
		{"{\"jsonrpc\": \"2.0\", \"id\": null, \"method\": \"a\"}", MCP_INVALID_REQUEST},
		{"{\"jsonrpc\": \"2.0\", \"id\": \"\xff\", \"method\": \"a\"}",
			MCP_INVALID_REQUEST},
		{"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"a\", \"params\": 3}",
			MCP_INVALID_REQUEST},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mcp_message message;
		enum mcp_code code;
		const char *problem;

		CU_ASSERT_EQUAL(mcp_message_parse(&message, cases[i].text, strlen(cases[i].text),
					&code, &problem),
			-1);
		CU_ASSERT_EQUAL(code, cases[i].code);
		mcp_message_release(&message);
	}
}

static void
a_request_is_answered_with_its_id_on_one_line(void)
{
	static const char text[] =
		"{\"jsonrpc\": \"2.0\", \"id\": \"a b\", \"method\": \"ping\", \"params\": {}} \r";
	struct mcp_message message;
	enum mcp_code code;
	const char *problem;
	struct buf out = {0};

	CU_ASSERT_EQUAL_FATAL(mcp_message_parse(&message, text, strlen(text), &code, &problem), 0);
	UNIT_STR_EQ(message.method, "ping");
	mcp_put_result(message.id, cJSON_CreateString("a\nb"), &out);
	UNIT_STR_EQ(buf_text(&out), "{\"jsonrpc\":\"2.0\",\"id\":\"a b\",\"result\":\"a\\nb\"}\n");
	buf_clear(&out);
	mcp_put_error(NULL, MCP_PARSE_ERROR, "no\x1b JSON", NULL, &out);
	UNIT_STR_EQ(buf_text(&out), "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":"
				    "\"no\xef\xbf\xbd JSON\"}}\n");
	mcp_message_release(&message);
	buf_release(&out);
}

void
suite_mcp_mcp_message(void)
{
	static const struct unit_case cases[] = {
		{"lines_come_however_their_bytes_arrive", lines_come_however_their_bytes_arrive},
		{"a_line_that_is_too_long_is_told_once", a_line_that_is_too_long_is_told_once},
		{"what_is_no_request_has_its_code", what_is_no_request_has_its_code},
		{"a_request_is_answered_with_its_id_on_one_line",
			a_request_is_answered_with_its_id_on_one_line},
		{NULL, NULL},
	};

	unit_suite("mcp/mcp_message", cases);
}
