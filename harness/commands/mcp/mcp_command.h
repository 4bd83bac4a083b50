/*
 * The command line of a tool's call. Arguments are checked: a path must lead into the repository,
 * with all links resolved, and no value can become an option.
 */
#ifndef MCP_COMMAND_H
#define MCP_COMMAND_H

#include "base/arena.h"
#include "base/err.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#define MCP_WORDS_MAX 5

enum mcp_argument_kind {
	MCP_ARGUMENT_TEXT,
	MCP_ARGUMENT_NUMBER_OR_TEXT,
	MCP_ARGUMENT_FLAG,
	MCP_ARGUMENT_TIME,      /* "10m" */
	MCP_ARGUMENT_PATH,      /* in the repository */
	MCP_ARGUMENT_PATHS,     /* a list of them */
	MCP_ARGUMENT_REPORT,    /* a path, or "latest" */
	MCP_ARGUMENT_REVISION,  /* of git, or a path */
	MCP_ARGUMENT_WORKLOADS, /* names or paths */
};

/* An argument of a tool, and the option of its verb. A table ends with one without a name. */
struct mcp_argument {
	const char *name;
	const char *option; /* of the verb; NULL: it is no option */
	const char *description;
	enum mcp_argument_kind kind;
	bool required;
	bool is_latest;     /* a report that is not given is the latest, ... */
	const char *unless; /* ... unless this argument is given; NULL */
};

struct mcp_tool {
	const char *name;
	const char *description;
	const char *words[MCP_WORDS_MAX]; /* of the command line, NULL-ended */
	const struct mcp_argument *arguments;
	size_t most_bytes;
	double timeout_s;
	bool writes;  /* it builds, runs programs and writes a report */
	bool by_size; /* its lines are stacks with their weight: the largest come first */
};

/* Where tools may read. */
struct mcp_place {
	char *top;               /* the repository's root as a real path; owned */
	const char *prefix;      /* ahead of relative paths; "": they start here */
	const char *reports_dir; /* of the configuration; borrowed */
};

/* The repository around the current folder, or the folder where there is none. */
int mcp_place_init(
	struct mcp_place *place, const char *prefix, const char *reports_dir, struct err *err);
void mcp_place_release(struct mcp_place *place);

/* A command line of this program. */
struct mcp_command {
	struct arena arena;
	const char **argv; /* owned; NULL-ended */
	size_t argc;
	size_t capacity;
	size_t most_bytes; /* of the output that are read */
	double timeout_s;
};

/* Makes the command of a call; `arguments` may be NULL. To be released in either case. */
int mcp_command_init(struct mcp_command *command, const struct mcp_tool *tool,
	const cJSON *arguments, const struct mcp_place *place, struct err *err);
void mcp_command_release(struct mcp_command *command);

#endif
