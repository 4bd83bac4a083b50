#include "cli/input.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "profile/folded.h"

struct request {
	const char *input;
	const char *output;
	bool runs;
};

static int
convert(const struct cli_call *call, const struct cli_arguments *arguments, void *context,
	struct err *err)
{
	const struct request *request = context;
	struct profile profile;
	struct buf text = {0};

	if (cli_no_arguments(call->verb, arguments, err) < 0 ||
		input_read(&profile, request->input, err) < 0)
		return -1;
	folded_write(&profile, request->runs ? FOLDED_RUNS : FOLDED_SUM, &text);
	profile_release(&profile);
	return input_write_result(&text, request->output, err);
}

static int
run(const struct cli_call *call, struct err *err)
{
	struct request request = {.output = "-"};
	const struct cli_option options[] = {
		{"input", 'i', OPTION_NEEDED_TEXT, "FILE", &request.input, INPUT_HELP},
		{"output", 'o', OPTION_TEXT, "FILE", &request.output, "default: standard output"},
		{"runs", 0, OPTION_FLAG, NULL, &request.runs,
			"one weight a run, with the header, instead of their sum"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, convert, &request, err);
}

const struct cli_verb verb_convert = {
	.name = "convert",
	.usage = "--input FILE [--output FILE] [--runs]",
	.summary = "write a profile as folded text",
	.run = run,
};
