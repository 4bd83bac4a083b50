#include "base/colour.h"
#include "cli/confine.h"
#include "cli/input.h"
#include "cli/match_sides.h"
#include "cli/options.h"
#include "cli/picture.h"
#include "cli/verb.h"
#include "compare/adjust.h"
#include "compare/comparison.h"
#include "flamegraph/flamegraph.h"
#include "output/changes.h"
#include "profile/profile.h"
#include "profile/weights.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ALPHA 0.05
#define LEAST_WIDTH_PX 300
#define MOST_WIDTH_PX 20000
#define LEAST_ROW_PX 16
#define MOST_ROW_PX 200
#define MOST_FRAMES 1000000

struct diff_request {
	const char *input; /* holds both sides; NULL: before and after do */
	const char *before;
	const char *after;
	const char *output;
	struct input_choice choice;
	unsigned top;
	bool full_names;
	bool no_normalise;
	bool force_units;
	struct flamegraph_options drawing;
};

static int
write_diff(const struct cli_call *call, const struct diff_request *request,
	const struct comparison *comparison, struct err *err)
{
	struct buf svg = {0};

	flamegraph_write_diff(comparison, &request->drawing, &svg);
	if (picture_write(&svg, request->output, err) < 0)
		return -1;
	if (strcmp(request->output, "-") != 0)
		changes_write_diff(
			comparison, request->top, colour_wanted(STDOUT_FILENO), call->text);
	return 0;
}

static void
compare(const struct diff_request *request, const struct profile *before,
	const struct profile *after, struct comparison *comparison)
{
	bool counted = weights_are_counted(before) && weights_are_counted(after);
	const struct comparison_options options = {
		.mode = counted ? COMPARISON_EXACT : COMPARISON_STORED,
		.alpha = ALPHA,
		.min_share = 0.01,
		.full_names = request->full_names,
		.plain_costs = request->no_normalise,
		.one_yardstick = true,
	};

	comparison_make(comparison, before, after, &options);
	comparison_adjust_alone(comparison, ALPHA);
}

/* One side may have no weight, but not both. */
static int
check_weights(const struct profile sides[2], const char *const paths[2], struct err *err)
{
	for (size_t i = 0; i < 2; i++)
		for (size_t run = 0; run < sides[i].nruns; run++)
			if (profile_column_total(&sides[i], run) > 0)
				return 0;
	err_set(err, ERR_INPUT, "%s, %s: all weights of both sides are 0", paths[0], paths[1]);
	return err_note(err, "record at least one of them again: there is nothing to compare");
}

/* Compares the two sides in one file, which has two weights a line. */
static int
compare_pair(struct diff_request *request, struct comparison *comparison, struct err *err)
{
	struct profile both;
	struct run_view sides[2];

	request->choice.options.pair = true;
	if (input_read(&both, request->input, &request->choice, err) < 0)
		return -1;
	for (size_t i = 0; i < 2; i++) {
		run_view_init(&sides[i], &both);
		run_view_add(&sides[i], i);
	}
	compare(request, &sides[0].profile, &sides[1].profile, comparison);
	run_view_release(&sides[1]);
	run_view_release(&sides[0]);
	profile_release(&both);
	return 0;
}

static int
compare_two(struct diff_request *request, struct comparison *comparison, struct err *err)
{
	const char *const paths[2] = {request->before, request->after};
	struct profile sides[2];

	request->choice.options.may_weigh_nothing = true;
	if (input_read_two(sides, paths, &request->choice, err) < 0)
		return -1;
	int result = check_weights(sides, paths, err);

	if (result == 0)
		result = quantity_check(
			&sides[0], paths[0], &sides[1], paths[1], request->force_units, err);
	if (result == 0) {
		match_sides(&sides[0], &sides[1]);
		compare(request, &sides[0], &sides[1], comparison);
	}
	profile_release(&sides[1]);
	profile_release(&sides[0]);
	return result;
}

/* Checks the number of an option; 0: it was not given. */
static int
check_range(const char *option, unsigned value, unsigned least, unsigned most, struct err *err)
{
	if (value == 0 || (value >= least && value <= most))
		return 0;
	return err_set(err, ERR_USAGE, "'--%s %u': expected a number from %u to %u", option, value,
		least, most);
}

