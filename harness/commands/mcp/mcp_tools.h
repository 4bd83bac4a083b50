/*
 * The tools that are served by the Model Context Protocol: each is a verb of this program, run by
 * the program itself (mcp_command.h).
 */
#ifndef MCP_TOOLS_H
#define MCP_TOOLS_H

#include "mcp/mcp_command.h"
#include "process/process.h"

#include <cjson/cJSON.h>

/* Adds the array "tools" of a list of tools. */
void mcp_tools_add(cJSON *result);
/* By its name; NULL: there is none. */
const struct mcp_tool *mcp_tool_find(const char *name);

/* The result of a call, for the client. */
cJSON *mcp_tool_result(const struct mcp_tool *tool, const struct tool_output *output);
/* The result of a call that failed with a message. */
cJSON *mcp_tool_failure(const char *text);

#endif
