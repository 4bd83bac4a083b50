#include "base/file.h"
#include "cli/confine.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/picture.h"
#include "cli/verb.h"
#include "flamegraph/heatmap.h"
#include "output/heatmap_page.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#define NS_PER_S 1e9
/* The shortest column, in which a row is a microsecond. */
#define COLUMN_MIN_S 50e-6

struct request {
	const char *input;
	const char *output;
	const char *title;
	double column_s; /* 0: chosen by the length of the capture */
	struct input_choice choice;
};

static bool
is_page(const char *path)
{
	const char *end = strrchr(path, '.');

	return end && (strcasecmp(end, ".html") == 0 || strcasecmp(end, ".htm") == 0);
}

static int
choose_column(const struct request *request, const struct profile *profile,
	const struct sample_times *times, uint64_t *column_ns, struct err *err)
{
	*column_ns = heatmap_choose_column_ns(profile, times);
	if (request->column_s > 0)
		*column_ns = (uint64_t)llround(request->column_s * NS_PER_S / HEATMAP_ROWS) *
			     HEATMAP_ROWS;
	if (request->column_s > 0 && request->column_s < COLUMN_MIN_S)
		return err_set(err, ERR_USAGE, "'--column': expected 50us or more");
	if (times->end_ns / *column_ns >= HEATMAP_COLUMNS_MAX)
		return err_set(err, ERR_USAGE,
			"'--column': %llu columns are more than %d can show; choose longer ones",
			(unsigned long long)(times->end_ns / *column_ns) + 1, HEATMAP_COLUMNS_MAX);
	return 0;
}

static int
write_out(const struct request *request, const struct heatmap *heatmap, struct err *err)
{
	const struct heatmap_options options = {.title = request->title};
	struct buf out = {0};

	if (!is_page(request->output)) {
		heatmap_write(heatmap, &options, &out);
		return picture_write(&out, request->output, err);
	}
	heatmap_page_put(heatmap, request->title, request->input, &out);
	int result = file_write(request->output, buf_text(&out), out.len, err);

	buf_release(&out);
	return result;
}

static int
draw(const struct request *request, const struct profile *profile, const struct sample_times *times,
	struct err *err)
{
	struct heatmap heatmap;
	uint64_t column_ns;

	if (times->nsamples == 0)
		return err_set(err, ERR_INPUT,
			"%s: its samples have no times: a heat map needs the times of a perf.data",
			request->input);
	if (choose_column(request, profile, times, &column_ns, err) < 0)
		return -1;
	heatmap_init(&heatmap, profile, times, column_ns);
	int result = write_out(request, &heatmap, err);

	heatmap_release(&heatmap);
	return result;
}

static int
heatmap(const struct cli_call *call, void *context, struct err *err)
{
	struct request *request = context;
	struct sample_times times;
	struct profile profile;
	int result = -1;

	enum confined confined =
		confine_picture(call, request->output, request->choice.debuginfod, err);

	if (confined != CONFINED_INSIDE)
		return (int)confined;
	sample_times_init(&times);
	request->choice.options.times = &times;
	if (input_read(&profile, request->input, &request->choice, err) == 0) {
		result = draw(request, &profile, &times, err);
		profile_release(&profile);
	}
	sample_times_release(&times);
	return result;
}

static int
run_heatmap(const struct cli_call *call, struct err *err)
{
	struct request request = {.output = "-"};
	const struct cli_option options[] = {
		{"input", 'i', OPTION_NEEDED_TEXT, "FILE", &request.input,
			"perf.data; - is standard input"},
		{"output", 'o', OPTION_TEXT, "FILE", &request.output,
			"FILE.html: a page to choose ranges in; FILE.svg or .png: a picture"},
		{"title", 0, OPTION_TEXT, "TEXT", &request.title, "heading of the picture"},
		{"column", 0, OPTION_DURATION, "TIME", &request.column_s,
			"duration of a column (default: 1s, or less or more by the capture's length)"},
		INPUT_TIME_OPTIONS(request.choice),
		INPUT_OPTIONS(request.choice),
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, heatmap, &request, err);
}

const struct cli_verb verb_heatmap = {
	.name = "heatmap",
	.usage = "--input FILE [--output FILE.html|SVG] [options]",
	.summary = "draw a capture's samples over time, with its phases",
	.is_confined = true,
	.run = run_heatmap,
};
