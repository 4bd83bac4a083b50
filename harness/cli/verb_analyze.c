#include "analysis/analysis.h"
#include "base/colour.h"
#include "cli/confine.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/verb.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct request {
	const char *input;
	struct input_choice choice;
	const char *focus;
	unsigned top;
	bool callers;
};

/* The width of lines: enough for names, and not more than a person reads as one line. */
#define LEAST_COLUMNS 60
#define MOST_COLUMNS 200

/* The width of the terminal; 0, for a fixed width, if the output goes elsewhere. */
static size_t
output_columns(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 ||
		size.ws_col == 0)
		return 0;
	if (size.ws_col < LEAST_COLUMNS)
		return LEAST_COLUMNS;
	return size.ws_col < MOST_COLUMNS ? size.ws_col : MOST_COLUMNS;
}

static int
analyze(const struct cli_call *call, void *context, struct err *err)
{
	const struct request *request = context;
	struct profile profile;
	struct analysis_focus focus;
	struct analysis_options options = {
		.top = request->top,
		.colour = colour_wanted(STDOUT_FILENO),
		.by_labels = request->choice.by != NULL,
		.callers = request->callers,
		.columns = output_columns(),
		.packages = PACKAGE_LISTS,
	};

	if (request->focus && analysis_focus_check(request->focus, err) < 0)
		return -1;
	const struct confinement confinement = {.debuginfod = request->choice.debuginfod};
	enum confined confined = confine(call, &confinement, err);

	if (confined != CONFINED_INSIDE)
		return (int)confined;
	if (input_read(&profile, request->input, &request->choice, err) < 0)
		return -1;
	if (request->focus) {
		if (analysis_focus(&focus, &profile, request->focus, err) < 0) {
			profile_release(&profile);
			return -1;
		}
		options.focus = &focus;
	}
	analysis_write(&profile, &options, call->text);
	profile_release(&profile);
	return 0;
}

static int
run_analyze(const struct cli_call *call, struct err *err)
{
	struct request request = {0};
	const struct cli_option options[] = {
		{"input", 'i', OPTION_NEEDED_TEXT, "FILE", &request.input, INPUT_HELP},
		{"top", 'n', OPTION_COUNT, "N", &request.top, "functions to show (default 20)"},
		{"callers", 'c', OPTION_FLAG, NULL, &request.callers,
			"show the callers of each function, not its callees"},
		{"focus", 'f', OPTION_TEXT, "REGEX", &request.focus,
			"only stacks with a frame whose name matches"},
		INPUT_TIME_OPTIONS(request.choice),
		INPUT_OPTIONS(request.choice),
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, analyze, &request, err);
}

const struct cli_verb verb_analyze = {
	.name = "analyze",
	.usage = "--input FILE [--top N] [--callers] [--focus REGEX] [options]",
	.summary = "print the hotspots of a profile",
	.is_confined = true,
	.is_styled = true,
	.run = run_analyze,
};
