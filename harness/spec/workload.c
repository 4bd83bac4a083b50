#include "spec/workload.h"

#include "profile/metric.h"
#include "spec/sections_internal.h"
#include "spec/waivers.h"

#include <ctype.h>
#include <string.h>

/* A list is an argv; one text is a line for the shell. */
static int
run_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	const char ***run = into;
	size_t count = 0;

	if (node->kind == YAML_SEQUENCE && node->first) {
		const char **argv =
			arena_alloc(reader->arena, (yaml_count(node) + 1) * sizeof(*argv));

		for (const struct yaml_node *at = node->first; at; at = at->next) {
			argv[count] = keys_text(reader, at, "a text: one argument of the command");
			if (!argv[count++])
				return -1;
		}
		if (argv[0][0] == '\0')
			return keys_refuse(
				reader, node->first, "the program to run is an empty text");
		*run = argv;
		return 0;
	}
	if (node->kind != YAML_SCALAR || yaml_is_null(node) || node->text[0] == '\0')
		return keys_refuse(reader, node,
			"'run' must be a command: a list such as [./program, --rounds, 60], or one text for the shell; %s",
			node->kind == YAML_SEQUENCE ? "found an empty list"
						    : keys_found(reader, node));
	const char **argv = arena_alloc(reader->arena, 4 * sizeof(*argv));

	argv[0] = "/bin/sh";
	argv[1] = "-c";
	argv[2] = arena_strdup(reader->arena, node->text);
	*run = argv;
	return 0;
}

static bool
is_variable_name(const char *name)
{
	size_t len =
		strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");

	return name[len] == '\0' && !isdigit((unsigned char)name[0]);
}

static int
env_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	const char ***env = into;
	size_t count = 0;

	if (node->kind != YAML_MAPPING)
		return keys_refuse(reader, node,
			"'env' must be a mapping of variables ('NAME: value'); %s",
			keys_found(reader, node));
	const char **entries =
		arena_alloc(reader->arena, (yaml_count(node) + 1) * sizeof(*entries));

	for (const struct yaml_node *at = node->first; at; at = at->next) {
		if (!is_variable_name(at->key->text))
			return keys_refuse(reader, at->key,
				"'%.80s' cannot be the name of an environment variable: letters, digits and '_', not starting with a digit",
				at->key->text);
		const char *value = keys_text(reader, at, "a text: the variable's value");

		if (!value)
			return -1;
		entries[count++] = arena_printf(reader->arena, "%s=%s", at->key->text, value);
	}
	*env = entries;
	return 0;
}

/* Filled by the table. */
struct reading {
	struct workload workload;
	const struct yaml_file *judge; /* the file that the gate is taken from; NULL: its own */
};

static int
gate_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	struct reading *reading = into;

	if (reading->judge)
		return 0;
	return gate_section_read(
		reader, node, &reading->workload.gate, &reading->workload.overlays);
}

#define WORKLOAD(field) offsetof(struct workload, field)

const struct key workload_keys[] = {
	{.name = "name",
		.type = KEY_TEXT,
		.offset = WORKLOAD(name),
		.valid = keys_is_name,
		.wants =
			"letters, digits, '_', '.' and '-', at most 100, not starting with '.' or '-': it names folders"},
	{.name = "summary", .type = KEY_TEXT, .offset = WORKLOAD(summary)},
	{.name = "build", .type = KEY_TEXT, .offset = WORKLOAD(build)},
	{.name = "run", .type = KEY_CUSTOM, .offset = WORKLOAD(run), .read = run_read},
	{.name = "setup", .type = KEY_TEXT, .offset = WORKLOAD(setup)},
	{.name = "teardown", .type = KEY_TEXT, .offset = WORKLOAD(teardown)},
	{.name = "env", .type = KEY_CUSTOM, .offset = WORKLOAD(env), .read = env_read},
	{.name = "stdin", .type = KEY_TEXT, .offset = WORKLOAD(stdin_path)},
	{.name = "cwd", .type = KEY_TEXT, .offset = WORKLOAD(cwd)},
	{.name = "capture",
		.type = KEY_SECTION,
		.offset = WORKLOAD(capture),
		.section = capture_keys,
		.read = capture_keys_check},
	{.name = "gate", .type = KEY_CUSTOM, .read = gate_read},
	{.name = NULL},
};

static const char *const no_env[] = {NULL};

