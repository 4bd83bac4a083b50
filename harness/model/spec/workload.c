#include "spec/workload.h"

#include "base/exit_status_set.h"
#include "profile/metric.h"
#include "spec/sections_internal.h"
#include "spec/waivers.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * The key `inputs` of a workload: files outside git that every build of it reads from the working
 * tree.
 */

#define INPUTS_MAX 64

/* Whether a path stays below the folder that it starts from: relative, and without "..". */
static bool
stays_below(const char *path)
{
	if (path[0] == '/' || path[0] == '\0')
		return false;
	for (const char *at = path; *at; at += *at == '/') {
		size_t len = strcspn(at, "/");

		if (len == 2 && strncmp(at, "..", 2) == 0)
			return false;
		at += len;
	}
	return true;
}

static int
inputs_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	const char ***inputs = into;
	size_t count = 0;

	if (node->kind != YAML_SEQUENCE || !node->first)
		return keys_refuse(reader, node,
			"'inputs' must be a list of files or patterns, such as [data/*.bin]; %s",
			keys_found(reader, node));
	if (yaml_count(node) > INPUTS_MAX)
		return keys_refuse(reader, node, "'inputs' has at most %d entries", INPUTS_MAX);
	const char **all = arena_alloc(reader->arena, (yaml_count(node) + 1) * sizeof(*all));

	for (const struct yaml_node *at = node->first; at; at = at->next) {
		const char *text = keys_text(reader, at, "a text: a file or a pattern");

		if (!text)
			return -1;
		if (!stays_below(text))
			return keys_refuse(reader, at,
				"'%.80s' is not a path in the working tree: 'inputs' has relative "
				"paths without '..' (a file elsewhere is read by both builds anyway)",
				text);
		all[count++] = text;
	}
	all[count] = NULL;
	*inputs = all;
	return 0;
}

/*
 * The keys of what a run writes and returns: `stdout` and `exit_codes`.
 */

static int
stdout_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	const char **path = into;
	const char *text = keys_text(reader, node, "'pipe', 'discard' or a file");

	if (!text)
		return -1;
	if (text[0] == '\0')
		return keys_refuse(reader, node,
			"'stdout' is an empty text: expected 'pipe', 'discard' or a file");
	*path = strcmp(text, "pipe") == 0      ? NULL
		: strcmp(text, "discard") == 0 ? "/dev/null"
					       : text;
	return 0;
}

static int
exit_codes_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	struct exit_status_set *codes = into;

	if (node->kind != YAML_SEQUENCE || !node->first)
		return keys_refuse(reader, node,
			"'exit_codes' must be a list of numbers from 0 to 255, such as [0, 1]; %s",
			keys_found(reader, node));
	*codes = (struct exit_status_set){{0}};
	for (const struct yaml_node *at = node->first; at; at = at->next) {
		const char *text = at->kind == YAML_SCALAR ? at->text : "";
		const size_t len = strlen(text);
		const long code =
			len > 0 && len < 4 && strspn(text, "0123456789") == len ? atol(text) : -1;

		if (code < 0 || code > 255)
			return keys_refuse(reader, at, "an exit code is a number from 0 to 255; %s",
				keys_found(reader, at));
		exit_status_set_add(codes, (uint8_t)code);
	}
	return 0;
}

/*
 * The key `requires` of a workload: the programs that it cannot be measured without, and the
 * packages that have them.
 */

#define REQUIRED_MAX 32
#define NAME_BYTES_MAX 255

/* Without what a terminal or a log would act upon. */
static bool
is_printable(const char *text)
{
	size_t len = 0;

	while ((unsigned char)text[len] > ' ' && text[len] != 0x7f)
		len++;
	return len > 0 && text[len] == '\0' && len <= NAME_BYTES_MAX;
}

