#include "mcp/mcp_command.h"

#include "base/file.h"
#include "base/mem.h"
#include "builds/git.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LIST_MAX 1000

int
mcp_place_init(
	struct mcp_place *place, const char *prefix, const char *reports_dir, struct err *err)
{
	char *top = git_top();

	*place = (struct mcp_place){.top = realpath(top ? top : ".", NULL),
		.prefix = prefix,
		.reports_dir = reports_dir};
	free(top);
	return place->top ? 0 : err_set(err, ERR_SYSTEM, "the current folder is not there");
}

void
mcp_place_release(struct mcp_place *place)
{
	free(place->top);
	*place = (struct mcp_place){0};
}

/* The arguments of a call, and where they may lead. */
struct call {
	const struct mcp_tool *tool;
	const cJSON *arguments; /* NULL: none */
	const struct mcp_place *place;
	struct mcp_command *command;
};

static void
add_word(struct mcp_command *command, const char *word)
{
	command->argv = mem_grow(
		(void *)command->argv, &command->capacity, command->argc + 2, sizeof(char *));
	command->argv[command->argc++] = word;
	command->argv[command->argc] = NULL;
}

/* "--input=VALUE", or the value by itself. */
static void
add_value(struct mcp_command *command, const struct mcp_argument *argument, const char *value)
{
	if (argument->option)
		add_word(command, arena_printf(&command->arena, "%s=%s", argument->option, value));
	else
		add_word(command, arena_strdup(&command->arena, value));
}

/* A path of the client as seen from here. */
static const char *
path_from_here(const struct call *call, const char *value)
{
	return value[0] == '/'
		       ? value
		       : arena_printf(&call->command->arena, "%s%s", call->place->prefix, value);
}

static int
refuse(const struct mcp_argument *argument, const char *expected, struct err *err)
{
	return err_set(err, ERR_USAGE, "'%s': expected %s", argument->name, expected);
}

static bool
is_inside(const struct call *call, const char *real)
{
	const char *top = call->place->top;

	return strcmp(top, "/") == 0 || strcmp(real, top) == 0 || file_path_below(real, top);
}

/* Whether no link in a folder, or in the folders in it, leads out of the repository. */
static bool
has_no_way_out(const struct call *call, const char *folder, unsigned levels)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	bool good = true;

	while (dir && good && (entry = readdir(dir))) {
		struct stat st;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		char *path = file_join(folder, entry->d_name);
		char *real =
			lstat(path, &st) == 0 && S_ISLNK(st.st_mode) ? realpath(path, NULL) : NULL;

		if (real)
			good = is_inside(call, real);
		else if (levels > 0 && S_ISDIR(st.st_mode))
			good = has_no_way_out(call, path, levels - 1);
		free(real);
		free(path);
	}
	if (dir)
		closedir(dir);
	return good;
}

/*
 * The real path of a value in the repository, the arena's; NULL and an error. What is read of a
 * folder is in it or in one in it.
 */
static const char *
find_inside(const struct call *call, const struct mcp_argument *argument, const char *value,
	struct err *err)
{
	char *real = realpath(path_from_here(call, value), NULL);
	const char *found = NULL;

	if (!real)
		err_set(err, ERR_USAGE, "'%s': there is no '%.200s'", argument->name, value);
	else if (!is_inside(call, real))
		err_set(err, ERR_USAGE, "'%s': '%.200s' is outside of the repository, '%.200s'",
			argument->name, value, call->place->top);
	else if (!has_no_way_out(call, real, 1))
		err_set(err, ERR_USAGE, "'%s': a link in '%.200s' is outside of the repository",
			argument->name, value);
	else
		found = arena_strdup(&call->command->arena, real);
	free(real);
	return found;
}

static int
add_path(const struct call *call, const struct mcp_argument *argument, const char *value,
	struct err *err)
{
	const char *path = find_inside(call, argument, value, err);

	if (!path)
		return -1;
	add_value(call->command, argument, path);
	return 0;
}

static int
add_report(const struct call *call, const struct mcp_argument *argument, const char *value,
	struct err *err)
{
	if (strcmp(value, "latest") != 0)
		return add_path(call, argument, value, err);
	/* The folder is as seen from where we stand, not from where we were started. */
	char *latest = file_join(call->place->reports_dir, "latest");
	char *absolute = realpath(latest, NULL);
	int result;

	if (absolute)
		result = add_path(call, argument, absolute, err);
	else
		result = err_set(err, ERR_USAGE, "'%s': there is no report yet: call 'gate'",
			argument->name);
	free(absolute);
	free(latest);
	return result;
}

/* What is no path is a name, of a commit or a workload. */
static int
add_name(const struct call *call, const struct mcp_argument *argument, const char *value,
	struct err *err)
{
	const bool is_path = file_exists(path_from_here(call, value));

