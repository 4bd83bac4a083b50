#include "cli/input.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "output/flamegraph.h"

struct request {
	const char *input;
	struct input_choice choice;
	const char *output;
	struct flamegraph_options drawing;
};

static int
draw(const struct cli_call *call, const struct cli_arguments *arguments, void *context,
	struct err *err)
{
	const struct request *request = context;
	struct profile profile;
	struct buf svg = {0};

	if (cli_no_arguments(call->verb, arguments, err) < 0 ||
		input_read(&profile, request->input, &request->choice, err) < 0)
		return -1;
	flamegraph_write(&profile, 0, profile.nruns, &request->drawing, &svg);
	profile_release(&profile);
	return input_write_result(&svg, request->output, err);
}

static int
run(const struct cli_call *call, struct err *err)
{
	struct request request = {.output = "-"};
	struct flamegraph_options *drawing = &request.drawing;
	const struct cli_option options[] = {
		{"input", 'i', OPTION_NEEDED_TEXT, "FILE", &request.input, INPUT_HELP},
		{"output", 'o', OPTION_TEXT, "SVG", &request.output, "default: standard output"},
		{"title", 0, OPTION_TEXT, "TEXT", &drawing->title, "heading of the picture"},
		{"subtitle", 0, OPTION_TEXT, "TEXT", &drawing->subtitle, "a line below it"},
		{"width", 0, OPTION_COUNT, "PX", &drawing->width_px, "default: 1200"},
		{"icicle", 0, OPTION_FLAG, NULL, &drawing->icicle, "root at the top"},
		INPUT_OPTIONS(request.choice),
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, draw, &request, err);
}

const struct cli_verb verb_flamegraph = {
	.name = "flamegraph",
	.usage = "--input FILE [--output SVG] [options]",
	.summary = "draw a profile as a flame graph",
	.run = run,
};