/* It becomes part of a command that people copy. */
static bool
is_package(const char *text)
{
	static const char valid[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789+-._:";

	return text[0] != '\0' && text[0] != '-' && text[strspn(text, valid)] == '\0';
}

static int
read_program(const struct key_reader *reader, const struct yaml_node *node, const char *text,
	struct requirement *to)
{
	if (!text)
		return -1;
	if (!is_printable(text))
		return keys_refuse(reader, node,
			"'requires' has the name of a program, or its path, which may have wildcards: "
			"found '%.80s'",
			text);
	to->program = arena_strdup(reader->arena, text);
	return 0;
}

static int
read_package(const struct key_reader *reader, const struct yaml_node *node, struct requirement *to)
{
	const char *package = keys_text(reader, node, "a package, such as redis-tools");

	if (!package)
		return -1;
	if (!is_package(package))
		return keys_refuse(
			reader, node, "'%.80s' cannot be the name of a package", package);
	to->package = package;
	return 0;
}

static int
requires_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	const bool is_list = node->kind == YAML_SEQUENCE;
	const struct requirement **requires = into;
	size_t count = 0;

	if ((!is_list && node->kind != YAML_MAPPING) || !node->first)
		return keys_refuse(reader, node,
			"'requires' must be a list of programs, or a mapping of programs to their "
			"packages ('redis-benchmark: redis-tools'); %s",
			keys_found(reader, node));
	if (yaml_count(node) > REQUIRED_MAX)
		return keys_refuse(
			reader, node, "'requires' has at most %d programs", REQUIRED_MAX);
	struct requirement *all = arena_alloc(reader->arena, (yaml_count(node) + 1) * sizeof(*all));

	for (const struct yaml_node *at = node->first; at; at = at->next, count++) {
		const char *text =
			is_list ? keys_text(reader, at, "a text: a program") : at->key->text;

		all[count] = (struct requirement){0};
		if (read_program(reader, is_list ? at : at->key, text, &all[count]) < 0 ||
			(!is_list && read_package(reader, at, &all[count]) < 0))
			return -1;
	}
	all[count] = (struct requirement){0};
	*requires = all;
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
	const struct workload_source *source;
};

/* The text of a key of `capture` in the file, which is not yet checked. */
static const char *
capture_text(const struct yaml_file *file, const char *key, const char *otherwise)
{
	const struct yaml_node *node = keys_find(keys_find(file->root, "capture"), key);

	return node && node->kind == YAML_SCALAR ? node->text : otherwise;
}

/* Likewise the file's first metric. */
static const char *
first_metric(const struct yaml_file *file, const struct config *config)
{
	const char *listed = measure_metric(file, 0);

	return listed ? listed : capture_text(file, "metric", config->capture.metric);
}

/* Reads the `gate` of a file over that of the workload, as far as it is meant for its metric. */
static int
read_gate(const struct key_reader *reader, struct workload *workload, const struct config *config)
{
	const char *first = first_metric(reader->file, config);
	const char *metric = workload->capture.metric;
	const struct gate_metric of = {
		.name = metric,
		.first = first,
		.is_further = measure_metric(reader->file, 0) && strcmp(first, metric) != 0,
	};

	return gate_read(reader, keys_find(reader->file->root, "gate"), &of, &workload->gate,
		&workload->overlays);
}

static int
own_gate_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	struct reading *reading = into;

	(void)node;
	if (reading->source->judge)
		return 0;
	return read_gate(reader, &reading->workload, reading->source->config);
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
	{.name = "requires",
		.type = KEY_CUSTOM,
		.offset = WORKLOAD(requires),
		.read = requires_read},
	{.name = "inputs", .type = KEY_CUSTOM, .offset = WORKLOAD(inputs), .read = inputs_read},
	{.name = "build", .type = KEY_TEXT, .offset = WORKLOAD(build)},
	{.name = "run", .type = KEY_CUSTOM, .offset = WORKLOAD(run), .read = command_read},
	{.name = "suite", .type = KEY_CUSTOM, .offset = WORKLOAD(suite), .read = suite_key_read},
	{.name = "include",
		.type = KEY_CUSTOM,
		.offset = WORKLOAD(include),
		.read = suite_patterns_read},
	{.name = "exclude",
		.type = KEY_CUSTOM,
		.offset = WORKLOAD(exclude),
		.read = suite_patterns_read},
	{.name = "service", .type = KEY_CUSTOM, .offset = WORKLOAD(service), .read = service_read},
	{.name = "latency",
		.type = KEY_CUSTOM,
		.offset = WORKLOAD(latency),
		.read = latency_keys_read},
	{.name = "setup", .type = KEY_TEXT, .offset = WORKLOAD(setup)},
	{.name = "teardown", .type = KEY_TEXT, .offset = WORKLOAD(teardown)},
	{.name = "env", .type = KEY_CUSTOM, .offset = WORKLOAD(env), .read = env_read},
	{.name = "stdin", .type = KEY_TEXT, .offset = WORKLOAD(stdin_path)},
	{.name = "stdout",
		.type = KEY_CUSTOM,
		.offset = WORKLOAD(stdout_path),
		.read = stdout_read},
	{.name = "exit_codes",
		.type = KEY_CUSTOM,
		.offset = WORKLOAD(exit_codes),
		.read = exit_codes_read},
	{.name = "cwd", .type = KEY_TEXT, .offset = WORKLOAD(cwd)},
	{.name = "measure", .type = KEY_CUSTOM, .offset = WORKLOAD(measured), .read = measure_read},
	{.name = "capture",
		.type = KEY_SECTION,
		.offset = WORKLOAD(capture),
		.section = capture_keys,
		.read = capture_keys_check},
	{.name = "gate", .type = KEY_CUSTOM, .read = own_gate_read},
	{.name = NULL},
};

