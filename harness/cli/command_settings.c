#include "cli/command_settings.h"

#include "base/buf.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/*
 * The given options that choose the baseline of a workload, as text for a command that repeats
 * them.
 */
static const char *
list_options(const struct command_settings *settings, struct arena *arena)
{
	const struct {
		const char *option;
		const char *value;
	} texts[] = {{"--config", settings->config_path}, {"--baselines", settings->baselines_dir},
		{"--event", settings->event}, {"--pin", settings->pin}};
	struct buf out = {0};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (!texts[i].value)
			continue;
		buf_printf(&out, " %s ", texts[i].option);
		escape_shell_word(&out, texts[i].value);
	}
	if (settings->frequency_hz > 0)
		buf_printf(&out, " --frequency %g", settings->frequency_hz);
	const char *options = arena_strdup(arena, buf_text(&out));

	buf_release(&out);
	return options;
}

int
command_settings_load_config(struct command_settings *settings, struct err *err)
{
	struct config *config = &settings->config;
	const char *path = settings->config_path;

	config_init(config);
	if (!path)
		root_enter(&settings->root);
	const char *prefix = settings->root.prefix;
	const struct policy_place place = {
		.path = path ? path : CONFIG_PATH,
		.started = path     ? NULL
			   : prefix ? prefix
				    : "",
	};
	bool there = path || file_exists(CONFIG_PATH);

	if ((there ? config_read(config, place.path, err)
		   : config_read_waivers(config, place.path, err)) < 0 ||
		(settings->policy_ref && policy_from_read_config(&settings->policy_from,
						 settings->policy_ref, &place, config, err) < 0)) {
		command_settings_release(settings);
		return -1;
	}
	if (settings->baselines_dir)
		config->baselines_dir = root_path(&settings->root, settings->baselines_dir);
	if (settings->reports_dir)
		config->reports_dir = root_path(&settings->root, settings->reports_dir);
	config->options = list_options(settings, &config->arena);
	config->keep_perfdata = config->keep_perfdata || settings->keep_perfdata;
	config->prepare = config->prepare || settings->prepare;
	return 0;
}

/*
 * Applies the options to a workload. Event and number of runs apply to the first metric of its
 * file.
 */
static void
override(const struct command_settings *settings, struct workload *workload)
{
	struct capture_policy *capture = &workload->capture;

	if (settings->pin)
		capture->pin = settings->pin;
	if (workload->measured && strcmp(workload->measured[0], capture->metric) != 0)
		return;
	if (settings->event)
		capture->event = settings->event;
	if (settings->frequency_hz > 0)
		capture->frequency_hz = settings->frequency_hz;
	if (settings->runs > 0)
		capture->runs = settings->runs;
	if (settings->max_runs > 0)
		capture->max_runs = settings->max_runs;
	if (capture->max_runs < capture->runs)
		capture->max_runs = capture->runs;
}

/*
 * Reads the workloads. Arguments that are paths are relative to where we were started, others
 * names.
 */
static int
read_workloads(
	struct command_settings *settings, const struct cli_arguments *arguments, struct err *err)
{
	const char **paths = mem_zalloc(arguments->count + 1, sizeof(*paths));

	for (size_t i = 0; i < arguments->count; i++) {
		const char *name = arguments->items[i];
		const char *path = root_path(&settings->root, name);

		/* NAME/BENCHMARK is no path. */
		const bool is_path =
			strchr(name, '/') && (file_exists(path) || strchr("/.", name[0]) ||
						     workload_is_file_name(file_basename(name)));

		paths[i] = is_path || file_is_dir(path) || (strchr(name, '.') && file_exists(path))
				   ? path
				   : name;
	}
	int result = settings->policy_ref ? policy_from_read_workloads(&settings->policy_from,
						    &settings->workloads, paths, arguments->count,
						    &settings->config, err)
					  : workload_list_read(&settings->workloads, paths,
						    arguments->count, &settings->config, err);

	free(paths);
	return result;
}

int
command_settings_load(
	struct command_settings *settings, const struct cli_arguments *arguments, struct err *err)
{
	struct workload_list *list = &settings->workloads;

	if (settings->runs > 0 && settings->runs < 3)
		return err_set(err, ERR_USAGE,
			"'--runs %u': at least 3 runs are needed to estimate the variance",
			settings->runs);
	if (command_settings_load_config(settings, err) < 0)
		return -1;
	if (settings->root.prefix)
		log_info("running in '%s', the root of the benchmarks", settings->root.dir);
	if (read_workloads(settings, arguments, err) < 0) {
		command_settings_release(settings);
		return -1;
	}
	for (size_t i = 0; i < list->nworkloads; i++)
		override(settings, &list->workloads[i]);
	return 0;
}

void
command_settings_release(struct command_settings *settings)
{
	workload_list_release(&settings->workloads);
	config_release(&settings->config);
	policy_from_release(&settings->policy_from);
	root_release(&settings->root);
}
