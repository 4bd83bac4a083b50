#include "base/file.h"
#include "cli/confine.h"
#include "cli/options.h"
#include "cli/picture.h"
#include "cli/verb.h"
#include "output/comment.h"
#include "output/output.h"
#include "replay/replay.h"
#include "spec/keys.h"

#include <string.h>

struct export_call {
	const char *to;
	const char *output;
	struct comment_options comment;
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
check_url(const char *option, const char *url, bool is_comment, struct err *err)
{
	if (!url)
		return 0;
	if (!is_comment)
		return err_set(err, ERR_USAGE, "'%s' is for '--to comment'", option);
	if (!comment_is_url(url))
		return err_set(err, ERR_USAGE,
			"'%s %.100s': expected a URL of http or https of at most %d characters, "
			"without blanks, quotes and brackets",
			option, url, COMMENT_URL_MAX);
	return 0;
}

static int
check_comment(const struct comment_options *comment, bool is_comment, struct err *err)
{
	if (comment->marker && !is_comment)
		return err_set(err, ERR_USAGE, "'--marker' is for '--to comment'");
	/* "--" would end the HTML comment that it stands in. */
	if (comment->marker && (!keys_is_name(comment->marker) || strstr(comment->marker, "--")))
		return err_set(err, ERR_USAGE,
			"'--marker %.100s': expected letters, digits, '_', '.' and single '-'",
			comment->marker);
	if (check_url("--page", comment->page, is_comment, err) < 0 ||
		check_url("--picture", comment->picture, is_comment, err) < 0 ||
		check_url("--vector", comment->vector, is_comment, err) < 0)
		return -1;
	return check_url("--run", comment->run, is_comment, err);
}

static int
write_comment(
	const char *path, const struct comment_options *options, struct buf *out, struct err *err)
{
	struct report_view view;
	struct replay *replay = replay_open(path, err);

	if (!replay)
		return -1;
	report_view_init(&view, replay_report(replay));
	comment_write(&view, options, out);
	report_view_release(&view);
	replay_close(replay);
	return 0;
}

/* Writes the result to --output or standard output; a picture also as PNG. */
static int
write_result(const struct cli_call *call, const struct export_call *args,
	const struct report_output *format, struct buf *out, struct err *err)
{
	if (format == &export_picture && out->len == 0)
		return err_set(err, ERR_INPUT,
			"no workload of the report was compared: there is no picture");
	if (!args->output) {
		buf_put(format->has_commands ? call->commands : call->text, buf_text(out),
			out->len);
		return 0;
	}
	if (format == &export_picture)
		return picture_write(out, args->output, err);
	return file_write(args->output, buf_text(out), out->len, err);
}

static int
export_report(const struct cli_call *call, void *context, struct err *err)
{
	const struct export_call *args = context;
	const struct report_output *format =
		strcmp(args->to, "json") == 0 ? &output_json : export_format_find(args->to);
	struct buf out = {0};

	if (call->arguments.count != 1) {
		err_set(err, ERR_USAGE,
			"expected one argument: a report folder, or a replay.bin in it");
		return cli_usage_error(call->verb, err);
	}
	if (!format)
		return refuse_format(args->to, err);
	bool is_comment = format == &export_comment;

	if (check_comment(&args->comment, is_comment, err) < 0)
		return -1;
	const struct confinement confinement = {
		.file = args->output,
		.programs =
			format == &export_picture && args->output && picture_is_png(args->output),
	};
	enum confined confined = confine(call, &confinement, err);

	if (confined != CONFINED_INSIDE)
		return confined;
	int result = is_comment ? write_comment(call->arguments.items[0], &args->comment, &out, err)
				: replay_write(call->arguments.items[0], format, &out, err);

	if (result == 0)
		result = write_result(call, args, format, &out, err);
	buf_release(&out);
	return result;
}

static int
run_export(const struct cli_call *call, struct err *err)
{
	struct export_call args = {0};
	const struct cli_option options[] = {
		{"to", 't', OPTION_NEEDED_TEXT,
			"github-action-benchmark|bencher|openmetrics|sarif|ctrf|gitlab-code-quality|"
			"gitlab-metrics|github-check|azure|teamcity|buildkite|comment|picture|json",
			&args.to,
			"comment: of a pull request; picture: SVG, or PNG by the name of the output; json: verdict.json"},
		{"output", 'o', OPTION_TEXT, "FILE", &args.output, "default: standard output"},
		{"page", 0, OPTION_TEXT, "URL", &args.comment.page,
			"comment: a link to the report"},
		{"picture", 0, OPTION_TEXT, "URL", &args.comment.picture,
			"comment: an image that shows what changed"},
		{"vector", 0, OPTION_TEXT, "URL", &args.comment.vector,
			"comment: a link to the same image as SVG"},
		{"run", 0, OPTION_TEXT, "URL", &args.comment.run,
			"comment: a link to the run of the workflow"},
		{"marker", 0, OPTION_TEXT, "NAME", &args.comment.marker,
			"comment: distinguishes several comments on one pull request (default: gate)"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, export_report, &args, err);
}

const struct cli_verb verb_export = {
	.name = "export",
	.usage = "FILE|REPORT --to FORMAT [options]",
	.summary = "write the verdict of a report in the format of another tool",
	.takes_arguments = true,
	.is_confined = true,
	.is_data = true,
	.run = run_export,
};
