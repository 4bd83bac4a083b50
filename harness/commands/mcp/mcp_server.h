/*
 * Serving the tools by the Model Context Protocol on standard input and output, without network.
 * One tool runs at a time; while it does, requests wait, a ping is answered, and it ends when its
 * request is cancelled or the input ends.
 *
 * Both generations of the protocol are served: revision 2026-07-28, in which every request names
 * its version, and those up to 2025-11-25, which begin with `initialize`.
 */
#ifndef MCP_SERVER_H
#define MCP_SERVER_H

#include "base/err.h"
#include "mcp/mcp_tools.h"

/* Serves until the input ends, or a signal was caught. */
int mcp_serve(const struct mcp_place *place, struct err *err);

#endif
