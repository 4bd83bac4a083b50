#include "cli/command_line.h"
#include "cli/command_settings.h"
#include "cli/confine.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "commands/judge_files.h"
#include "profile/weights.h"
#include "spec/keys.h"

#include <stdlib.h>

struct compare_request {
	struct cli_arguments before;
	struct cli_arguments after;
	const char *workload; /* whose policy applies */
	struct command_settings settings;
	struct input_choice choice;
	bool force_units;
	struct judge_files_options judging;
};

/*
 * Reads every run of every file into one profile. All must be of one quantity, also with `other`,
 * the side that was read before, whose first file is `name`; NULL: none was.
 */
static int
read_side(const struct compare_request *request, const struct cli_arguments *paths,
	const struct profile *other, const char *name, struct profile *side, struct err *err)
{
	const bool force = request->force_units;

	profile_init(side);
	for (size_t i = 0; i < paths->count; i++) {
		const struct profile *first = i > 0 ? side : other;
		struct profile one;
		int result = input_read(&one, paths->items[i], &request->choice, err);

		if (result < 0) {
			profile_release(side);
			return -1;
		}
		if (first)
			result = quantity_check(first, i > 0 ? paths->items[0] : name, &one,
				paths->items[i], force, err);
		if (result == 0)
			profile_append(side, &one);
		profile_release(&one);
		if (result < 0) {
			profile_release(side);
			return -1;
		}
	}
	profile_sort(side);
	return 0;
}

static int
judge_sides(const struct compare_request *request, const struct cli_call *call, struct err *err)
{
	struct profile before;
	struct profile after;

	if (read_side(request, &request->before, NULL, NULL, &before, err) < 0)
		return -1;
	int result =
		read_side(request, &request->after, &before, request->before.items[0], &after, err);

	if (result == 0) {
		result = judge_files(
			&request->judging, &before, &after, call->exit_code, call->text, err);
		profile_release(&after);
	}
	profile_release(&before);
	return result;
}

static int
judge_confined(const struct compare_request *request, const struct cli_call *call, struct err *err)
{
	const struct confinement confinement = {
		.folder = request->judging.report_dir,
		.debuginfod = request->choice.debuginfod,
	};
	enum confined confined = confine(call, &confinement, err);

	return confined == CONFINED_INSIDE ? judge_sides(request, call, err) : (int)confined;
}

/* Makes the paths relative to the root. */
static void
make_relative(struct root *root, struct cli_arguments *files)
{
	for (size_t i = 0; i < files->count; i++)
		files->items[i] = root_path(root, files->items[i]);
}

/* Judges by the policy of the configuration, or of a workload. */
static int
judge_by_policy(struct compare_request *request, const struct cli_call *call, struct err *err)
{
	struct config *config = &request->settings.config;
	struct workload_list *list = &request->settings.workloads;
	struct root *root = &request->settings.root;
	struct session session;
	int result = command_settings_load_config(&request->settings, err);

	if (result < 0)
		return -1;
	make_relative(root, &request->before);
	make_relative(root, &request->after);
	request->judging.report_dir = root_path(root, request->judging.report_dir);
	request->choice.symfs = root_path(root, request->choice.symfs);
	if (request->workload)
		result = workload_list_read(list, &request->workload, 1, config, err);
	if (result == 0)
		result = session_begin(&session, config, err);
	if (result == 0) {
		request->judging.session = &session;
		request->judging.workload = list->nworkloads > 0 ? &list->workloads[0] : NULL;
		result = judge_confined(request, call, err);
	}
	command_settings_release(&request->settings);
	return result;
}

static int
compare(const struct cli_call *call, void *context, struct err *err)
{
	struct compare_request *request = context;

	if (request->before.count == 0 || request->after.count == 0) {
		err_set(err, ERR_USAGE, "'profile_run compare' needs '--%s': one file per run",
			request->before.count == 0 ? "before" : "after");
		return cli_usage_error(call->verb, err);
	}
	if (request->judging.name && !keys_is_name(request->judging.name))
		return err_set(err, ERR_USAGE,
			"'--name %s': expected letters, digits, '_', '.' and '-', not starting with '.' or "
			"'-': it names a folder",
			request->judging.name);
	char *line = command_line_quoted(call->argc, call->argv, NULL, NULL);

	request->judging.command = line;
	int result = judge_by_policy(request, call, err);

	free(line);
	return result;
}

static int
run_compare(const struct cli_call *call, struct err *err)
{
	struct compare_request request = {0};
	struct judge_files_options *judging = &request.judging;
	const struct cli_option options[] = {
		{"before", 0, OPTION_LIST, "FILE...", &request.before,
			"one file per run: perf.data, folded text, perf script text, callgrind "
			"output or pprof"},
		{"after", 0, OPTION_LIST, "FILE...", &request.after,
			"the same for the changed program"},
		{"output", 'o', OPTION_TEXT, "DIR", &judging->report_dir,
			"write the report, with its pictures, to this folder"},
		{"paired", 0, OPTION_FLAG, NULL, &judging->paired,
			"the runs were interleaved: compare file i before with file i after"},
		{"same-session", 0, OPTION_FLAG, NULL, &judging->same_session,
			"both sides were measured in one session on one machine: no variance between sessions"},
		{"workload", 'w', OPTION_TEXT, "NAME", &request.workload,
			"use the policy of this workload"},
		{"name", 0, OPTION_TEXT, "NAME", &judging->name,
			"name of the comparison in the report (default: compare)"},
		{"config", 'c', OPTION_TEXT, "FILE", &request.settings.config_path,
			"configuration (default: " CONFIG_PATH ", if there)"},
		{"branch", 0, OPTION_TEXT, "NAME", &judging->branch, "branch whose settings apply"},
		FORCE_UNITS_OPTION(request.force_units),
		INPUT_OPTIONS(request.choice),
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};
	int result = cli_perform(call, options, compare, &request, err);

	free(request.before.items);
	free(request.after.items);
	return result;
}

const struct cli_verb verb_compare = {
	.name = "compare",
	.usage = "--before FILE... --after FILE... [options]",
	.summary = "compare profiles captured elsewhere, one file per run, and give a verdict",
	.has_verdicts = true,
	.is_confined = true,
	.run = run_compare,
};