	if (value[0] == '-' || !value[0])
		return refuse(argument, "a name or a path, and no option", err);
	if (is_path && !find_inside(call, argument, value, err))
		return -1;
	if (!is_path && argument->kind == MCP_ARGUMENT_WORKLOADS && strchr(value, '/'))
		return err_set(err, ERR_USAGE, "'%s': there is no '%.200s'", argument->name, value);
	add_value(call->command, argument, is_path ? path_from_here(call, value) : value);
	return 0;
}

static int
add_text(const struct call *call, const struct mcp_argument *argument, const char *value,
	struct err *err)
{
	switch (argument->kind) {
	case MCP_ARGUMENT_PATH:
	case MCP_ARGUMENT_PATHS:
		return add_path(call, argument, value, err);
	case MCP_ARGUMENT_REPORT:
		return add_report(call, argument, value, err);
	case MCP_ARGUMENT_REVISION:
	case MCP_ARGUMENT_WORKLOADS:
		return add_name(call, argument, value, err);
	case MCP_ARGUMENT_TIME:
	case MCP_ARGUMENT_TEXT:
	case MCP_ARGUMENT_NUMBER_OR_TEXT:
	case MCP_ARGUMENT_FLAG:
		break;
	}
	add_value(call->command, argument, value);
	return 0;
}

/* The words of a list; those of an option stand behind it. */
static int
add_list(const struct call *call, const struct mcp_argument *argument, const cJSON *value,
	struct err *err)
{
	const struct mcp_argument plain = {.name = argument->name, .kind = argument->kind};
	const cJSON *item;

	if (!cJSON_IsArray(value) || cJSON_GetArraySize(value) > LIST_MAX)
		return refuse(argument, "a list of at most 1,000 texts", err);
	if (argument->option)
		add_word(call->command, argument->option);
	cJSON_ArrayForEach(item, value)
	{
		if (!cJSON_IsString(item))
			return refuse(argument, "a list of texts", err);
		if (add_text(call, &plain, item->valuestring, err) < 0)
			return -1;
	}
	return 0;
}

static int
add_argument(const struct call *call, const struct mcp_argument *argument, struct err *err)
{
	const cJSON *value = cJSON_GetObjectItemCaseSensitive(call->arguments, argument->name);

	if (!value && argument->required)
		return refuse(argument, "a value: it is required", err);
	if (!value && argument->is_latest &&
		!(argument->unless && cJSON_HasObjectItem(call->arguments, argument->unless)))
		return add_report(call, argument, "latest", err);
	if (!value)
		return 0;
	if (argument->kind == MCP_ARGUMENT_FLAG) {
		if (!cJSON_IsBool(value))
			return refuse(argument, "true or false", err);
		if (cJSON_IsTrue(value))
			add_word(call->command, argument->option);
		return 0;
	}
	if (argument->kind == MCP_ARGUMENT_PATHS || argument->kind == MCP_ARGUMENT_WORKLOADS)
		return add_list(call, argument, value, err);
	if (argument->kind == MCP_ARGUMENT_NUMBER_OR_TEXT && cJSON_IsNumber(value)) {
		add_value(call->command, argument,
			arena_printf(&call->command->arena, "%d", value->valueint));
		return 0;
	}
	if (!cJSON_IsString(value))
		return refuse(argument, "a text", err);
	return add_text(call, argument, value->valuestring, err);
}

/* An unknown argument is refused rather than ignored. */
static int
check_names(const struct mcp_tool *tool, const cJSON *arguments, struct err *err)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, arguments)
	{
		const struct mcp_argument *known = tool->arguments;

		while (known->name && strcmp(known->name, item->string) != 0)
			known++;
		if (!known->name)
			return err_set(err, ERR_USAGE, "'%s' has no argument '%.100s'", tool->name,
				item->string);
	}
	return 0;
}

/* Options come first: what is behind "--" is none. */
static int
add_arguments(const struct call *call, bool options, struct err *err)
{
	for (const struct mcp_argument *argument = call->tool->arguments; argument->name;
		argument++)
		if ((argument->option != NULL) == options && add_argument(call, argument, err) < 0)
			return -1;
	return 0;
}

int
mcp_command_init(struct mcp_command *command, const struct mcp_tool *tool, const cJSON *arguments,
	const struct mcp_place *place, struct err *err)
{
	const struct call call = {tool, arguments, place, command};

	*command = (struct mcp_command){
		.most_bytes = tool->most_bytes + 1, .timeout_s = tool->timeout_s};
	if (check_names(tool, arguments, err) < 0)
		return -1;
	add_word(command, "/proc/self/exe");
	for (const char *const *word = tool->words; *word; word++)
		add_word(command, *word);
	if (add_arguments(&call, true, err) < 0)
		return -1;
	add_word(command, "--");
	return add_arguments(&call, false, err);
}

void
mcp_command_release(struct mcp_command *command)
{
	free((void *)command->argv);
	arena_release(&command->arena);
	*command = (struct mcp_command){0};
}
