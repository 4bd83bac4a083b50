#include "commands/judge_files.h"

#include "base/clock.h"
#include "gate/judge.h"
#include "measurement/session.h"
#include "output/first_screen.h"
#include "profile/metric.h"
#include "profile/weights.h"
#include "replay/publish.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A gate of one workload, and the data of its report. */
struct files_gate {
	struct arena arena; /* of the rules that hold */
	const struct judge_files_options *options;
	struct workload workload;
	struct gate_policy policy;
	struct baseline_info before_info;
	struct judgement judgement;
	struct report_workload entry;
	struct report report;
};

static const char *
text_of(const struct profile *profile, str_id id, const char *otherwise)
{
	return id ? strtab_str(&profile->strings, id) : otherwise;
}

static int
number_pairs(struct profile *before, struct profile *after, struct err *err)
{
	if (before->nruns != after->nruns)
		return err_set(err, ERR_USAGE,
			"'--paired' needs equal numbers of runs: %zu before, %zu after",
			before->nruns, after->nruns);
	for (size_t i = 0; i < before->nruns; i++)
		before->runs[i].pair = after->runs[i].pair = (uint32_t)i + 1;
	return 0;
}

/*
 * Takes the configuration's section for the metric, if there is one. Else the least cost in
 * `counted` is that of the metric: the configured one is in instructions.
 */
static void
take_metric(struct workload *workload, const struct config *config)
{
	const char *metric = workload->capture.metric;

	for (size_t i = 0; i < config->nmetric_gates; i++) {
		if (strcmp(config->metric_gates[i].metric, metric) != 0)
			continue;
		workload->gate = config->metric_gates[i].gate;
		workload->overlays = config->metric_gates[i].overlays;
		workload->gate.waivers_list = config->gate.waivers_list;
		workload->gate.nwaivers = config->gate.nwaivers;
		return;
	}
	const struct metric *known = metric_find(metric);

	if (strcmp(metric, METRIC_INSTRUCTIONS) != 0)
		workload->overlays.counted.values.min_cost = known ? known->min_cost : 0;
}

static void
set_workload(struct files_gate *gate, const struct profile *after)
{
	const struct judge_files_options *options = gate->options;

	if (options->workload)
		gate->workload = *options->workload;
	else
		gate->workload = (struct workload){
			.path = "",
			.name = options->name ? options->name : "compare",
			.summary = "",
			.gate = options->session->config->gate,
			.overlays = options->session->config->overlays,
		};
	gate->workload.capture.metric = text_of(after, after->metric, "cpu");
	if (!options->workload)
		take_metric(&gate->workload, options->session->config);
	rules_select(&gate->arena, &gate->workload.gate, gate->workload.capture.metric);
}

static void
set_judgement(struct files_gate *gate, const struct profile *before, const struct profile *after)
{
	const struct judge_files_options *options = gate->options;
	enum gate_mode mode = options->paired ? GATE_PAIRED : GATE_FILES;
	const char *branch = options->branch ? options->branch : gate->options->session->branch;
	struct baseline_info *info = &gate->before_info;

	set_workload(gate, after);
	gate->policy = gate_policy_resolve(&gate->workload.gate, &gate->workload.overlays, mode,
		weights_are_counted(after), branch);
	info->created = before->started;
	info->nsessions = 1;
	snprintf(info->event, sizeof(info->event), "%s", text_of(before, before->event, ""));
	gate->judgement = (struct judgement){
		.input =
			{
				.workload = &gate->workload,
				.policy = &gate->policy,
				.mode = mode,
				.now = gate->options->session->started,
				.candidate = after,
				.before = before,
				.before_info = info,
				.against = "the profiles before",
				.same_session = options->same_session,
				.machine_class = "",
				.program_hash = "",
			},
	};
}

static void
set_report(struct files_gate *gate)
{
	gate->entry = (struct report_workload){
		.judgement = &gate->judgement,
		.folder = gate->workload.name,
	};
	gate->report = (struct report){
		.tool_version = PROFILE_RUN_VERSION,
		.started = gate->options->session->started,
		.commit = "",
		.command = gate->options->command,
		.command_options = gate->options->command,
		.machine = &gate->options->session->machine,
		.machine_class = "",
		.event_reason = "",
		.pinning = "",
		.folder = gate->options->report_dir ? gate->options->report_dir : "",
		.workloads = &gate->entry,
		.nworkloads = 1,
	};
}

int
judge_files(const struct judge_files_options *options, struct profile *before,
	struct profile *after, int *exit_code, struct buf *text, struct err *err)
{
	struct files_gate gate = {.options = options};
	struct judgement *const judgement = &gate.judgement;
	double started = clock_seconds();

	if (options->paired && number_pairs(before, after, err) < 0)
		return -1;
	set_judgement(&gate, before, after);
	set_report(&gate);
	judge_gate(&judgement, 1, &gate.report.status);
	gate.report.exit_code = judge_exit_code(&judgement, 1);
	gate.report.duration_s = clock_seconds() - started;
	char *folder = options->report_dir
			       ? publish_report(&gate.report, options->report_dir, NULL, err)
			       : NULL;
	int result = folder || !options->report_dir ? 0 : -1;

	free(folder);
	if (result == 0) {
		first_screen_write(&gate.report, gate.options->report_dir, text);
		*exit_code = gate.report.exit_code;
	}
	judgement_release(&gate.judgement);
	arena_release(&gate.arena);
	return result;
}
