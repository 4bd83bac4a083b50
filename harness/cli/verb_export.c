#include "base/file.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "output/export.h"
#include "pipeline/replay.h"

#include <string.h>

struct export_call {
	const char *to;
	const char *output;
};

static int
refuse_format(const char *name, struct err *err)
{
	err_set(err, ERR_USAGE, "'--to %s': there is no such format", name);
	for (size_t i = 0; export_formats[i]; i++)
		err_note(err, "%s: %s", export_formats[i]->name, export_formats[i]->summary);
	return err_note(err, "json: verdict.json");
}

static int
export_report(const struct cli_call *call, void *context, struct err *err)
{
	const struct export_call *asked = context;
	const struct report_output *format =
		strcmp(asked->to, "json") == 0 ? &output_json : export_format_find(asked->to);
	struct buf out = {0};

	if (call->arguments.count != 1) {
		err_set(err, ERR_USAGE,
			"expected one argument: a report folder, or a replay.bin in it");
		return cli_usage_error(call->verb, err);
	}
	if (!format)
		return refuse_format(asked->to, err);
	int result = replay_write(call->arguments.items[0], format, &out, err);

	if (result == 0 && asked->output)
		result = file_write(asked->output, buf_text(&out), out.len, err);
	else if (result == 0)
		buf_put(call->text, buf_text(&out), out.len);
	buf_release(&out);
	return result;
}

static int
run(const struct cli_call *call, struct err *err)
{
	struct export_call asked = {0};
	const struct cli_option options[] = {
		{"to", 't', OPTION_NEEDED_TEXT, "FORMAT", &asked.to,
			"github-action-benchmark, bencher, openmetrics, sarif or json (verdict.json)"},
		{"output", 'o', OPTION_TEXT, "FILE", &asked.output, "default: standard output"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, export_report, &asked, err);
}

const struct cli_verb verb_export = {
	.name = "export",
	.usage = "FILE|REPORT --to FORMAT [options]",
	.summary = "write the verdict of a report in the format of another tool",
	.takes_arguments = true,
	.run = run,
};
