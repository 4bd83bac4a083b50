#include "mcp/mcp_tools.h"

#include "base/escape.h"
#include "base/mem.h"
#include "output/json_add.h"

#include <stdlib.h>
#include <string.h>

/* Of a text in an answer. */
#define TEXT_BYTES_MAX ((size_t)64 << 10)
#define FOLDED_BYTES_MAX ((size_t)64 << 20)
#define GATE_TIMEOUT_S 3600
#define READ_TIMEOUT_S 120

static const struct mcp_argument gate_arguments[] = {
	{"workloads", NULL, "Names or files of workloads; default: all", MCP_ARGUMENT_WORKLOADS,
		false, false, NULL},
	{"against", "--against",
		"Compare with the build of this git revision, interleaved, such as HEAD for "
		"uncommitted changes or main for a branch; default: stored baselines",
		MCP_ARGUMENT_REVISION, false, false, NULL},
	{"budget", "--budget", "Limit of the wall time, such as 10m", MCP_ARGUMENT_TIME, false,
		false, NULL},
	{NULL, NULL, NULL, MCP_ARGUMENT_TEXT, false, false, NULL},
};

static const struct mcp_argument explain_arguments[] = {
	{"report", NULL, "Folder of a report; default: latest", MCP_ARGUMENT_REPORT, false, true,
		NULL},
	{"finding", NULL,
		"Number of a finding, or the name of a function; default: 1, the severest",
		MCP_ARGUMENT_NUMBER_OR_TEXT, false, false, NULL},
	{"json", "--json", "As JSON", MCP_ARGUMENT_FLAG, false, false, NULL},
	{NULL, NULL, NULL, MCP_ARGUMENT_TEXT, false, false, NULL},
};

static const struct mcp_argument annotate_arguments[] = {
	{"function", NULL, "Name of the function", MCP_ARGUMENT_TEXT, true, false, NULL},
	{"input", "--input", "A capture, or a report with captures of both builds; default: latest",
		MCP_ARGUMENT_REPORT, false, true, "before"},
	{"before", "--before", "Capture before a change, with 'after' in place of 'input'",
		MCP_ARGUMENT_PATH, false, false, NULL},
	{"after", "--after", "Capture after it", MCP_ARGUMENT_PATH, false, false, NULL},
	{"assembly", "--assembly", "All instructions of the function, too", MCP_ARGUMENT_FLAG,
		false, false, NULL},
	{NULL, NULL, NULL, MCP_ARGUMENT_TEXT, false, false, NULL},
};

static const struct mcp_argument flamegraph_arguments[] = {
	{"input", "--input",
		"A profile: perf.data, pprof, folded text and others, such as "
		"reports/latest/WORKLOAD/folded.txt",
		MCP_ARGUMENT_PATH, true, false, NULL},
	{NULL, NULL, NULL, MCP_ARGUMENT_TEXT, false, false, NULL},
};

static const struct mcp_argument compare_arguments[] = {
	{"before", "--before", "Profiles before a change, one file a run", MCP_ARGUMENT_PATHS, true,
		false, NULL},
	{"after", "--after", "Profiles after it", MCP_ARGUMENT_PATHS, true, false, NULL},
	{"paired", "--paired", "The runs were interleaved: file i before belongs to file i after",
		MCP_ARGUMENT_FLAG, false, false, NULL},
	{NULL, NULL, NULL, MCP_ARGUMENT_TEXT, false, false, NULL},
};