const char *const *
workload_measuring_keys(void)
{
	static const char *const keys[] = {"name", "inputs", "build", "run", "suite", "include",
		"exclude", "service", "latency", "setup", "teardown", "env", "stdin", "stdout",
		"exit_codes", "cwd", "measure", "capture", NULL};

	return keys;
}

static const char *const no_env[] = {NULL};

static int
check_measured(const struct key_reader *reader, const struct workload *workload)
{
	const struct yaml_node *root = reader->file->root;
	const struct yaml_node *metric = keys_find(keys_find(root, "capture"), "metric");
	const char *const alone[] = {workload->capture.metric, NULL};

	if (workload->measured && metric)
		return keys_refuse(reader, metric->key,
			"'metric' and 'measure' cannot be combined: put '%s' into 'measure'",
			workload->capture.metric);
	return gate_check_measured(
		reader, keys_find(root, "gate"), workload->measured ? workload->measured : alone);
}

/* Limits of what is not reported, and reports that go elsewhere. */
static int
check_latency(const struct key_reader *reader, const struct workload *workload)
{
	static const char *const sections[] = {"latency", "per_op"};

	if (workload->latency && !workload->latency->file && workload->stdout_path)
		return keys_refuse(reader, keys_find(reader->file->root, "stdout")->key,
			"'latency' is read from standard output: leave 'stdout' out, or name a "
			"'file' in 'latency'");

	for (size_t i = 0; i < 2 && !workload->latency; i++) {
		const struct yaml_node *limits =
			keys_find(keys_find(reader->file->root, "gate"), sections[i]);

		if (limits)
			return keys_refuse(reader, limits->key,
				"'%s' needs a key 'latency' in the workload, which reads what the "
				"driver reports",
				sections[i]);
	}
	return 0;
}

/* By the file that judges: whether a workload may be skipped is part of the policy. */
static int
read_judged(const struct key_reader *reader, struct workload *workload,
	const struct workload_source *source)
{
	const struct key_reader judging = {
		.file = source->judge, .arena = reader->arena, .err = reader->err};
	const struct yaml_node *requires = keys_find(source->judge->root, "requires");

	workload->requires = NULL;
	if (requires && requires_read(&judging, requires, &workload->requires) < 0)
		return -1;
	return read_gate(&judging, workload, source->config);
}

static int
read_root(struct reading *reading, const struct yaml_file *file, struct err *err)
{
	struct workload *workload = &reading->workload;
	const struct workload_source *source = reading->source;
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
	if (suite_keys_check(&reader, workload) < 0)
		return -1;
	if (!workload->run)
		return keys_refuse(&reader, file->root,
			"'run' is missing: the command to measure, such as [./program, --rounds, 60]");
	if (check_measured(&reader, workload) < 0 || check_latency(&reader, workload) < 0)
		return -1;
	if (source->judge)
		return read_judged(&reader, workload, source);
	const struct yaml_node *gate = keys_find(file->root, "gate");
	const char *first = workload->measured ? workload->measured[0] : workload->capture.metric;

	return rules_check_metric(&reader, gate, first, workload->measured) < 0
		       ? -1
		       : cost_check_units(&reader, gate, first);
}