/* The text of a key of `capture` in the file, which is not yet checked. */
static const char *
capture_text(const struct yaml_file *file, const char *key, const char *otherwise)
{
	const struct yaml_node *node = keys_find(keys_find(file->root, "capture"), key);

	return node && node->kind == YAML_SCALAR ? node->text : otherwise;
}

static int
read_judge(struct workload *workload, const struct yaml_file *judge, const char *metric,
	struct err *err)
{
	const struct key_reader reader = {.file = judge, .arena = &workload->arena, .err = err};
	const struct yaml_node *gate = keys_find(judge->root, "gate");

	if (gate && gate_section_read(&reader, gate, &workload->gate, &workload->overlays) < 0)
		return -1;
	/* Its metric may be another one there. */
	if (!cost_same_unit(metric, workload->capture.metric))
		gate_drop_costs(&workload->arena, &workload->gate, &workload->overlays);
	return 0;
}

static int
read_root(struct reading *reading, const struct yaml_file *file, const char *default_metric,
	struct err *err)
{
	struct workload *workload = &reading->workload;
	struct key_reader reader = {.file = file, .arena = &workload->arena, .err = err};
	struct yaml_node start = {.line = 1, .column = 1};

	if (!file->root)
		return keys_refuse(&reader, &start,
			"the file is empty; a workload has at least 'name' and 'run'");
	if (keys_read(&reader, file->root, "a workload", workload_keys, reading) < 0)
		return -1;
	if (!workload->name)
		return keys_refuse(&reader, file->root,
			"'name' is missing: the name in reports and baselines");
	if (!workload->run)
		return keys_refuse(&reader, file->root,
			"'run' is missing: the command to measure, such as [./program, --rounds, 60]");
	if (reading->judge)
		return read_judge(workload, reading->judge,
			capture_text(reading->judge, "metric", default_metric), err);
	return cost_check_units(&reader, keys_find(file->root, "gate"), workload->capture.metric);
}

static void
lay_over(const struct gate_overlay *overlay, struct gate_overlay *over)
{
	gate_overlay_apply(overlay, &over->values);
	over->set |= overlay->set;
}

/*
 * A workload of a counted metric starts from the settings in `counted`, in every mode: its own
 * settings override these, and have to be consistent with these only. Costs in `counted` are of
 * instructions.
 */
static void
start_from_counted(struct workload *workload, const char *metric)
{
	struct gate_overlays *overlays = &workload->overlays;

	if (!cost_same_unit(metric, "instructions"))
		gate_overlay_drop_costs(&overlays->counted);
	gate_overlay_apply(&overlays->counted, &workload->gate);
	lay_over(&overlays->counted, &overlays->stored);
	lay_over(&overlays->counted, &overlays->paired);
	overlays->counted.set = 0;
}

/* With the event `instructions`, the counter of the machine, the metric is sampled. */
static bool
is_counted(const char *metric, const char *event)
{
	const struct metric *found = metric_find(metric);

	return found && found->counted && strcmp(event, "instructions") != 0;
}

static void
start_from(struct workload *workload, const struct yaml_file *file, const struct config *config)
{
	const struct capture_policy *capture = &config->capture;
	const char *metric = capture_text(file, "metric", capture->metric);
	const char *event = capture_text(file, "event", capture->event);

	workload->capture = *capture;
	workload->gate = config->gate;
	workload->overlays = config->overlays;
	if (!cost_same_unit(metric, capture->metric))
		gate_drop_costs(&workload->arena, &workload->gate, &workload->overlays);
	if (is_counted(metric, event))
		start_from_counted(workload, metric);
}

int
workload_read_judged_by(struct workload *workload, const char *path, const struct config *config,
	const struct yaml_file *judge, struct err *err)
{
	struct reading reading = {.workload = {.summary = "", .env = no_env}, .judge = judge};
	struct yaml_file file;

	if (yaml_parse_file(&file, path, err) < 0)
		return -1;
	reading.workload.path = arena_strdup(&reading.workload.arena, path);
	start_from(&reading.workload, &file, config);
	int result = read_root(&reading, &file, config->capture.metric, err);

	*workload = reading.workload;
	yaml_release(&file);
	if (result < 0) {
		workload_release(workload);
		return -1;
	}
	waivers_select(&workload->gate, &workload->arena, workload->name);
	workload_hash(workload, workload->hash);
	return 0;
}

int
workload_read(
	struct workload *workload, const char *path, const struct config *config, struct err *err)
{
	return workload_read_judged_by(workload, path, config, NULL, err);
}

void
workload_release(struct workload *workload)
{
	arena_release(&workload->arena);
	*workload = (struct workload){0};
}
