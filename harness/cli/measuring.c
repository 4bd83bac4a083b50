#include "cli/measuring.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

int
measuring_load_config(const struct measuring *given, struct config *config, struct err *err)
{
	const char *path = given->config_path;

	config_init(config);
	if (!path && file_exists(CONFIG_PATH))
		path = CONFIG_PATH;
	if (path && config_read(config, path, err) < 0) {
		config_release(config);
		return -1;
	}
	if (given->baselines_dir)
		config->baselines_dir = given->baselines_dir;
	if (given->reports_dir)
		config->reports_dir = given->reports_dir;
	if (given->keep_perfdata)
		config->keep_perfdata = true;
	return 0;
}

static void
override(const struct measuring *given, struct capture_policy *capture)
{
	if (given->event)
		capture->event = given->event;
	if (given->pin)
		capture->pin = given->pin;
	if (given->frequency_hz > 0)
		capture->frequency_hz = given->frequency_hz;
	if (given->runs > 0)
		capture->runs = given->runs;
	if (given->max_runs > 0)
		capture->max_runs = given->max_runs;
	if (capture->max_runs < capture->runs)
		capture->max_runs = capture->runs;
}

int
measuring_load(const struct measuring *given, const struct cli_arguments *arguments,
	struct config *config, struct workload_list *list, struct err *err)
{
	if (given->runs > 0 && given->runs < 3)
		return err_set(err, ERR_USAGE,
			"'--runs %u': at least 3 runs are needed to know a spread", given->runs);
	if (measuring_load_config(given, config, err) < 0)
		return -1;
	if (workload_list_read(list, arguments->items, arguments->count, config, err) < 0) {
		config_release(config);
		return -1;
	}
	for (size_t i = 0; i < list->nworkloads; i++)
		override(given, &list->workloads[i].capture);
	return 0;
}

static bool
needs_quotes(const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "-_=./,:+@%";

	return *text == '\0' || strspn(text, plain) != strlen(text);
}

char *
measuring_command_line(int argc, char **argv)
{
	struct buf line = {0};

	buf_puts(&line, "profile_run");
	for (int i = 0; i < argc; i++) {
		buf_putc(&line, ' ');
		if (!needs_quotes(argv[i])) {
			buf_puts(&line, argv[i]);
			continue;
		}
		buf_putc(&line, '\'');
		for (const char *c = argv[i]; *c; c++) {
			if (*c == '\'')
				buf_puts(&line, "'\\''");
			else
				buf_putc(&line, *c);
		}
		buf_putc(&line, '\'');
	}
	char *text = mem_strdup(buf_text(&line));

	buf_release(&line);
	return text;
}