static void
start_from(struct workload *workload, const struct yaml_file *file,
	const struct workload_source *source)
{
	const struct config *config = source->config;
	const char *metric = source->metric ? source->metric : first_metric(file, config);
	struct gate_section section = {.gate = config->gate, .overlays = config->overlays};
	size_t i = 0;

	workload->capture = config->capture;
	workload->build_timeout_s = config->build_timeout_s;
	workload->capture.metric = arena_strdup(&workload->arena, metric);
	while (i < config->nmetric_gates && strcmp(config->metric_gates[i].metric, metric) != 0)
		i++;
	if (i < config->nmetric_gates) {
		section.gate = config->metric_gates[i].gate;
		section.overlays = config->metric_gates[i].overlays;
	} else {
		gate_begin_metric(&workload->arena, &section, config->capture.metric, metric,
			capture_text(file, "event", config->capture.event));
	}
	workload->gate = section.gate;
	workload->overlays = section.overlays;
	workload->gate.waivers_list = config->gate.waivers_list;
	workload->gate.nwaivers = config->gate.nwaivers;
}

/* The server is measured; `run` is its driver. */
static void
settle_service(struct workload *workload)
{
	struct service *service = workload->service;

	if (!service)
		return;
	service->driver = workload->run;
	service->cwd = workload->cwd;
	service->env = workload->env;
	workload->run = service->own.argv;
}

/* The settings in `capture` that are of the first metric do not hold for the others. */
static void
settle_metric(struct workload *workload, const struct yaml_file *file)
{
	struct capture_policy *capture = &workload->capture;
	const struct metric *metric = metric_find(capture->metric);
	const struct yaml_node *section = keys_find(file->root, "capture");
	bool is_further = false;

	workload->file_name = workload->name;
	if (!workload->measured)
		return;
	if (strcmp(workload->measured[0], capture->metric) != 0) {
		is_further = true;
		workload->name =
			arena_printf(&workload->arena, "%s.%s", workload->name, capture->metric);
		capture->event = "auto";
	}
	/* Counts of a server depend on how requests come together: the set number holds. */
	if (metric && metric->counted &&
		((is_further && !workload->service) || !keys_find(section, "runs")))
		capture->runs = capture->max_runs < CAPTURE_RUNS_COUNTED ? capture->max_runs
									 : CAPTURE_RUNS_COUNTED;
}

int
workload_read_from(struct workload *workload, const struct workload_source *source, struct err *err)
{
	struct reading reading = {.workload = {.summary = "", .env = no_env}, .source = source};
	struct yaml_file file;

	if (yaml_parse_file(&file, source->path, err) < 0)
		return -1;
	reading.workload.path = arena_strdup(&reading.workload.arena, source->path);
	start_from(&reading.workload, &file, source);
	int result = read_root(&reading, &file, err);

	*workload = reading.workload;
	if (result == 0) {
		settle_metric(workload, &file);
		settle_service(workload);
		workload->folder = workload->name;
		workload->stored_name = workload->file_name;
	}
	yaml_release(&file);
	if (result < 0) {
		workload_release(workload);
		return -1;
	}
	waivers_select(&workload->gate, &workload->arena, workload->name);
	rules_select(&workload->arena, &workload->gate, workload->capture.metric);
	workload_hash_work(workload);
	return 0;
}

int
workload_read(
	struct workload *workload, const char *path, const struct config *config, struct err *err)
{
	const struct workload_source source = {.path = path, .config = config};

	return workload_read_from(workload, &source, err);
}

void
workload_count_instead(struct workload *workload)
{
	struct capture_policy *capture = &workload->capture;

	gate_drop_costs(&workload->arena, &workload->gate, &workload->overlays);
	/* It has its own thresholds for counts that were asked for. */
	workload->overlays.counted.set = 0;
	workload->counted_instead = true;
	capture->metric = METRIC_INSTRUCTIONS;
	capture->event = "auto";
	capture->skip_s = 0;
	if (capture->runs > CAPTURE_RUNS_COUNTED)
		capture->runs = CAPTURE_RUNS_COUNTED;
	workload_hash_work(workload);
}

void
workload_release(struct workload *workload)
{
	arena_release(&workload->arena);
	*workload = (struct workload){0};
}