static int
check_usage(const struct cli_call *call, const struct diff_request *request, struct err *err)
{
	const struct flamegraph_options *drawing = &request->drawing;

	if (request->input && (request->before || request->after))
		err_set(err, ERR_USAGE,
			"'--input' holds both sides: give it without '--before' and '--after'");
	else if (!request->input && (!request->before || !request->after))
		err_set(err, ERR_USAGE,
			"expected '--before FILE' and '--after FILE', or '--input FILE' with both sides");
	else if (check_range("width", drawing->width_px, LEAST_WIDTH_PX, MOST_WIDTH_PX, err) == 0 &&
		 check_range("height", drawing->row_px, LEAST_ROW_PX, MOST_ROW_PX, err) == 0 &&
		 check_range("max-frames", drawing->max_frames, 1, MOST_FRAMES, err) == 0)
		return 0;
	return cli_usage_error(call->verb, err);
}

static int
diff(const struct cli_call *call, void *context, struct err *err)
{
	struct diff_request *request = context;
	struct comparison comparison;

	if (check_usage(call, request, err) < 0)
		return -1;
	enum confined confined =
		confine_picture(call, request->output, request->choice.debuginfod, err);

	if (confined != CONFINED_INSIDE)
		return (int)confined;
	request->drawing.still = picture_is_png(request->output);
	if ((request->input ? compare_pair(request, &comparison, err)
			    : compare_two(request, &comparison, err)) < 0)
		return -1;
	int result = write_diff(call, request, &comparison, err);

	comparison_release(&comparison);
	return result;
}

static int
run_diff(const struct cli_call *call, struct err *err)
{
	struct diff_request request = {0};
	struct flamegraph_options *drawing = &request.drawing;
	const struct cli_option options[] = {
		{"before", 0, OPTION_TEXT, "FILE", &request.before, INPUT_HELP},
		{"after", 0, OPTION_TEXT, "FILE", &request.after,
			"the same for the changed program"},
		{"input", 'i', OPTION_TEXT, "FILE", &request.input,
			"both sides in one file: folded text with two weights per line, as difffolded.pl writes, or pprof of -diff_base"},
		{"output", 'o', OPTION_NEEDED_TEXT, "SVG", &request.output,
			"the differential flame graph, FILE.png by rsvg-convert; the largest changes are printed as text"},
		{"top", 'n', OPTION_COUNT, "N", &request.top, "functions to print (default 20)"},
		{"title", 0, OPTION_TEXT, "TEXT", &drawing->title, "heading of the picture"},
		{"subtitle", 0, OPTION_TEXT, "TEXT", &drawing->subtitle, "a line below it"},
		{"notes", 0, OPTION_TEXT, "TEXT", &drawing->notes, "more text below that"},
		{"width", 0, OPTION_COUNT, "PX", &drawing->width_px, "default: 1200"},
		{"height", 0, OPTION_COUNT, "PX", &drawing->row_px, "of a frame; default: 22"},
		{"max-frames", 0, OPTION_COUNT, "N", &drawing->max_frames,
			"keep the N widest; default: as many as fit into 1.2 MB"},
		{"icicle", 0, OPTION_FLAG, NULL, &drawing->icicle, "root at the top"},
		{"negate", 0, OPTION_FLAG, NULL, &drawing->negate,
			"swap the hues: growth blue, shrinking red"},
		{"no-normalise", 0, OPTION_FLAG, NULL, &request.no_normalise,
			"compare costs as they are, not relative to the rest of the program"},
		{"full-names", 0, OPTION_FLAG, NULL, &request.full_names,
			"keep a function's clones and versions apart"},
		FORCE_UNITS_OPTION(request.force_units),
		INPUT_OPTIONS(request.choice),
		{"inverted", 0, OPTION_FLAG, NULL, &drawing->icicle, "flamegraph.pl's --icicle"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, diff, &request, err);
}

const struct cli_verb verb_diff = {
	.name = "diff",
	.usage = "{--before FILE --after FILE | --input FILE} --output SVG [options]",
	.summary = "draw the difference of two profiles",
	.is_confined = true,
	.is_styled = true,
	.run = run_diff,
};