static const struct mcp_tool tools[] = {
	{.name = "gate",
		.description =
			"Measures the workloads of this repository, compares them with their "
			"baselines or another build, and gives a verdict: pass, fail, "
			"undecided. Builds and runs the workloads' programs; takes minutes.",
		.words = {"gate", "--quiet", "--color=never", "--ci=none"},
		.arguments = gate_arguments,
		.most_bytes = TEXT_BYTES_MAX,
		.timeout_s = GATE_TIMEOUT_S,
		.writes = true},
	{.name = "explain",
		.description =
			"Explains a finding of a report: effect with its confidence interval, "
			"cause, evidence, stacks, source lines before and after, hunks of the "
			"difference, machine code, what is excluded, how to reproduce it, and "
			"the limits of the evidence.",
		.words = {"explain"},
		.arguments = explain_arguments,
		.most_bytes = TEXT_BYTES_MAX,
		.timeout_s = READ_TIMEOUT_S},
	{.name = "annotate",
		.description =
			"Prints a function's source lines and instructions with their costs, "
			"of one build or of two.",
		.words = {"annotate"},
		.arguments = annotate_arguments,
		.most_bytes = TEXT_BYTES_MAX,
		.timeout_s = READ_TIMEOUT_S},
	{.name = "flamegraph",
		.description =
			"A flame graph as text: each stack, root first, with its weight; the "
			"largest first.",
		.words = {"convert", "--to=folded"},
		.arguments = flamegraph_arguments,
		.most_bytes = FOLDED_BYTES_MAX,
		.timeout_s = READ_TIMEOUT_S,
		.by_size = true},
	{.name = "compare",
		.description = "Compares profiles captured elsewhere, one file a run, function by "
			       "function, and gives a verdict.",
		.words = {"compare", "--quiet", "--color=never"},
		.arguments = compare_arguments,
		.most_bytes = TEXT_BYTES_MAX,
		.timeout_s = READ_TIMEOUT_S},
};

#define NTOOLS (sizeof(tools) / sizeof(tools[0]))

/*
 * The list of tools.
 */

static void
add_type(cJSON *schema, enum mcp_argument_kind kind)
{
	static const char *const either[] = {"integer", "string"};

	switch (kind) {
	case MCP_ARGUMENT_TEXT:
	case MCP_ARGUMENT_TIME:
	case MCP_ARGUMENT_PATH:
	case MCP_ARGUMENT_REPORT:
	case MCP_ARGUMENT_REVISION:
		cJSON_AddStringToObject(schema, "type", "string");
		break;
	case MCP_ARGUMENT_NUMBER_OR_TEXT:
		cJSON_AddItemToObject(schema, "type", cJSON_CreateStringArray(either, 2));
		break;
	case MCP_ARGUMENT_FLAG:
		cJSON_AddStringToObject(schema, "type", "boolean");
		break;
	case MCP_ARGUMENT_PATHS:
	case MCP_ARGUMENT_WORKLOADS:
		cJSON_AddStringToObject(schema, "type", "array");
		cJSON_AddStringToObject(cJSON_AddObjectToObject(schema, "items"), "type", "string");
		break;
	}
}

static void
add_schema(cJSON *tool, const struct mcp_argument *arguments)
{
	cJSON *schema = cJSON_AddObjectToObject(tool, "inputSchema");

	cJSON_AddStringToObject(schema, "type", "object");
	cJSON *properties = cJSON_AddObjectToObject(schema, "properties");
	cJSON *required = cJSON_CreateArray();

	for (const struct mcp_argument *argument = arguments; argument->name; argument++) {
		cJSON *property = cJSON_AddObjectToObject(properties, argument->name);

		add_type(property, argument->kind);
		cJSON_AddStringToObject(property, "description", argument->description);
		if (argument->required)
			cJSON_AddItemToArray(required, cJSON_CreateString(argument->name));
	}
	if (cJSON_GetArraySize(required) > 0)
		cJSON_AddItemToObject(schema, "required", required);
	else
		cJSON_Delete(required);
	cJSON_AddBoolToObject(schema, "additionalProperties", false);
}

void
mcp_tools_add(cJSON *result)
{
	cJSON *list = cJSON_AddArrayToObject(result, "tools");

	for (size_t i = 0; i < NTOOLS; i++) {
		cJSON *tool = json_add_item(list);

		cJSON_AddStringToObject(tool, "name", tools[i].name);
		cJSON_AddStringToObject(tool, "description", tools[i].description);
		add_schema(tool, tools[i].arguments);
		cJSON *hints = cJSON_AddObjectToObject(tool, "annotations");

		cJSON_AddBoolToObject(hints, "readOnlyHint", !tools[i].writes);
		cJSON_AddBoolToObject(hints, "destructiveHint", false);
		cJSON_AddBoolToObject(hints, "openWorldHint", false);
	}
}

