#include "base/file.h"
#include "base/mem.h"
#include "cli/command_settings.h"
#include "cli/confine.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/picture.h"
#include "cli/verb.h"
#include "compare/coverage.h"
#include "flamegraph/flamegraph.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "output/coverage_report.h"
#include "profile/weights.h"
#include "replay/replay.h"
#include "spec/units.h"

#include <stdlib.h>
#include <string.h>

#define NAME_COLUMNS 24
#define EXIT_BELOW 1

struct coverage_request {
	struct command_settings settings;
	struct cli_arguments production;
	const char *report;
	const char *min;
	const char *output; /* NULL: no picture */
	const char *title;
	struct input_choice choice;
	bool force_units;
	struct coverage_report printed;
};

/* The workloads of a report that have a profile. */
struct measured {
	struct coverage_workload *workloads;
	size_t nworkloads;
	struct buf unmeasured; /* the names of the others */
};

static int
find_measured(
	struct measured *measured, const struct report *report, const char *path, struct err *err)
{
	*measured = (struct measured){
		.workloads = mem_zalloc(report->nworkloads + 1, sizeof(*measured->workloads))};
	for (size_t i = 0; i < report->nworkloads; i++) {
		const struct gate_input *input = &report->workloads[i].judgement->input;
		const char *name = input->workload->name;
		/* A program that has not changed is not measured again: the baseline has its runs.
		 */
		const struct profile *profile =
			input->not_measured && !input->candidate ? input->before : input->candidate;

		if (profile && profile_total(profile) > 0) {
			measured->workloads[measured->nworkloads++] =
				(struct coverage_workload){name, profile};
			continue;
		}
		buf_puts(&measured->unmeasured, measured->unmeasured.len > 0 ? ", " : "");
		name_fit(&measured->unmeasured, name, strlen(name), NAME_COLUMNS);
	}
	if (measured->nworkloads > 0)
		return 0;
	err_set(err, ERR_INPUT, "%s: no workload of the report was measured", path);
	return err_note(err,
		"expected the report of a gate that ran its workloads, as 'profile_run gate --measure-anyway' does");
}

static void
release_measured(struct measured *measured)
{
	free(measured->workloads);
	buf_release(&measured->unmeasured);
}

/* Reads all files of production as runs of one profile. */
static int
read_production(struct profile *production, const struct coverage_request *request, struct err *err)
{
	const struct cli_arguments *files = &request->production;

	if (input_read(production, files->items[0], &request->choice, err) < 0)
		return -1;
	for (size_t i = 1; i < files->count; i++) {
		struct profile more;

		int result = input_read(&more, files->items[i], &request->choice, err);

		if (result == 0) {
			result = quantity_check(production, files->items[0], &more, files->items[i],
				request->force_units, err);
			if (result == 0)
				profile_append(production, &more);
			profile_release(&more);
		}
		if (result < 0) {
			profile_release(production);
			return -1;
		}
	}
	return 0;
}

static int
draw(const struct coverage *coverage, const struct coverage_request *request, struct err *err)
{
	struct buf svg = {0};
	struct buf notes = {0};
	struct profile picture;
	unsigned char *states = coverage_picture(coverage, &picture);

	buf_puts(&notes, "Coverage ");
	format_percent(&notes, coverage_ratio(coverage));
	buf_puts(&notes, ". A function most of whose cost, with what it calls, is reached has the "
			 "colour of that.");
	const struct flamegraph_options options = {
		.title = request->title ? request->title : "Production: what workloads reach",
		.notes = buf_text(&notes),
		.colours = FLAMEGRAPH_BY_COVERAGE,
		.states = states,
		.still = picture_is_png(request->output),
	};

	flamegraph_write(&picture, &options, &svg);
	buf_release(&notes);
	free(states);
	profile_release(&picture);
	return picture_write(&svg, request->output, err);
}

static int
write_coverage(const struct cli_call *call, const struct coverage_request *request,
	const struct profile *production, const struct measured *measured, struct err *err)
{
	struct coverage_report printed = request->printed;
	struct coverage coverage;
	int result = 0;

	coverage_init(&coverage, production, measured->workloads, measured->nworkloads);
	if (measured->unmeasured.len > 0)
		printed.unmeasured = buf_text(&measured->unmeasured);
	if (request->output)
		result = draw(&coverage, request, err);
	if (result == 0 && !(request->output && strcmp(request->output, "-") == 0))
		coverage_report_write(&coverage, &printed, call->text);
	if (!coverage_report_passes(&coverage, printed.min))
		*call->exit_code = EXIT_BELOW;
	coverage_release(&coverage);
	return result;
}

