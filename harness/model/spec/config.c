/*
 * The configuration (CONFIG_PATH): the settings of all workloads, read with the file of waivers
 * beside it.
 */
#include "spec/workload.h"

#include "base/file.h"
#include "profile/metric.h"
#include "spec/sections_internal.h"
#include "spec/waivers.h"

#include <string.h>

/* A week: more is a mistake. */
#define BUDGET_MAX_S 604800

#define WAIVERS_NAME "waivers.yaml"

static int
general_gate_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	struct config *config = into;

	return gate_read(reader, node, NULL, &config->gate, &config->overlays);
}

/* Once the settings for all metrics are known: each section of one starts from these. */
static int
read_metric_gates(const struct key_reader *reader, struct config *config)
{
	const struct yaml_node *gate = keys_find(reader->file->root, "gate");
	struct metric_gate *gates = NULL;

	for (const struct metric *metric = metrics; metric->name; metric++) {
		const struct yaml_node *node = gate_of_metric(gate, metric->name);
		struct gate_section section = {config->gate, config->overlays};

		if (!node)
			continue;
		gate_begin_metric(
			&config->arena, &section, config->capture.metric, metric->name, "auto");
		if (gate_section_read(reader, node, &section.gate, &section.overlays) < 0)
			return -1;
		if (!gates)
			config->metric_gates = gates =
				arena_alloc(&config->arena, MEASURE_METRICS_MAX * sizeof(*gates));
		gates[config->nmetric_gates++] =
			(struct metric_gate){metric->name, section.gate, section.overlays};
	}
	return 0;
}

bool
config_is_source_url(const char *text)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				    "-._~:/?#@!$&+,;=%";
	static const char *const fields[] = {"{path}", "{commit}", "{line}"};
	bool has_path = false;

	if (strncmp(text, "https://", 8) != 0 && strncmp(text, "http://", 7) != 0)
		return false;
	const char *at = strchr(text, '/') + 2;
	size_t host = strcspn(at, "/?#{");

	if (host == 0 || strspn(at, plain) < host)
		return false;
	while (*(at += strspn(at, plain))) {
		size_t i = 0;

		while (i < sizeof(fields) / sizeof(fields[0]) &&
			strncmp(at, fields[i], strlen(fields[i])) != 0)
			i++;
		if (i == sizeof(fields) / sizeof(fields[0]))
			return false;
		has_path = has_path || i == 0;
		at += strlen(fields[i]);
	}
	return has_path;
}

static bool
is_source_url(const char *text)
{
	return strcmp(text, "none") == 0 || config_is_source_url(text);
}

#define CONFIG(field) offsetof(struct config, field)

const struct key config_keys[] = {
	{.name = "capture",
		.type = KEY_SECTION,
		.offset = CONFIG(capture),
		.section = capture_keys,
		.read = capture_keys_check},
	{.name = "gate", .type = KEY_CUSTOM, .read = general_gate_read},
	{.name = "budget",
		.type = KEY_DURATION,
		.offset = CONFIG(budget_s),
		.min = 0,
		.max = BUDGET_MAX_S},
	{.name = "build_timeout",
		.type = KEY_DURATION,
		.offset = CONFIG(build_timeout_s),
		.min = 1,
		.max = BUDGET_MAX_S,
		.defaults = {"1h"}},
	{.name = "prepare", .type = KEY_BOOL, .offset = CONFIG(prepare)},
	{.name = "waivers", .type = KEY_TEXT, .offset = CONFIG(waivers_path)},
	{.name = "allow_head_waivers", .type = KEY_BOOL, .offset = CONFIG(allow_head_waivers)},
	{.name = "workloads",
		.type = KEY_TEXT,
		.offset = CONFIG(workloads_dir),
		.defaults = {WORKLOADS_PATH}},
	{.name = "baselines",
		.type = KEY_TEXT,
		.offset = CONFIG(baselines_dir),
		.defaults = {"baselines"}},
	{.name = "count_instructions",
		.type = KEY_BOOL,
		.offset = CONFIG(count_instructions),
		.defaults = {"true"}},
	{.name = "reports",
		.type = KEY_TEXT,
		.offset = CONFIG(reports_dir),
		.defaults = {"reports"}},
	{.name = "machine_class",
		.type = KEY_TEXT,
		.offset = CONFIG(machine_class),
		.valid = keys_is_name,
		.wants =
			"a name of letters, digits, '_', '.' and '-', at most 100, not starting with '.' or '-'"},
	{.name = "source_url",
		.type = KEY_TEXT,
		.offset = CONFIG(source_url),
		.valid = is_source_url,
		.wants =
			"'none', or a URL such as 'https://host/name/blob/{commit}/{path}#L{line}', of http or https and with {path}"},
	{.name = "coverage", .type = KEY_SECTION},
	{.in = "coverage",
		.name = "min",
		.type = KEY_PERCENT,
		.offset = CONFIG(coverage_min),
		.max = 1},
	{.name = "keep_perfdata", .type = KEY_BOOL, .offset = CONFIG(keep_perfdata)},
	{.name = NULL},
};

void
config_init(struct config *config)
{
	*config = (struct config){
		.options = "",
		.gate = gate_policy_defaults(),
		.overlays = gate_overlays_defaults(),
	};
	keys_defaults(config_keys, 0, config);
	keys_defaults(capture_keys, 0, &config->capture);
}

void
config_release(struct config *config)
{
	arena_release(&config->arena);
	*config = (struct config){0};
}

static int
read_root(const struct key_reader *reader, struct config *config)
{
	const struct yaml_node *root = reader->file->root;

	if (keys_read(reader, root, "a configuration", config_keys, config) < 0)
		return -1;
	if (cost_check_units(reader, keys_find(root, "gate"), config->capture.metric) < 0)
		return -1;
	return read_metric_gates(reader, config);
}

const char *
config_waivers_beside(struct config *config, const char *path)
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path) + 1 : 0;

	return arena_printf(&config->arena, "%.*s" WAIVERS_NAME, folder, path);
}

/* The file beside the configuration, if it is there and none is named. */
static const char *
find_waivers(struct config *config, const char *path)
{
	const char *beside = config_waivers_beside(config, path);

	if (config->waivers_path || !file_exists(beside))
		return config->waivers_path;
	return beside;
}

int
config_read_waivers(struct config *config, const char *path, struct err *err)
{
	config->waivers_path = find_waivers(config, path);
	if (!config->waivers_path)
		return 0;
	return waivers_read(&config->gate, &config->arena, config->waivers_path, err);
}

int
config_read_parsed(struct config *config, const struct yaml_file *file, struct err *err)
{
	struct key_reader reader = {.file = file, .arena = &config->arena, .err = err};

	/* An empty configuration leaves all defaults. */
	return file->root ? read_root(&reader, config) : 0;
}

int
config_read(struct config *config, const char *path, struct err *err)
{
	struct yaml_file file;

	if (yaml_parse_file(&file, path, err) < 0)
		return -1;
	int result = config_read_parsed(config, &file, err);

	yaml_release(&file);
	return result < 0 ? -1 : config_read_waivers(config, path, err);
}
