#include "cli/measuring.h"

#include "base/buf.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* The options that choose which baseline a workload has, as they were given. */
static const char *
list_options(const struct measuring *given, struct arena *arena)
{
	const struct {
		const char *option;
		const char *value;
	} texts[] = {{"--config", given->config_path}, {"--baselines", given->baselines_dir},
		{"--event", given->event}, {"--pin", given->pin}};
	struct buf out = {0};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (!texts[i].value)
			continue;
		buf_printf(&out, " %s ", texts[i].option);
		escape_shell_word(&out, texts[i].value);
	}
	if (given->frequency_hz > 0)
		buf_printf(&out, " --frequency %g", given->frequency_hz);
	const char *options = arena_strdup(arena, buf_text(&out));

	buf_release(&out);
	return options;
}

int
measuring_load_config(struct measuring *measuring, struct err *err)
{
	struct config *config = &measuring->config;
	const char *path = measuring->config_path;

	config_init(config);
	if (!path)
		root_enter(&measuring->root);
	const char *prefix = measuring->root.prefix;
	const struct policy_place place = {
		.path = path ? path : CONFIG_PATH,
		.started = path     ? NULL
			   : prefix ? prefix
				    : "",
	};
	bool there = path || file_exists(CONFIG_PATH);

	if ((there ? config_read(config, place.path, err)
		   : config_read_waivers(config, place.path, err)) < 0 ||
		(measuring->policy_ref &&
			policy_from_read_config(&measuring->policy_from, measuring->policy_ref,
				&place, config, err) < 0)) {
		measuring_release(measuring);
		return -1;
	}
	if (measuring->baselines_dir)
		config->baselines_dir = root_path(&measuring->root, measuring->baselines_dir);
	if (measuring->reports_dir)
		config->reports_dir = root_path(&measuring->root, measuring->reports_dir);
	config->options = list_options(measuring, &config->arena);
	config->keep_perfdata = config->keep_perfdata || measuring->keep_perfdata;
	config->prepare = config->prepare || measuring->prepare;
	return 0;
}

/* The event and the number of runs are those of a workload's first metric. */
static void
override(const struct measuring *given, struct workload *workload)
{
	struct capture_policy *capture = &workload->capture;

	if (given->pin)
		capture->pin = given->pin;
	if (workload->measured && strcmp(workload->measured[0], capture->metric) != 0)
		return;
	if (given->event)
		capture->event = given->event;
	if (given->frequency_hz > 0)
		capture->frequency_hz = given->frequency_hz;
	if (given->runs > 0)
		capture->runs = given->runs;
	if (given->max_runs > 0)
		capture->max_runs = given->max_runs;
	if (capture->max_runs < capture->runs)
		capture->max_runs = capture->runs;
}

/* Paths of files and folders are relative to where we were started; other arguments are names. */
static int
read_workloads(struct measuring *measuring, const struct cli_arguments *arguments, struct err *err)
{
	const char **paths = mem_zalloc(arguments->count + 1, sizeof(*paths));

	for (size_t i = 0; i < arguments->count; i++) {
		const char *given = arguments->items[i];
		const char *path = root_path(&measuring->root, given);

		paths[i] = strchr(given, '/') || file_is_dir(path) ||
					   (strchr(given, '.') && file_exists(path))
				   ? path
				   : given;
	}
	int result = measuring->policy_ref ? policy_from_read_workloads(&measuring->policy_from,
						     &measuring->workloads, paths, arguments->count,
						     &measuring->config, err)
					   : workload_list_read(&measuring->workloads, paths,
						     arguments->count, &measuring->config, err);

	free(paths);
	return result;
}

int
measuring_load(struct measuring *measuring, const struct cli_arguments *arguments, struct err *err)
{
	struct workload_list *list = &measuring->workloads;

	if (measuring->runs > 0 && measuring->runs < 3)
		return err_set(err, ERR_USAGE,
			"'--runs %u': at least 3 runs are needed to estimate the variance",
			measuring->runs);
	if (measuring_load_config(measuring, err) < 0)
		return -1;
	if (measuring->root.prefix)
		log_info("running in '%s', the root of the benchmarks", measuring->root.dir);
	if (read_workloads(measuring, arguments, err) < 0) {
		measuring_release(measuring);
		return -1;
	}
	for (size_t i = 0; i < list->nworkloads; i++)
		override(measuring, &list->workloads[i]);
	return 0;
}

void
measuring_release(struct measuring *measuring)
{
	workload_list_release(&measuring->workloads);
	config_release(&measuring->config);
	policy_from_release(&measuring->policy_from);
	root_release(&measuring->root);
}

static bool
is_among(const struct cli_arguments *words, const char *word)
{
	for (size_t i = 0; words && i < words->count; i++)
		if (words->items[i] == word)
			return true;
	return false;
}

/* How many words from here on are an option with one of the values: "--name=value" is one. */
static int
words_of_option(int argc, char **argv, const char *const *values)
{
	for (; values && *values; values++) {
		const char *end = argv[0] + strlen(argv[0]);

		if (argc > 1 && argv[1] == *values)
			return 2;
		if (*values > argv[0] && *values <= end)
			return 1;
	}
	return 0;
}

char *
measuring_command_line(
	int argc, char **argv, const struct cli_arguments *without, const char *const *values)
{
	struct buf line = {0};

	buf_puts(&line, "profile_run");
	for (int i = 0; i < argc; i++) {
		int skipped = words_of_option(argc - i, argv + i, values);

		if (skipped > 0 || is_among(without, argv[i])) {
			i += skipped > 1;
			continue;
		}
		buf_putc(&line, ' ');
		escape_shell_word(&line, argv[i]);
	}
	char *text = mem_strdup(buf_text(&line));

	buf_release(&line);
	return text;
}
