#include "pipeline/gate.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "gate/judge.h"
#include "output/output.h"
#include "pipeline/measure.h"
#include "pipeline/occasion.h"
#include "pipeline/publish.h"

#include <stdlib.h>
#include <string.h>

/* All of one gate; an array each, by workload. */
struct gate {
	const struct gate_options *options;
	size_t n;
	struct occasion occasion;
	struct measurement *measurements;
	struct baseline *baselines;
	bool *has_baseline;
	struct judgement *judgements;
	struct report_workload *entries;
	char (*machine_classes)[192];
	char *report_folder; /* as the user will know it */
	char *draft;         /* where it is made */
	struct report report;
	double started;
};

static void
gate_init(struct gate *gate, const struct gate_options *options)
{
	size_t n = options->workloads->nworkloads;

	*gate = (struct gate){
		.options = options,
		.n = n,
		.measurements = mem_zalloc(n, sizeof(*gate->measurements)),
		.baselines = mem_zalloc(n, sizeof(*gate->baselines)),
		.has_baseline = mem_zalloc(n, sizeof(*gate->has_baseline)),
		.judgements = mem_zalloc(n, sizeof(*gate->judgements)),
		.entries = mem_zalloc(n, sizeof(*gate->entries)),
		.machine_classes = mem_zalloc(n, sizeof(*gate->machine_classes)),
	};
	gate->started = clock_seconds();
	occasion_begin(&gate->occasion);
}

static void
gate_release(struct gate *gate)
{
	for (size_t i = 0; i < gate->n; i++) {
		judgement_release(&gate->judgements[i]);
		if (gate->has_baseline[i])
			baseline_release(&gate->baselines[i]);
		measurement_release(&gate->measurements[i]);
	}
	free(gate->measurements);
	free(gate->baselines);
	free(gate->has_baseline);
	free(gate->judgements);
	free(gate->entries);
	free(gate->machine_classes);
	free(gate->report_folder);
}

/*
 * The same workload's baseline from another class of machines, for want of one of ours; the first
 * by name that was taken with the same event.
 */
static int
read_from_other_class(
	struct gate *gate, size_t i, const struct baseline_list *list, struct err *err)
{
	const struct measurement *m = &gate->measurements[i];

	for (size_t e = 0; e < list->nentries && !gate->has_baseline[i]; e++) {
		const struct baseline_entry *entry = &list->entries[e];

		if (strcmp(entry->workload, m->workload->name) != 0 ||
			strcmp(entry->metric, m->workload->capture.metric) != 0)
			continue;
		if (baseline_read(&gate->baselines[i], entry->folder, &gate->has_baseline[i], err) <
			0)
			return -1;
		if (gate->has_baseline[i] &&
			strcmp(gate->baselines[i].info.event, m->event.name) != 0) {
			baseline_release(&gate->baselines[i]);
			gate->has_baseline[i] = false;
		}
	}
	gate->judgements[i].baseline_is_of_other_machine = gate->has_baseline[i];
	return 0;
}

static int
find_baseline(struct gate *gate, size_t i, const struct baseline_list *list, struct err *err)
{
	const struct measurement *m = &gate->measurements[i];
	char *folder = occasion_baseline_folder(&gate->occasion, gate->options->config, m);
	int result = baseline_read(&gate->baselines[i], folder, &gate->has_baseline[i], err);

	free(folder);
	if (result == 0 && !gate->has_baseline[i])
		result = read_from_other_class(gate, i, list, err);
	return result;
}

