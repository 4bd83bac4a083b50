#include "base/file.h"
#include "base/mem.h"
#include "cli/command_settings.h"
#include "cli/confine.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "output/explanation.h"
#include "replay/replay.h"

#include <stdlib.h>
#include <string.h>

struct explain_call {
	struct command_settings settings;
	bool json;
};

/* Explains a finding of the report in `path`; confined. */
static int
write_explanation(const char *path, const char *wanted, bool json, struct buf *out, struct err *err)
{
	struct explanation explanation;
	struct report_view view;
	struct replay *replay = replay_open(path, err);

	if (!replay)
		return -1;
	report_view_init(&view, replay_report(replay));
	const int result = explanation_init(&explanation, &view, wanted, err);

	if (result == 0 && json)
		explanation_put_json(&explanation, out);
	else if (result == 0)
		explanation_put_text(&explanation, out);
	explanation_release(&explanation);
	report_view_release(&view);
	replay_close(replay);
	return result;
}

static int
explain(const struct cli_call *call, void *context, struct err *err)
{
	struct explain_call *args = context;
	const struct cli_arguments *words = &call->arguments;
	const struct confinement confinement = {0};

	if (words->count < 1 || words->count > 2) {
		err_set(err, ERR_USAGE,
			"expected a report folder, a replay.bin in it or 'latest', and which finding");
		return cli_usage_error(call->verb, err);
	}
	if (command_settings_load_config(&args->settings, err) < 0)
		return -1;
	const bool is_latest = strcmp(words->items[0], "latest") == 0;
	char *latest = file_join(args->settings.config.reports_dir, "latest");
	const char *path = is_latest ? latest : root_path(&args->settings.root, words->items[0]);
	int result = confine(call, &confinement, err);

	if (result == CONFINED_INSIDE)
		result = write_explanation(path, words->count > 1 ? words->items[1] : NULL,
			args->json, call->text, err);
	free(latest);
	command_settings_release(&args->settings);
	return result;
}

static int
run_explain(const struct cli_call *call, struct err *err)
{
	struct explain_call args = {0};
	const struct cli_option options[] = {
		{"json", 0, OPTION_FLAG, NULL, &args.json, "as a JSON object"},
		{"reports", 'r', OPTION_TEXT, "DIR", &args.settings.reports_dir,
			"folder of the reports, for 'latest'"},
		{"config", 'c', OPTION_TEXT, "FILE", &args.settings.config_path,
			"configuration, for its folder of reports (default: " CONFIG_PATH
			", if there)"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, explain, &args, err);
}

const struct cli_verb verb_explain = {
	.name = "explain",
	.usage = "REPORT|latest [NUMBER|FUNCTION] [options]",
	.summary = "explain a finding on a page: cause, evidence, source, limits",
	.takes_arguments = true,
	.is_confined = true,
	.run = run_explain,
};
