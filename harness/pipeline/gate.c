#include "pipeline/gate.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "builds/build_side.h"
#include "gate/judge.h"
#include "gate/more_runs.h"
#include "machine/quiet.h"
#include "output/output.h"
#include "output/shard_file.h"
#include "pipeline/gate_workload.h"
#include "pipeline/measure.h"
#include "pipeline/narrate.h"
#include "pipeline/policy_from.h"
#include "pipeline/publish.h"
#include "pipeline/session.h"
#include "pipeline/sources.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A run whose instructions are counted takes so much longer. */
#define COUNTING_FACTOR 30
/* Of an interrupted gate, what has fewer runs is not judged. */
#define LEAST_JUDGED 3
/* Unless told, runs that are added may take so many times as long as the planned ones did. */
#define ADDED_TIME 2

/* All of one gate. */
struct gate {
	const struct gate_options *options;
	size_t n;
	struct gate_workload *workloads;
	/* By workload, as measuring and judging take them. */
	struct measurement *measurements;
	struct judgement **judgements;
	struct session session;
	struct build_side base; /* if paired */
	bool paired;
	struct report_workload *entries;
	char interrupted[16]; /* by which signal: "SIGTERM"; "" */
	char *report_folder;  /* as the user will know it */
	char *draft;          /* where it is made */
	struct report report;
	struct report_shard shard; /* as given, with base_commit */
	struct sources sources;
	double started;
	bool has_budget;   /* one was given; else the deadline is for runs that are added only */
	double deadline_s; /* of clock_seconds(); 0: not known yet */
};

static void
gate_init(struct gate *gate, const struct gate_options *options)
{
	size_t n = options->workloads->nworkloads;
	double budget = options->budget_s > 0 ? options->budget_s : options->config->budget_s;

	*gate = (struct gate){
		.options = options,
		.n = n,
		.workloads = mem_zalloc(n, sizeof(*gate->workloads)),
		.measurements = mem_zalloc(n, sizeof(*gate->measurements)),
		.judgements = mem_zalloc(n, sizeof(struct judgement *)),
		.entries = mem_zalloc(n, sizeof(*gate->entries)),
	};
	for (size_t i = 0; i < n; i++) {
		gate->workloads[i].measurement = &gate->measurements[i];
		gate->judgements[i] = &gate->workloads[i].judgement;
	}
	gate->started = clock_seconds();
	gate->has_budget = budget > 0;
	gate->deadline_s = gate->has_budget ? gate->started + budget : 0;
	session_begin(&gate->session, options->config);
}

static void
gate_release(struct gate *gate)
{
	for (size_t i = 0; i < gate->n; i++) {
		gate_workload_release(&gate->workloads[i]);
		measurement_release(&gate->measurements[i]);
	}
	if (gate->paired)
		build_side_release(&gate->base);
	free(gate->workloads);
	free(gate->measurements);
	free(gate->judgements);
	free(gate->entries);
	free(gate->report_folder);
	sources_release(&gate->sources);
}

/* Reads the stored baselines. A broken one is that workload's error. */
static int
find_baselines(struct gate *gate, struct err *err)
{
	struct baseline_list list;

	if (baseline_list_read(&list, gate->options->config->baselines_dir, err) < 0)
		return -1;
	for (size_t i = 0; i < gate->n; i++) {
		struct measurement *m = &gate->measurements[i];
		struct err broken = {0};

		if (!m->error && gate_workload_find_baseline(
					 &gate->workloads[i], &gate->session, &list, &broken) < 0) {
			log_warn("%s: %s", m->workload->name, broken.text);
			m->error = mem_strdup(broken.text);
		}
	}
	baseline_list_release(&list);
	return 0;
}

