#include "cli/input.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "profile/folded.h"

static int
convert(const char *input, const char *output, bool runs, struct err *err)
{
	struct profile profile;
	struct buf text = {0};

	if (input_read(&profile, input, err) < 0)
		return -1;
	folded_write(&profile, runs ? FOLDED_RUNS : FOLDED_SUM, &text);
	profile_release(&profile);
	return input_write_result(&text, output, err);
}

static int
run(const struct cli_verb *verb, int argc, char **argv, int *exit_code, struct err *err)
{
	const char *input = NULL;
	const char *output = "-";
	bool runs = false;
	struct cli_arguments arguments;
	const struct cli_option options[] = {
		{"input", 'i', OPTION_TEXT, "FILE", &input,
			"perf.data, folded text or perf script text; - is standard input"},
		{"output", 'o', OPTION_TEXT, "FILE", &output, "default: standard output"},
		{"runs", 0, OPTION_FLAG, NULL, &runs,
			"one weight a run, with the header, instead of their sum"},
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
			result = convert(input, output, runs, err);
	}
	cli_arguments_release(&arguments);
	return result;
}

extern const struct cli_verb verb_convert;

const struct cli_verb verb_convert = {
	.name = "convert",
	.usage = "--input FILE [--output FILE] [--runs]",
	.summary = "write a profile as folded text",
	.run = run,
};
