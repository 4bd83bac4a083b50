#include "analysis/analysis.h"
#include "base/mem.h"
#include "cli/confine.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/picture.h"
#include "cli/verb.h"
#include "flamegraph/flamegraph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_WIDTH_PX 300
#define MOST_WIDTH_PX 20000
#define DEFAULT_WIDTH_PX 1200
#define MOST_MIN_WIDTH_PX 1000
#define LEAST_ROW_PX 10
#define MOST_ROW_PX 200
#define MOST_FRAMES 1000000
#define THREADS_NAMED 8

struct request {
	const char *input;
	struct input_choice choice;
	const char *output;
	const char *palette;
	const char *min_width;
	const char *focus;
	bool sandwich;
	bool chart;
	const char *thread; /* of a chart */
	struct flamegraph_options drawing;
};

static int
choose_palette(const struct cli_call *call, struct request *request, struct err *err)
{
	static const struct {
		const char *name;
		enum flamegraph_colours colours;
	} palettes[] = {
		{"kind", FLAMEGRAPH_BY_KIND},
		{"module", FLAMEGRAPH_BY_MODULE},
		{"hot", FLAMEGRAPH_HOT},
		{"mono", FLAMEGRAPH_MONO},
	};

	for (size_t i = 0; i < sizeof(palettes) / sizeof(palettes[0]); i++) {
		if (strcmp(request->palette, palettes[i].name) == 0) {
			request->drawing.colours = palettes[i].colours;
			return 0;
		}
	}
	err_set(err, ERR_USAGE, "'--palette %s': expected kind, module, hot or mono",
		request->palette);
	return cli_usage_error(call->verb, err);
}

/* Parses --min-width: "0.5" pixels, or "1%" of the whole. */
static int
choose_min_width(const struct cli_call *call, struct request *request, struct err *err)
{
	unsigned width = request->drawing.width_px;
	char *end;
	double px = strtod(request->min_width, &end);

	if (end != request->min_width && strcmp(end, "%") == 0) {
		px *= (width > 0 ? width : DEFAULT_WIDTH_PX) / 100.0;
		end++;
	}
	if (end == request->min_width || *end != '\0' || !isfinite(px) || px < 0 ||
		px > MOST_MIN_WIDTH_PX) {
		err_set(err, ERR_USAGE,
			"'--min-width %s': expected pixels from 0 to %d such as 0.5, or a share of "
			"the whole such as 1%%",
			request->min_width, MOST_MIN_WIDTH_PX);
		return cli_usage_error(call->verb, err);
	}
	/* Less than a hundredth cannot be written; 0 would be the default. */
	request->drawing.min_width_px = fmax(px, 0.001);
	return 0;
}

/* Checks the number of an option; 0 stands for its default. */
static int
check_range(const struct cli_call *call, const char *option, unsigned value, unsigned least,
	unsigned most, struct err *err)
{
	if (value == 0 || (value >= least && value <= most))
		return 0;
	err_set(err, ERR_USAGE, "'--%s %u': expected %u to %u", option, value, least, most);
	return cli_usage_error(call->verb, err);
}

static int
check(const struct cli_call *call, struct request *request, struct err *err)
{
	struct flamegraph_options *drawing = &request->drawing;

	if (check_range(call, "width", drawing->width_px, LEAST_WIDTH_PX, MOST_WIDTH_PX, err) < 0 ||
		check_range(call, "height", drawing->row_px, LEAST_ROW_PX, MOST_ROW_PX, err) < 0 ||
		check_range(call, "max-frames", drawing->max_frames, 1, MOST_FRAMES, err) < 0 ||
		choose_palette(call, request, err) < 0)
		return -1;
	if (request->sandwich && (!request->focus || drawing->reversed || drawing->icicle)) {
		err_set(err, ERR_USAGE,
			"'--sandwich' needs '--focus NAME', and cannot be combined with '--icicle' or '--reverse'");
		return cli_usage_error(call->verb, err);
	}
	if (request->thread && !request->chart) {
		err_set(err, ERR_USAGE,
			"'--thread' needs '--chart'; '--tid' selects samples of a thread");
		return cli_usage_error(call->verb, err);
	}
	if (request->chart && (request->focus || drawing->reversed || drawing->unit)) {
		err_set(err, ERR_USAGE,
			"'--chart' cannot be combined with '--focus', '--reverse' or '--unit'");
		return cli_usage_error(call->verb, err);
	}
	return request->min_width ? choose_min_width(call, request, err) : 0;
}

static int
draw_sandwich(const struct request *request, const struct profile *profile, struct buf *svg,
	struct err *err)
{
	const char *name;
	bool *focus = analysis_focus_frames(profile, request->focus, &name, err);

	if (!focus)
		return -1;
	flamegraph_write_sandwich(profile, focus, name, &request->drawing, svg);
	free(focus);
	return 0;
}

static int
draw_profile(
	const struct request *request, struct profile *profile, struct buf *svg, struct err *err)
{
	if (request->sandwich)
		return draw_sandwich(request, profile, svg, err);
	if (request->focus && analysis_focus_keep(profile, request->focus, err) < 0)
		return -1;
	if (request->drawing.reversed)
		flamegraph_reverse(profile);
	flamegraph_write(profile, &request->drawing, svg);
	return 0;
}

static void
note_threads(const struct sample_times *times, struct err *err)
{
	for (size_t i = 0; i < sample_times_nthreads(times) && i < THREADS_NAMED; i++)
		err_note(err, "there is '%s', %u",
			strtab_str(&times->names, times->threads[i].name),
			(unsigned)times->threads[i].tid);
}