/* By the runs that there are. */
static void
judge(struct gate *gate)
{
	const char *branch = gate->options->branch ? gate->options->branch : gate->session.branch;
	const struct build_side *base = gate->paired ? &gate->base : NULL;

	for (size_t i = 0; i < gate->n; i++) {
		gate_workload_prepare(&gate->workloads[i], &gate->session, base, branch);
		if (gate->options->shard)
			gate->judgements[i]->input.planned = gate->options->shard->plan->nentries;
	}
	judge_tests(gate->judgements, gate->n);
	for (size_t i = 0; i < gate->n && gate->paired; i++) {
		if (judgement_wants_code(gate->judgements[i]))
			gate_workload_look_at_code(&gate->workloads[i], base);
	}
	judge_decide(gate->judgements, gate->n, &gate->report.status);
}

static bool
has_time(const struct gate *gate, double seconds)
{
	return !(gate->deadline_s > 0) || clock_seconds() + seconds <= gate->deadline_s;
}

/* What is not decided and could be by more runs of a stage: requests[], of which there are so many.
 */
static size_t
request_runs(const struct gate *gate, int stage, struct run_request *requests)
{
	size_t n = 0;

	for (size_t i = 0; i < gate->n; i++) {
		const struct measurement *m = &gate->measurements[i];

		if (m->error || !more_runs_request(&m->runs, stage, &gate->judgements[i]->verdict,
					&requests[n]))
			continue;
		requests[n].workload = i;
		requests[n++].run_seconds = measure_run_seconds(m);
	}
	return n;
}

/* Plans more runs of a stage where there is something that they could decide, and time for them. */
static bool
plan_more_runs(struct gate *gate, int stage)
{
	struct run_request *requests = mem_zalloc(gate->n, sizeof(*requests));
	size_t n = request_runs(gate, stage, requests);
	bool any = false;

	more_runs_grant(
		requests, n, gate->deadline_s > 0 ? gate->deadline_s - clock_seconds() : INFINITY);
	for (size_t i = 0; i < n; i++) {
		struct measurement *m = &gate->measurements[requests[i].workload];

		if (requests[i].runs == 0)
			continue;
		narrate_more_runs(m, &requests[i], stage);
		m->runs.wanted[stage] += requests[i].runs;
		any = true;
	}
	free(requests);
	return any;
}

/* Whether more runs could change what is known of a workload. */
static bool
is_open(const struct gate_workload *w)
{
	const struct verdict *verdict = &w->judgement.verdict;
	const struct run_plan *plan = &w->measurement->runs;
	struct run_request request;

	return !w->measurement->error &&
	       (more_runs_request(plan, COMPARISON_CONFIRM, verdict, &request) ||
		       more_runs_request(plan, COMPARISON_SCREEN, verdict, &request));
}

/* Shows the verdicts that are new: of what is not open any more, at the end of all. */
static void
show_verdicts(struct gate *gate, bool at_end)
{
	for (size_t i = 0; i < gate->n; i++) {
		struct gate_workload *w = &gate->workloads[i];
		const struct verdict *verdict = &w->judgement.verdict;

		/* An error was shown when it came. */
		if (w->measurement->error || (w->shown && w->shown_status == verdict->status) ||
			(!at_end && is_open(w)))
			continue;
		narrate_verdict(w->measurement, verdict);
		w->shown = true;
		w->shown_status = verdict->status;
	}
}

/* Counts the instructions of what grew, where that is asked for; without them the rest holds. */
static int
count_instructions(struct gate *gate, struct err *err)
{
	for (size_t i = 0; i < gate->n; i++) {
		struct gate_workload *w = &gate->workloads[i];
		const struct measurement *m = w->measurement;
		struct err failure = {0};

		if (!instructions_wanted(&w->judgement) ||
			(gate->has_budget &&
				!has_time(gate, COUNTING_FACTOR * measure_run_seconds(m))))
			continue;
		log_progress("%s: counting instructions", m->workload->name);
		w->instructions = instructions_count(m, gate->draft, &failure);
		if (failure.kind == ERR_INTERRUPTED) {
			*err = failure;
			return -1;
		}
		if (!w->instructions)
			log_warn("%s: %s", m->workload->name, failure.text);
	}
	log_progress_end();
	return 0;
}

