#include "cli/command_settings.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "mcp/mcp_server.h"
#include "process/process.h"

static int
serve(const struct cli_call *call, void *context, struct err *err)
{
	struct command_settings *settings = context;
	struct mcp_place place;
	int result;

	(void)call;
	if (command_settings_load_config(settings, err) < 0)
		return -1;
	signals_catch();
	result = mcp_place_init(&place, settings->root.prefix ? settings->root.prefix : "",
		settings->config.reports_dir, err);
	if (result == 0)
		result = mcp_serve(&place, err);
	mcp_place_release(&place);
	command_settings_release(settings);
	return result;
}

static int
run_mcp(const struct cli_call *call, struct err *err)
{
	struct command_settings settings = {0};
	const struct cli_option options[] = {
		{"reports", 'r', OPTION_TEXT, "DIR", &settings.reports_dir,
			"folder of the reports, for 'latest'"},
		{"config", 'c', OPTION_TEXT, "FILE", &settings.config_path,
			"configuration, for its folder of reports (default: " CONFIG_PATH
			", if there)"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, serve, &settings, err);
}

const struct cli_verb verb_mcp = {
	.name = "mcp",
	.usage = "[options]",
	.summary = "serve gate, explain, annotate, flamegraph and compare to a coding assistant",
	.run = run_mcp,
};