static int
draw_times(struct request *request, const struct profile *profile, const struct sample_times *times,
	struct buf *svg, struct err *err)
{
	const size_t thread = sample_times_find_thread(times, request->thread);
	struct chart chart;

	if (times->nsamples == 0)
		return err_set(err, ERR_INPUT,
			"%s: its samples have no times: a chart needs the times of a perf.data",
			request->input);
	if (thread == SIZE_MAX) {
		err_set(err, ERR_INPUT, "%s: has no thread '%s'", request->input, request->thread);
		note_threads(times, err);
		return -1;
	}
	const struct timed_thread *shown = &times->threads[thread];
	char *name =
		mem_printf("%s %u", strtab_str(&times->names, shown->name), (unsigned)shown->tid);

	/* The root is at the top, as in other charts, unless --icicle reverses that. */
	request->drawing.icicle = !request->drawing.icicle;
	chart_init(&chart, profile, times, thread, sample_times_interval_ns(times, profile));
	flamegraph_write_chart(&chart, name, &request->drawing, svg);
	chart_release(&chart);
	free(name);
	return 0;
}

/* Draws a flame chart, from the times of the samples. */
static int
draw_chart(struct request *request, struct buf *svg, struct err *err)
{
	struct sample_times times;
	struct profile profile;
	int result = -1;

	sample_times_init(&times);
	request->choice.options.times = &times;
	if (input_read(&profile, request->input, &request->choice, err) == 0) {
		result = draw_times(request, &profile, &times, svg, err);
		profile_release(&profile);
	}
	sample_times_release(&times);
	return result;
}

static int
draw_graph(struct request *request, struct buf *svg, struct err *err)
{
	struct profile profile;

	if (input_read(&profile, request->input, &request->choice, err) < 0)
		return -1;
	int result = draw_profile(request, &profile, svg, err);

	profile_release(&profile);
	return result;
}

static int
draw(const struct cli_call *call, void *context, struct err *err)
{
	struct request *request = context;
	struct buf svg = {0};

	if (check(call, request, err) < 0)
		return -1;
	enum confined confined =
		confine_picture(call, request->output, request->choice.debuginfod, err);

	if (confined != CONFINED_INSIDE)
		return (int)confined;
	request->drawing.still = picture_is_png(request->output);
	if ((request->chart ? draw_chart : draw_graph)(request, &svg, err) < 0) {
		buf_release(&svg);
		return -1;
	}
	return picture_write(&svg, request->output, err);
}

static int
run_flamegraph(const struct cli_call *call, struct err *err)
{
	struct request request = {.output = "-", .palette = "kind"};
	struct flamegraph_options *drawing = &request.drawing;
	const struct cli_option options[] = {
		{"input", 'i', OPTION_NEEDED_TEXT, "FILE", &request.input, INPUT_HELP},
		{"output", 'o', OPTION_TEXT, "SVG", &request.output,
			"default: standard output; FILE.png is drawn by rsvg-convert"},
		{"title", 0, OPTION_TEXT, "TEXT", &drawing->title, "heading of the picture"},
		{"subtitle", 0, OPTION_TEXT, "TEXT", &drawing->subtitle, "a line below it"},
		{"notes", 0, OPTION_TEXT, "TEXT", &drawing->notes, "more text below that"},
		{"unit", 0, OPTION_TEXT, "NAME", &drawing->unit,
			"unit of the weights; default: the input's, or samples"},
		{"palette", 0, OPTION_TEXT, "kind|module|hot|mono", &request.palette,
			"colours (default: kind)"},
		{"width", 0, OPTION_COUNT, "PX", &drawing->width_px, "default: 1200"},
		{"height", 0, OPTION_COUNT, "PX", &drawing->row_px, "of a frame; default: 16"},
		{"min-width", 0, OPTION_TEXT, "PX", &request.min_width,
			"omit narrower frames; pixels or a share such as 1%; default: none"},
		{"max-frames", 0, OPTION_COUNT, "N", &drawing->max_frames,
			"keep the N widest; default: as many as fit into 1.2 MB"},
		{"icicle", 0, OPTION_FLAG, NULL, &drawing->icicle, "root at the top"},
		{"reverse", 0, OPTION_FLAG, NULL, &drawing->reversed,
			"merge stacks from the leaf: the callers of each hot function"},
		{"focus", 'f', OPTION_TEXT, "NAME", &request.focus,
			"only stacks with this function, or with a match of a regex"},
		{"sandwich", 0, OPTION_FLAG, NULL, &request.sandwich,
			"with --focus: all callers above, all callees below"},
		{"chart", 0, OPTION_FLAG, NULL, &request.chart,
			"perf.data: the calls of one thread over time, in order"},
		{"thread", 0, OPTION_TEXT, "NAME|TID", &request.thread,
			"... of this thread (default: the one with most weight)"},
		INPUT_TIME_OPTIONS(request.choice),
		INPUT_OPTIONS(request.choice),
		{"inverted", 0, OPTION_FLAG, NULL, &drawing->icicle, "flamegraph.pl's --icicle"},
		{"countname", 0, OPTION_TEXT, "NAME", &drawing->unit, "flamegraph.pl's --unit"},
		{"minwidth", 0, OPTION_TEXT, "PX", &request.min_width,
			"flamegraph.pl's --min-width"},
		{"colors", 0, OPTION_TEXT, "kind|module|hot|mono", &request.palette,
			"flamegraph.pl's --palette"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, draw, &request, err);
}

const struct cli_verb verb_flamegraph = {
	.name = "flamegraph",
	.usage = "--input FILE [--output SVG] [options]",
	.summary = "draw a profile as a flame graph",
	.is_confined = true,
	.run = run_flamegraph,
};
