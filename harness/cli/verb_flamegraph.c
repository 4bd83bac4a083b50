#include "cli/input.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "output/flamegraph.h"

static int
draw(const char *input, const char *output, const struct flamegraph_options *options,
	struct err *err)
{
	struct profile profile;
	struct buf svg = {0};

	if (input_read(&profile, input, err) < 0)
		return -1;
	flamegraph_write(&profile, 0, profile.nruns, options, &svg);
	profile_release(&profile);
	return input_write_result(&svg, output, err);
}

static int
run(const struct cli_verb *verb, int argc, char **argv, int *exit_code, struct err *err)
{
	struct flamegraph_options drawing = {0};
	const char *input = NULL;
	const char *output = "-";
	struct cli_arguments arguments;
	const struct cli_option options[] = {
		{"input", 'i', OPTION_TEXT, "FILE", &input,
			"perf.data, folded text or perf script text; - is standard input"},
		{"output", 'o', OPTION_TEXT, "SVG", &output, "default: standard output"},
		{"title", 0, OPTION_TEXT, "TEXT", &drawing.title, "heading of the picture"},
		{"subtitle", 0, OPTION_TEXT, "TEXT", &drawing.subtitle, "a line below it"},
		{"width", 0, OPTION_COUNT, "PX", &drawing.width_px, "default: 1200"},
		{"icicle", 0, OPTION_FLAG, NULL, &drawing.icicle, "root at the top"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	(void)exit_code;
	if (cli_options_parse(verb, argc, argv, options, &arguments, err) < 0)
		return -1;
	int result = 0;

	if (!arguments.help_shown) {
		if (cli_no_arguments(verb, &arguments, err) < 0 ||
			cli_require(verb, "input", input, err) < 0)
			result = -1;
		else
			result = draw(input, output, &drawing, err);
	}
	cli_arguments_release(&arguments);
	return result;
}

extern const struct cli_verb verb_flamegraph;

const struct cli_verb verb_flamegraph = {
	.name = "flamegraph",
	.usage = "--input FILE [--output SVG] [options]",
	.summary = "draw a profile as a flame graph",
	.run = run,
};
