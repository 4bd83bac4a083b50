#include "cli/input.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "output/analysis.h"

#include <stdlib.h>
#include <unistd.h>

static int
analyze(const char *input, unsigned top, struct err *err)
{
	struct profile profile;
	struct buf text = {0};
	struct analysis_options options = {
		.top = top, .colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR")};

	if (input_read(&profile, input, err) < 0)
		return -1;
	analysis_write(&profile, &options, &text);
	profile_release(&profile);
	return input_write_result(&text, "-", err);
}

static int
run(const struct cli_verb *verb, int argc, char **argv, int *exit_code, struct err *err)
{
	const char *input = NULL;
	unsigned top = 0;
	struct cli_arguments arguments;
	const struct cli_option options[] = {
		{"input", 'i', OPTION_TEXT, "FILE", &input,
			"perf.data, folded text or perf script text; - is standard input"},
		{"top", 'n', OPTION_COUNT, "N", &top, "functions to show (default 20)"},
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
			result = analyze(input, top, err);
	}
	cli_arguments_release(&arguments);
	return result;
}

extern const struct cli_verb verb_analyze;

const struct cli_verb verb_analyze = {
	.name = "analyze",
	.usage = "--input FILE [--top N]",
	.summary = "print where a profile's time goes",
	.run = run,
};
