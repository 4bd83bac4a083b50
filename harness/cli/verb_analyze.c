#include "cli/input.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "output/analysis.h"

#include <stdlib.h>
#include <unistd.h>

struct request {
	const char *input;
	struct input_choice choice;
	unsigned top;
};

static int
analyze(const struct cli_call *call, const struct cli_arguments *arguments, void *context,
	struct err *err)
{
	const struct request *request = context;
	struct profile profile;
	struct buf text = {0};
	struct analysis_options options = {
		.top = request->top, .colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR")};

	if (cli_no_arguments(call->verb, arguments, err) < 0 ||
		input_read(&profile, request->input, &request->choice, err) < 0)
		return -1;
	analysis_write(&profile, &options, &text);
	profile_release(&profile);
	return input_write_result(&text, "-", err);
}

static int
run(const struct cli_call *call, struct err *err)
{
	struct request request = {0};
	const struct cli_option options[] = {
		{"input", 'i', OPTION_NEEDED_TEXT, "FILE", &request.input, INPUT_HELP},
		{"top", 'n', OPTION_COUNT, "N", &request.top, "functions to show (default 20)"},
		INPUT_OPTIONS(request.choice),
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, analyze, &request, err);
}

const struct cli_verb verb_analyze = {
	.name = "analyze",
	.usage = "--input FILE [--top N] [options]",
	.summary = "print where a profile's time goes",
	.run = run,
};
