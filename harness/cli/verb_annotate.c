#include "base/file.h"
#include "base/mem.h"
#include "cli/confine.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "pipeline/annotate.h"
#include "profile/functions.h"

#include <stdlib.h>
#include <string.h>

#define NAMES_SHOWN 3

struct request {
	const char *input; /* the only side; NULL: before and after are two */
	const char *before;
	const char *after;
	const char *source;
	const char *source_before;
	struct input_choice choice;
	bool assembly;
};

/* One side, read. */
struct side {
	struct profile profile;
	struct line_weights weights;
};

/* Names the functions with most weight that have the text in their name. */
static void
note_similar(const struct profile *profile, const char *text, struct err *err)
{
	struct functions functions;

	functions_init(&functions, profile);
	for (unsigned shown = 0; shown < NAMES_SHOWN; shown++) {
		double most = 0;
		frame_id found = 0;

		for (frame_id i = 1; i < profile->frames.nframes; i++) {
			const double total = functions_total(&functions, i, 0, functions.ncolumns);

			if (total > most && strstr(profile_frame_name(profile, i), text)) {
				most = total;
				found = i;
			}
		}
		if (!found)
			break;
		err_note(err, "there is '%s'", profile_frame_name(profile, found));
		for (size_t i = 0; i < functions.ncolumns; i++)
			functions.total[found * functions.ncolumns + i] = 0;
	}
	functions_release(&functions);
}

/* The perf.data of a folder that a capture or a gate wrote, else the path itself. */
static char *
data_path(const char *path)
{
	char *inside = file_join(path, "perf.data");

	if (file_is_dir(path) && file_exists(inside))
		return inside;
	free(inside);
	return mem_strdup(path);
}

static int
read_side(struct side *side, const char *path, const char *function,
	const struct input_choice *choice, struct err *err)
{
	struct input_choice with_lines = *choice;
	char *data = data_path(path);

	line_weights_init(&side->weights, function);
	with_lines.options.lines = &side->weights;
	int result = input_read(&side->profile, data, &with_lines, err);

	free(data);
	if (result == 0 && side->weights.total <= 0) {
		err_set(err, ERR_INPUT, "%s: no stack has a function named '%s'", path, function);
		note_similar(&side->profile, function, err);
		profile_release(&side->profile);
		result = -1;
	}
	if (result < 0)
		line_weights_release(&side->weights);
	return result;
}

static void
release_side(struct side *side)
{
	profile_release(&side->profile);
	line_weights_release(&side->weights);
}

static int
check_usage(const struct cli_call *call, const struct request *request, struct err *err)
{
	if (call->arguments.count != 1)
		err_set(err, ERR_USAGE, "expected the name of one function");
	else if (request->input ? request->before || request->after
				: !request->before || !request->after)
		err_set(err, ERR_USAGE,
			"expected '--input FILE', or '--before FILE' and '--after FILE'");
	else if (request->source_before && request->input)
		err_set(err, ERR_USAGE, "'--source-before' is for '--before' and '--after'");
	else
		return 0;
	return cli_usage_error(call->verb, err);
}

static int
annotate(const struct cli_call *call, void *context, struct err *err)
{
	const struct request *request = context;
	const char *paths[2] = {request->input ? request->input : request->before, request->after};
	const char *folders[2] = {
		request->input ? request->source : request->source_before, request->source};
	const size_t nsides = request->input ? 1 : 2;
	struct side sides[2];
	const struct confinement confinement = {.debuginfod = request->choice.debuginfod};
	size_t nread = 0;
	int result = check_usage(call, request, err);

	if (result < 0)
		return -1;
	enum confined confined = confine(call, &confinement, err);

	if (confined != CONFINED_INSIDE)
		return (int)confined;

	while (result == 0 && nread < nsides) {
		result = read_side(&sides[nread], paths[nread], call->arguments.items[0],
			&request->choice, err);
		nread += result == 0;
	}
	if (result == 0) {
		struct annotate_request wanted = {
			.nsides = nsides,
			.root = request->choice.symfs,
			.listing = request->assembly,
		};

		for (size_t i = 0; i < nsides; i++)
			wanted.sides[i] = (struct annotation_side){
				&sides[i].profile, &sides[i].weights, folders[i]};
		annotate_function(&wanted, call->text);
	}
	while (nread > 0)
		release_side(&sides[--nread]);
	return result;
}

static int
run(const struct cli_call *call, struct err *err)
{
	struct request request = {0};
	const struct cli_option options[] = {
		{"input", 'i', OPTION_TEXT, "FILE", &request.input,
			"perf.data or callgrind, or a folder of 'capture'; - is standard input"},
		{"before", 0, OPTION_TEXT, "FILE", &request.before,
			"the same, to compare: of the program before a change"},
		{"after", 0, OPTION_TEXT, "FILE", &request.after, "... and after it"},
		{"source", 's', OPTION_TEXT, "DIR", &request.source,
			"where the sources are (default: where the debug information says)"},
		{"source-before", 0, OPTION_TEXT, "DIR", &request.source_before,
			"where those of '--before' are"},
		{"assembly", 'a', OPTION_FLAG, NULL, &request.assembly,
			"all instructions of the function, too, in their order"},
		INPUT_TIME_OPTIONS(request.choice),
		INPUT_OPTIONS(request.choice),
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, annotate, &request, err);
}

const struct cli_verb verb_annotate = {
	.name = "annotate",
	.usage = "FUNCTION {--input FILE | --before FILE --after FILE} [options]",
	.summary = "print a function's source lines and instructions with their weights",
	.takes_arguments = true,
	.is_confined = true,
	.run = run,
};
