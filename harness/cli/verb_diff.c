#include "base/file.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "compare/comparison.h"
#include "output/analysis.h"
#include "output/flamegraph.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct diff_request {
	const char *before;
	const char *after;
	const char *output;
	unsigned top;
	struct flamegraph_options drawing;
};

static int
write_diff(const struct diff_request *request, const struct comparison *comparison, struct err *err)
{
	struct analysis_options text_options = {
		.top = request->top, .colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR")};
	struct buf svg = {0};
	struct buf text = {0};

	flamegraph_write_diff(comparison, &request->drawing, &svg);
	if (input_write_result(&svg, request->output, err) < 0)
		return -1;
	if (strcmp(request->output, "-") == 0)
		return 0;
	analysis_write_diff(comparison, &text_options, &text);
	return input_write_result(&text, "-", err);
}

static int
diff(const struct diff_request *request, struct err *err)
{
	struct profile before;
	struct profile after;
	struct comparison comparison;
	struct comparison_options options = {
		.alpha = 0.05, .min_share = 0.01, .session_spread = 0.02};

	if (input_read(&before, request->before, err) < 0)
		return -1;
	if (input_read(&after, request->after, err) < 0) {
		profile_release(&before);
		return -1;
	}
	comparison_make(&comparison, &before, &after, &options);
	int result = write_diff(request, &comparison, err);

	comparison_release(&comparison);
	profile_release(&after);
	profile_release(&before);
	return result;
}

static int
run(const struct cli_verb *verb, int argc, char **argv, int *exit_code, struct err *err)
{
	struct diff_request request = {0};
	struct cli_arguments arguments;
	const struct cli_option options[] = {
		{"before", 0, OPTION_TEXT, "FILE", &request.before,
			"perf.data, folded text or perf script text"},
		{"after", 0, OPTION_TEXT, "FILE", &request.after,
			"the same, of the changed program"},
		{"output", 'o', OPTION_TEXT, "SVG", &request.output,
			"the differential flame graph; what changed most is printed as text"},
		{"top", 'n', OPTION_COUNT, "N", &request.top, "functions to print (default 20)"},
		{"title", 0, OPTION_TEXT, "TEXT", &request.drawing.title, "heading of the picture"},
		{"width", 0, OPTION_COUNT, "PX", &request.drawing.width_px, "default: 1200"},
		{"icicle", 0, OPTION_FLAG, NULL, &request.drawing.icicle, "root at the top"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	(void)exit_code;
	if (cli_options_parse(verb, argc, argv, options, &arguments, err) < 0)
		return -1;
	int result = 0;

	if (!arguments.help_shown) {
		if (cli_no_arguments(verb, &arguments, err) < 0 ||
			cli_require(verb, "before", request.before, err) < 0 ||
			cli_require(verb, "after", request.after, err) < 0 ||
			cli_require(verb, "output", request.output, err) < 0)
			result = -1;
		else
			result = diff(&request, err);
	}
	cli_arguments_release(&arguments);
	return result;
}

extern const struct cli_verb verb_diff;

const struct cli_verb verb_diff = {
	.name = "diff",
	.usage = "--before FILE --after FILE --output SVG [options]",
	.summary = "draw the difference of two profiles",
	.run = run,
};
