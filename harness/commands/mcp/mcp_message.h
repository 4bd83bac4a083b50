/*
 * The messages of the Model Context Protocol on standard input and output: JSON-RPC 2.0, one
 * message a line. Input is not trusted: a line, a value and a depth have limits, and what is no
 * request is an error with one of JSON-RPC's codes.
 *
 * Sources: the protocol's revision 2026-07-28, "Overview" and "stdio"; the JSON-RPC 2.0
 * specification, sections 4 and 5.
 */
#ifndef MCP_MESSAGE_H
#define MCP_MESSAGE_H

#include "base/buf.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

/* A longer line is skipped, and answered with an error. */
#define MCP_LINE_BYTES_MAX ((size_t)1 << 20)
#define MCP_ID_BYTES_MAX 256

enum mcp_code {
	MCP_PARSE_ERROR = -32700,
	MCP_INVALID_REQUEST = -32600,
	MCP_METHOD_NOT_FOUND = -32601,
	MCP_INVALID_PARAMS = -32602,
	MCP_INTERNAL_ERROR = -32603,
	MCP_UNSUPPORTED_VERSION = -32022,
};

/* The lines of a stream, as its bytes arrive. All zeros is empty. */
struct mcp_lines {
	struct buf bytes;
	size_t taken;  /* bytes of lines that were taken */
	bool skipping; /* the rest of a line that is too long */
};

/* Adds bytes that arrived. */
void mcp_lines_add(struct mcp_lines *lines, const char *bytes, size_t len);
/*
 * Takes the next whole line, without its end; borrowed until bytes are added. False: there is none
 * yet. `text` is NULL for a line that was too long.
 */
bool mcp_lines_next(struct mcp_lines *lines, const char **text, size_t *len);
void mcp_lines_release(struct mcp_lines *lines);

/* A request, or a notification, which has no id. */
struct mcp_message {
	cJSON *root;         /* owned */
	const cJSON *id;     /* a text or a whole number; NULL: it wants no answer */
	const char *method;  /* "" of an answer, to which there is nothing to say */
	const cJSON *params; /* an object; NULL: none */
};

/*
 * Reads a line. On error returns -1 with the code and the text of the answer; message->id is known
 * where it could be read. To be released in either case.
 */
int mcp_message_parse(struct mcp_message *message, const char *text, size_t len,
	enum mcp_code *code, const char **problem);
void mcp_message_release(struct mcp_message *message);
/* Whether two ids are the same. */
bool mcp_same_id(const cJSON *one, const cJSON *other);

/* Appends the line of an answer; `result` and `data` are taken over, `data` may be NULL. */
void mcp_put_result(const cJSON *id, cJSON *result, struct buf *out);
/* `id` may be NULL: it could not be read. */
void mcp_put_error(
	const cJSON *id, enum mcp_code code, const char *text, cJSON *data, struct buf *out);

#endif