/* What judging needs to know of each workload. A broken baseline is that workload's error. */
static int
prepare_judgements(struct gate *gate, struct err *err)
{
	const struct config *config = gate->options->config;
	struct baseline_list list;

	if (baseline_list_read(&list, config->baselines_dir, err) < 0)
		return -1;
	for (size_t i = 0; i < gate->n; i++) {
		struct measurement *m = &gate->measurements[i];
		struct judgement *judgement = &gate->judgements[i];
		struct err broken = {0};

		if (!m->error && find_baseline(gate, i, &list, &broken) < 0) {
			log_warn("%s: %s", m->workload->name, broken.text);
			m->error = mem_strdup(broken.text);
		}
		occasion_machine_class(&gate->occasion, config, m->event.name,
			gate->machine_classes[i], sizeof(gate->machine_classes[i]));
		judgement->workload = m->workload;
		judgement->candidate = m->profile.nruns > 0 ? &m->profile : NULL;
		judgement->baseline = gate->has_baseline[i] ? &gate->baselines[i] : NULL;
		judgement->error = m->error;
		judgement->machine_class = gate->machine_classes[i];
		judgement->program_hash = m->program_hash;
	}
	baseline_list_release(&list);
	return 0;
}

static void
make_report(struct gate *gate)
{
	const struct measurement *first = &gate->measurements[0];

	for (size_t i = 0; i < gate->n; i++) {
		const struct measurement *m = &gate->measurements[i];

		gate->entries[i] = (struct report_workload){
			.judgement = &gate->judgements[i],
			.build_s = m->build_s,
			.measure_s = m->measure_s,
			.process_s = m->process_s,
			.folder = m->workload->name,
		};
	}
	gate->report = (struct report){
		.tool_version = PROFILE_RUN_VERSION,
		.started = gate->occasion.started,
		.duration_s = clock_seconds() - gate->started,
		.commit = gate->occasion.commit,
		.command = gate->options->command,
		.command_options = gate->options->command_options,
		.machine = &gate->occasion.machine,
		.machine_class = gate->machine_classes[0],
		.event_reason = first->event.reason,
		.pinning = first->cpus.text,
		.folder = gate->report_folder,
		.workloads = gate->entries,
		.nworkloads = gate->n,
	};
}

/* Evidence is for findings; what passed needs none. */
static void
drop_captures(const struct gate *gate)
{
	for (size_t i = 0; i < gate->n; i++) {
		enum status status = gate->judgements[i].verdict.status;

		if (!gate->options->config->keep_perfdata && status != STATUS_WARN &&
			status != STATUS_FAIL)
			measurement_drop_captures(&gate->measurements[i], gate->draft);
	}
}

/* Measuring, judging, drawing: everything between an empty draft folder and a full one. */
static int
fill_report(struct gate *gate, struct err *err)
{
	struct occasion_store store = {&gate->occasion, gate->options->config};
	struct measure_options measure = {
		.scratch_dir = gate->draft,
		.keep = gate->options->config->keep_perfdata ? MEASURE_KEEP_RAW
							     : MEASURE_KEEP_CONDENSED,
		.callgraph_of = occasion_callgraph,
		.context = &store,
	};

	if (measure_workloads(gate->measurements, gate->options->workloads, &measure, err) < 0 ||
		prepare_judgements(gate, err) < 0)
		return -1;
	make_report(gate);
	judge_gate(gate->judgements, gate->n, &gate->report.status);
	gate->report.exit_code = judge_exit_code(gate->judgements, gate->n);
	drop_captures(gate);
	return output_write_all(&gate->report, gate->draft, err);
}

static void
append_text(const struct gate *gate, struct buf *text)
{
	for (size_t i = 0; report_outputs[i]; i++) {
		if (strcmp(report_outputs[i]->name, "report.txt") == 0)
			report_outputs[i]->write(&gate->report, text);
	}
}

int
gate_run(const struct gate_options *options, int *exit_code, struct buf *text, struct err *err)
{
	struct gate gate;
	int result = -1;

	gate_init(&gate, options);
	gate.report_folder = publish_begin(
		options->config->reports_dir, gate.occasion.started, &gate.draft, err);
	if (!gate.report_folder)
		goto out;
	if (fill_report(&gate, err) < 0) {
		file_dir_abandon(gate.draft);
		goto out;
	}
	result = publish_finish(gate.draft, gate.report_folder, err);
	if (result == 0) {
		*exit_code = gate.report.exit_code;
		append_text(&gate, text);
	}
out:
	gate_release(&gate);
	return result;
}