/* The planned runs, by which the time for more is known. */
static int
measure_planned(struct gate *gate, struct measure_session *session, struct err *err)
{
	double start = clock_seconds();

	if (measure_more(session, COMPARISON_SCREEN, err) < 0)
		return -1;
	if (!(gate->deadline_s > 0)) {
		double now = clock_seconds();

		gate->deadline_s = now + ADDED_TIME * (now - start);
		measure_set_deadline(session, gate->deadline_s);
	}
	return 0;
}

/* Measures until all is decided, or no more can be done about it. */
static int
measure(struct gate *gate, const struct measure_options *options, struct err *err)
{
	struct measure_session *session =
		measure_begin(gate->measurements, gate->options->workloads, options, err);
	int result = session ? quiet_wait(gate->options->wait_quiet_s, err) : -1;

	if (result == 0)
		result = measure_planned(gate, session, err);
	if (result == 0 && !gate->paired)
		result = find_baselines(gate, err);
	while (result == 0) {
		judge(gate);
		show_verdicts(gate, false);
		if (plan_more_runs(gate, COMPARISON_CONFIRM))
			result = measure_more(session, COMPARISON_CONFIRM, err);
		else if (plan_more_runs(gate, COMPARISON_SCREEN))
			result = measure_more(session, COMPARISON_SCREEN, err);
		else
			break;
	}
	if (result == 0)
		result = count_instructions(gate, err);
	measure_end(session);
	/* The profiles are sorted now. */
	if (result == 0) {
		judge(gate);
		show_verdicts(gate, true);
	}
	return result;
}

/*
 * Judges an interrupted gate by the runs that it has: hours of them may be there. False where no
 * workload has enough.
 */
static bool
salvage(struct gate *gate, const struct err *interruption)
{
	struct err ignored = {0};
	bool any = false;

	snprintf(gate->interrupted, sizeof(gate->interrupted), "SIG%s",
		sigabbrev_np(interruption->signal));
	for (size_t i = 0; i < gate->n; i++) {
		struct measurement *m = &gate->measurements[i];
		unsigned taken = m->runs.taken[COMPARISON_SCREEN];

		if (!m->error && !m->same_program && taken < LEAST_JUDGED)
			m->error = mem_printf(
				"interrupted by %s: %u runs were taken, at least %u are needed",
				gate->interrupted, taken, LEAST_JUDGED);
		any = any || !m->error;
	}
	if (!any || (!gate->paired && find_baselines(gate, &ignored) < 0))
		return false;
	judge(gate);
	show_verdicts(gate, true);
	return true;
}

static struct report_policy
report_policy_from(const struct policy_from *from)
{
	if (!from)
		return (struct report_policy){0};
	return (struct report_policy){
		.from = from->name,
		.changes = from->changes.items,
		.nchanges = from->changes.count,
		.nleft_out = from->changes.left_out,
	};
}

/* What was found out for the first workload, if there is one. */
static void
describe_measuring(const struct gate *gate, struct report *report)
{
	if (gate->n == 0)
		return;
	report->machine_class = gate->workloads[0].info.machine_class;
	report->event_reason = gate->measurements[0].event.reason;
	report->pinning = gate->measurements[0].cpus.text;
}