const struct mcp_tool *
mcp_tool_find(const char *name)
{
	for (size_t i = 0; i < NTOOLS; i++)
		if (strcmp(tools[i].name, name) == 0)
			return &tools[i];
	return NULL;
}

/*
 * The result of a call.
 */

struct stack_line {
	const char *text;
	size_t len;
	double weight;
};

static int
compare_weights(const void *a, const void *b)
{
	const struct stack_line *x = a;
	const struct stack_line *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return x->text < y->text ? -1 : x->text > y->text;
}

/* Appends the lines of folded text by their weights, the largest first, as far as there is room. */
static void
put_by_size(const struct buf *folded, struct buf *out)
{
	struct stack_line *lines = NULL;
	size_t capacity = 0;
	size_t count = 0;
	size_t shown = 0;

	for (const char *at = buf_text(folded); *at;) {
		const size_t len = strcspn(at, "\n");
		const char *blank = memrchr(at, ' ', len);

		lines = mem_grow(lines, &capacity, count + 1, sizeof(*lines));
		lines[count++] = (struct stack_line){at, len, blank ? strtod(blank, NULL) : 0};
		at += len + (at[len] == '\n');
	}
	if (count > 0)
		qsort(lines, count, sizeof(*lines), compare_weights);
	for (; shown < count && out->len + lines[shown].len + 1 <= TEXT_BYTES_MAX; shown++) {
		buf_put(out, lines[shown].text, lines[shown].len);
		buf_putc(out, '\n');
	}
	if (shown < count)
		buf_printf(out, "(%zu smaller stacks are left out)\n", count - shown);
	free(lines);
}

/* Makes the text safe: it may have names that anyone has stored, and be cut within a character. */
static void
add_text_item(cJSON *content, struct buf *text)
{
	cJSON *item = json_add_item(content);

	if (text->len > 0)
		escape_terminal(text->data, text->len);
	cJSON_AddStringToObject(item, "type", "text");
	cJSON_AddStringToObject(item, "text", text->len > 0 ? buf_text(text) : "(no output)");
}

/* The output, as much as an answer has room for. */
static void
put_bounded(const struct buf *text, struct buf *out)
{
	buf_put(out, buf_text(text), text->len < TEXT_BYTES_MAX ? text->len : TEXT_BYTES_MAX);
	if (text->len > TEXT_BYTES_MAX)
		buf_puts(out, "\n(the rest of the output is left out)\n");
}

/* Whether the exit status is that of a verdict. */
static bool
is_verdict(int status)
{
	return status == 0 || status == 1 || status == 3;
}

cJSON *
mcp_tool_result(const struct mcp_tool *tool, const struct tool_output *output)
{
	cJSON *result = cJSON_CreateObject();
	cJSON *content = cJSON_AddArrayToObject(result, "content");
	const bool failed = !is_verdict(output->status);
	struct buf text = {0};

	if (tool->by_size && !failed)
		put_by_size(&output->out, &text);
	else
		put_bounded(&output->out, &text);
	if (!failed || text.len > 0)
		add_text_item(content, &text);
	if (failed) {
		buf_clear(&text);
		put_bounded(&output->complaint, &text);
		add_text_item(content, &text);
	}
	cJSON_AddBoolToObject(result, "isError", failed);
	buf_release(&text);
	return result;
}

cJSON *
mcp_tool_failure(const char *text)
{
	cJSON *result = cJSON_CreateObject();
	struct buf whole = {0};

	buf_puts(&whole, text);
	add_text_item(cJSON_AddArrayToObject(result, "content"), &whole);
	cJSON_AddBoolToObject(result, "isError", true);
	buf_release(&whole);
	return result;
}
