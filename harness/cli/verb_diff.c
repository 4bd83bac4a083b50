#include "base/file.h"
#include "base/mem.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "compare/comparison.h"
#include "output/analysis.h"
#include "output/flamegraph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct diff_request {
	const char *before;
	const char *after;
	const char *output;
	struct input_choice choice;
	unsigned top;
	bool full_names;
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

static bool
has_costs(const struct profile *profile)
{
	for (size_t run = 0; run < profile->nruns; run++)
		if (profile->runs[run].cost_total > 0)
			return true;
	return false;
}

/* Makes one run of all. */
static void
sum_runs(struct profile *profile)
{
	struct ctree *tree = &profile->tree;
	double *sums = mem_zalloc(tree->nnodes, sizeof(*sums));
	double total = 0;

	ctree_sum(tree, 0, profile->nruns, sums);
	profile_drop_runs(profile, 0);
	size_t column = profile_add_run(profile);

	for (size_t node = 1; node < tree->nnodes; node++) {
		total += sums[node];
		if (sums[node] > 0)
			ctree_add(tree, column, (node_id)node, sums[node]);
	}
	profile->runs[column].samples = (uint64_t)llround(total);
	free(sums);
}

/*
 * Folded text without runs is a sum, of who knows how many. Beside it, runs of which nothing but
 * the weights is known are a sum, too: their mean would be less by their number.
 */
static void
match_sums(struct profile *before, struct profile *after)
{
	if ((before->nruns == 1) == (after->nruns == 1) || has_costs(before) || has_costs(after))
		return;
	sum_runs(before->nruns > 1 ? before : after);
}

static int
diff(const struct cli_call *call, const struct cli_arguments *arguments, void *context,
	struct err *err)
{
	const struct diff_request *request = context;
	const char *const paths[2] = {request->before, request->after};
	struct profile sides[2];
	struct comparison comparison;
	struct comparison_options options = {
		.alpha = 0.05,
		.min_share = 0.01,
		.session_spread = 0.02,
		.full_names = request->full_names,
	};

	if (cli_no_arguments(call->verb, arguments, err) < 0 ||
		input_read_two(sides, paths, &request->choice, err) < 0)
		return -1;
	match_sums(&sides[0], &sides[1]);
	comparison_make(&comparison, &sides[0], &sides[1], &options);
	profile_release(&sides[1]);
	profile_release(&sides[0]);
	int result = write_diff(request, &comparison, err);

	comparison_release(&comparison);
	return result;
}

static int
run(const struct cli_call *call, struct err *err)
{
	struct diff_request request = {0};
	struct flamegraph_options *drawing = &request.drawing;
	const struct cli_option options[] = {
		{"before", 0, OPTION_NEEDED_TEXT, "FILE", &request.before, INPUT_HELP},
		{"after", 0, OPTION_NEEDED_TEXT, "FILE", &request.after,
			"the same, of the changed program"},
		{"output", 'o', OPTION_NEEDED_TEXT, "SVG", &request.output,
			"the differential flame graph; what changed most is printed as text"},
		{"top", 'n', OPTION_COUNT, "N", &request.top, "functions to print (default 20)"},
		{"title", 0, OPTION_TEXT, "TEXT", &drawing->title, "heading of the picture"},
		{"width", 0, OPTION_COUNT, "PX", &drawing->width_px, "default: 1200"},
		{"icicle", 0, OPTION_FLAG, NULL, &drawing->icicle, "root at the top"},
		{"full-names", 0, OPTION_FLAG, NULL, &request.full_names,
			"keep a function's clones and versions apart"},
		INPUT_OPTIONS(request.choice),
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, diff, &request, err);
}

const struct cli_verb verb_diff = {
	.name = "diff",
	.usage = "--before FILE --after FILE --output SVG [options]",
	.summary = "draw the difference of two profiles",
	.run = run,
};