static void
make_report(struct gate *gate)
{
	for (size_t i = 0; i < gate->n; i++) {
		const struct measurement *m = &gate->measurements[i];

		gate->entries[i] = (struct report_workload){
			.judgement = gate->judgements[i],
			.build_s = m->build_s,
			.measure_s = m->measure_s,
			.process_s = m->process_s,
			.folder = m->workload->name,
		};
	}
	sources_init(&gate->sources, gate->options->config->source_url, gate->session.commit,
		gate->judgements, gate->n);
	gate->report = (struct report){
		.status = gate->report.status,
		.full = gate->options->full,
		.interrupted = gate->interrupted[0] ? gate->interrupted : NULL,
		.tool_version = PROFILE_RUN_VERSION,
		.started = gate->session.started,
		.duration_s = clock_seconds() - gate->started,
		.commit = gate->session.commit,
		.against = gate->paired ? gate->base.name : NULL,
		.policy = report_policy_from(gate->options->policy_from),
		.command = gate->options->command,
		.command_options = gate->options->command_options,
		.machine = &gate->session.machine,
		.machine_class = "",
		.event_reason = "",
		.pinning = "",
		.folder = gate->report_folder,
		.source_url = gate->sources.url,
		.sources = gate->sources.files,
		.nsources = gate->sources.nfiles,
		.workloads = gate->entries,
		.nworkloads = gate->n,
	};
	describe_measuring(gate, &gate->report);
	if (gate->options->shard) {
		gate->shard = *gate->options->shard;
		gate->shard.base_commit = gate->paired ? gate->base.commit : "";
		gate->report.shard = &gate->shard;
	}
}

/* Evidence is for findings; what passed needs none. */
static void
drop_captures(const struct gate *gate)
{
	for (size_t i = 0; i < gate->n; i++) {
		enum status status = gate->judgements[i]->verdict.status;

		if (!gate->options->config->keep_perfdata && status != STATUS_WARN &&
			status != STATUS_FAIL)
			measurement_drop_captures(&gate->measurements[i], gate->draft);
	}
}

/* Measuring, judging, drawing: everything between an empty draft folder and a full one. */
static int
fill_report(struct gate *gate, struct err *err)
{
	const struct measure_options options = {
		.scratch_dir = gate->draft,
		.keep = gate->options->config->keep_perfdata ? MEASURE_KEEP_RAW
							     : MEASURE_KEEP_CONDENSED,
		.baselines = gate->paired ? NULL : &gate->session,
		.against = gate->paired ? &gate->base : NULL,
		.skip_same = !gate->options->measure_anyway,
		.deadline_s = gate->deadline_s,
	};

	if (gate->n > 0 && measure(gate, &options, err) < 0 &&
		(err->kind != ERR_INTERRUPTED || !salvage(gate, err)))
		return -1;
	make_report(gate);
	report_conclude(
		&gate->report, gate->report.status, judge_exit_code(gate->judgements, gate->n));
	drop_captures(gate);
	if (gate->report.shard && shard_file_write(&gate->report, gate->draft, err) < 0)
		return -1;
	return output_write_all(&gate->report, gate->draft, err);
}

/* What is printed, and the copy of verdict.json, which may be what is printed. */
static int
put_results(const struct gate *gate, struct buf *text, struct err *err)
{
	const char *json = gate->options->json;
	bool prints_json = json && strcmp(json, "-") == 0;
	struct buf contents = {0};
	int result = 0;

	output_write(prints_json ? &output_json : &output_text, &gate->report, text);
	if (json && !prints_json) {
		output_write(&output_json, &gate->report, &contents);
		result = file_write(json, buf_text(&contents), contents.len, err);
	}
	buf_release(&contents);
	return result;
}

int
gate_run(const struct gate_options *options, int *exit_code, struct buf *text, struct err *err)
{
	struct gate gate;
	int result = -1;

	gate_init(&gate, options);
	if (options->against) {
		if (build_side_against(&gate.base, options->against, err) < 0)
			goto out;
		gate.paired = true;
	}
	gate.report_folder =
		publish_begin(options->config->reports_dir, gate.session.started, &gate.draft, err);
	if (!gate.report_folder)
		goto out;
	if (fill_report(&gate, err) < 0) {
		file_dir_abandon(gate.draft);
		goto out;
	}
	result = publish_finish(gate.draft, gate.report_folder, err);
	if (result == 0) {
		*exit_code = options->bisect ? judge_bisect_code(gate.judgements, gate.n)
					     : gate.report.exit_code;
		result = put_results(&gate, text, err);
	}
out:
	gate_release(&gate);
	return result;
}