/* Confined. */
static int
compute(const struct cli_call *call, const struct coverage_request *request, struct err *err)
{
	struct profile production;
	struct measured measured;
	struct replay *replay = replay_open(request->report, err);

	if (!replay)
		return -1;
	int result = find_measured(&measured, replay_report(replay), request->report, err);

	if (result == 0)
		result = read_production(&production, request, err);
	if (result == 0) {
		result = write_coverage(call, request, &production, &measured, err);
		profile_release(&production);
	}
	release_measured(&measured);
	replay_close(replay);
	return result;
}

static int
check_usage(const struct cli_call *call, struct coverage_request *request, struct err *err)
{
	const struct cli_arguments *words = &call->arguments;
	struct cli_arguments *production = &request->production;

	/* --production FILE... REPORT: the list has taken it. */
	if (words->count == 0 && production->count > 1)
		request->report = production->items[--production->count];
	else if (words->count == 1)
		request->report = words->items[0];
	if (request->report && production->count > 0)
		return 0;
	err_set(err, ERR_USAGE,
		"expected '--production' with profiles of production, and one report: its folder, a "
		"replay.bin in it or 'latest'");
	return cli_usage_error(call->verb, err);
}

static int
find_min(struct coverage_request *request, struct err *err)
{
	const char *problem = "expected a share of production's cost, such as 80%";
	double *min = &request->printed.min;

	*min = request->settings.config.coverage_min;
	if (request->min &&
		(units_percent(request->min, min, &problem) < 0 || *min < 0 || *min > 1))
		return err_set(err, ERR_USAGE, "'--min %s': %s", request->min, problem);
	return 0;
}

static int
coverage(const struct cli_call *call, void *context, struct err *err)
{
	struct coverage_request *request = context;
	struct root *root = &request->settings.root;

	if (check_usage(call, request, err) < 0 ||
		command_settings_load_config(&request->settings, err) < 0)
		return -1;
	char *latest = file_join(request->settings.config.reports_dir, "latest");
	const bool is_latest = strcmp(request->report, "latest") == 0;

	request->report = is_latest ? latest : root_path(root, request->report);
	request->output = root_path(root, request->output);
	request->choice.symfs = root_path(root, request->choice.symfs);
	for (size_t i = 0; i < request->production.count; i++)
		request->production.items[i] = root_path(root, request->production.items[i]);

	int result = find_min(request, err);
	const struct confinement confinement = {
		.file = request->output,
		.programs = request->output && picture_is_png(request->output),
		.debuginfod = request->choice.debuginfod,
	};

	if (result == 0)
		result = (int)confine(call, &confinement, err);
	if (result == CONFINED_INSIDE)
		result = compute(call, request, err);
	free(latest);
	command_settings_release(&request->settings);
	return result;
}

static int
run_coverage(const struct cli_call *call, struct err *err)
{
	struct coverage_request request = {0};
	const struct cli_option options[] = {
		{"production", 0, OPTION_LIST, "FILE...", &request.production,
			"profiles of production: " INPUT_HELP},
		{"min", 0, OPTION_TEXT, "PERCENT", &request.min,
			"exit code 1 if workloads reach less of production's cost (80%)"},
		{"output", 'o', OPTION_TEXT, "SVG", &request.output,
			"production's flame graph, coloured by what workloads reach; FILE.png by rsvg-convert"},
		{"title", 0, OPTION_TEXT, "TEXT", &request.title, "heading of the picture"},
		{"top", 'n', OPTION_COUNT, "N", &request.printed.top,
			"functions of production to print (default 20)"},
		{"reports", 'r', OPTION_TEXT, "DIR", &request.settings.reports_dir,
			"folder of the reports, for 'latest'"},
		{"config", 'c', OPTION_TEXT, "FILE", &request.settings.config_path,
			"configuration (default: " CONFIG_PATH ", if there)"},
		FORCE_UNITS_OPTION(request.force_units),
		INPUT_OPTIONS(request.choice),
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};
	int result = cli_perform(call, options, coverage, &request, err);

	free(request.production.items);
	return result;
}

const struct cli_verb verb_coverage = {
	.name = "coverage",
	.usage = "REPORT|latest --production FILE... [options]",
	.summary = "say how much of production's cost the workloads of a report reach",
	.takes_arguments = true,
	.has_verdicts = true,
	.is_confined = true,
	.run = run_coverage,
};
