#include "commands/calibrate.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "builds/build_side.h"
#include "gate/judge.h"
#include "measurement/measurement.h"
#include "measurement/rounds.h"
#include "measurement/session.h"
#include "output/calibration_report.h"

#include <stdlib.h>

/* The judging of one workload's pairs. */
struct judged_pairs {
	struct gate_policy policy;
	struct baseline_info base_info; /* of the base */
	struct judgement judgement;
};

/* All of one calibration. */
struct calibration {
	const struct calibrate_options *options;
	size_t n;
	struct workload_list list;  /* those of the options, with the runs of the calibration */
	struct judged_pairs *pairs; /* by workload */
	struct calibrated_workload *entries; /* the results, by workload */
	struct measurement *measurements;    /* by workload */
	/* Only the workloads that were measured, in their order. */
	size_t ncalibrated;
	struct judgement **judgements;
	struct calibrated_workload **calibrated;
	struct session session;
	struct build_side base; /* the build of the working tree, once more */
	struct rehearsal rehearsal;
	double started;
	double rehearsal_s;
};

static void
calibration_init(struct calibration *c, const struct calibrate_options *options)
{
	size_t n = options->workloads->nworkloads;

	*c = (struct calibration){
		.options = options,
		.n = n,
		.list = {mem_zalloc(n, sizeof(*c->list.workloads)), n},
		.pairs = mem_zalloc(n, sizeof(*c->pairs)),
		.entries = mem_zalloc(n, sizeof(*c->entries)),
		.measurements = mem_zalloc(n, sizeof(*c->measurements)),
		.judgements = mem_zalloc(n, sizeof(struct judgement *)),
		.calibrated = mem_zalloc(n, sizeof(struct calibrated_workload *)),
		.started = clock_seconds(),
	};
	build_side_here(&c->base);
	for (size_t i = 0; i < n; i++) {
		struct capture_policy *capture = &c->list.workloads[i].capture;

		c->list.workloads[i] = options->workloads->workloads[i];
		/* As in a gate, runs that are too poor can be taken again, up to half as many. */
		capture->runs = options->pairs;
		capture->max_runs = options->pairs + options->pairs / 2;
	}
}

static void
calibration_release(struct calibration *c)
{
	for (size_t i = 0; i < c->n; i++) {
		calibration_dispersion_release(&c->entries[i].dispersion);
		power_release(&c->entries[i].power);
		advice_release(&c->entries[i].advice);
		judgement_release(&c->pairs[i].judgement);
		measurement_release(&c->measurements[i]);
	}
	rehearsal_release(&c->rehearsal);
	build_side_release(&c->base);
	free(c->list.workloads);
	free(c->pairs);
	free(c->entries);
	free(c->measurements);
	free(c->judgements);
	free(c->calibrated);
}

static int
measure_runs(struct calibration *c, struct err *err)
{
	double budget = c->options->budget_s;
	char *scratch;

	if (session_begin(&c->session, c->options->config, err) < 0 ||
		file_dir_scratch(&scratch, err) < 0)
		return -1;
	const struct measure_options options = {
		.scratch_dir = scratch,
		.keep = MEASURE_KEEP_NOTHING,
		.base = &c->base,
		.deadline_s = budget > 0 ? c->started + budget : 0,
	};
	int result = rounds_measure(c->measurements, &c->list, &options, err);

	file_dir_abandon(scratch);
	return result;
}

/* Why a workload cannot be calibrated; NULL: it can. free() it. */
static char *
problem_of(const struct measurement *m)
{
	unsigned pairs = m->runs.taken[COMPARISON_SCREEN];

	if (m->error)
		return mem_strdup(m->error);
	if (m->event.counts_all)
		return mem_printf(
			"the metric '%s' is an exact count: there is nothing to calibrate.",
			m->workload->capture.metric);
	if (pairs < CALIBRATE_LEAST_PAIRS)
		return mem_printf(
			"%u pairs were measured in time; at least %d are needed: use a larger "
			"'--budget'.",
			pairs, CALIBRATE_LEAST_PAIRS);
	return NULL;
}

/* Sets the input of judging: all pairs, at a single look. */
static void
set_input(struct calibration *c, size_t i)
{
	struct judged_pairs *pairs = &c->pairs[i];
	const struct measurement *m = &c->measurements[i];
	const struct workload *w = &c->options->workloads->workloads[i];
	const char *branch = c->options->branch ? c->options->branch : c->session.branch;

	pairs->policy = gate_policy_resolve(
		&w->gate, &w->overlays, GATE_PAIRED, m->event.counts_all, branch);
	pairs->judgement.input = (struct gate_input){
		.workload = w,
		.policy = &pairs->policy,
		.mode = GATE_PAIRED,
		.now = c->session.started,
		.candidate = &m->sides[MEASURE_CANDIDATE].profile,
		.before = &m->sides[MEASURE_BASE].profile,
		.before_info = &pairs->base_info,
		.against = c->base.name,
		.machine_class = c->pairs[0].base_info.machine_class,
		.program_hash = m->sides[MEASURE_CANDIDATE].program_hash,
		.looks = {.most = m->runs.taken[COMPARISON_SCREEN]},
	};
	looks_add(&pairs->judgement.input.looks, m->runs.taken[COMPARISON_SCREEN], 0);
}

static void
judge_pairs(struct calibration *c)
{
	enum status ignored;

	for (size_t i = 0; i < c->n; i++) {
		struct calibrated_workload *entry = &c->entries[i];
		struct measurement *m = &c->measurements[i];
		char *problem = problem_of(m);

		c->pairs[i].base_info = session_info(&c->session, m);
		entry->workload = &c->options->workloads->workloads[i];
		entry->gate_runs = entry->workload->capture.runs;
		if (problem) {
			free(m->error);
			m->error = problem;
			entry->error = problem;
			continue;
		}
		set_input(c, i);
		entry->judgement = &c->pairs[i].judgement;
		c->judgements[c->ncalibrated] = &c->pairs[i].judgement;
		c->calibrated[c->ncalibrated++] = entry;
	}
	judge_gate(c->judgements, c->ncalibrated, &ignored);
}

/* Simulates gates from the measured pairs. */
static void
rehearse(struct calibration *c)
{
	const struct rehearsal_options options = {.ngates = c->options->gates,
		.seed = c->options->seed,
		.default_time = !(c->options->config->budget_s > 0)};
	struct rehearsal_workload *workloads = mem_zalloc(c->n + 1, sizeof(*workloads));
	double start = clock_seconds();

	for (size_t k = 0; k < c->ncalibrated; k++)
		workloads[k] = (struct rehearsal_workload){
			.judgement = c->judgements[k],
			.runs = c->calibrated[k]->gate_runs,
			.max_runs = c->calibrated[k]->workload->capture.max_runs,
		};
	rehearsal_run(&c->rehearsal, workloads, c->ncalibrated, &options);
	if (c->rehearsal.whole.ngates > 0)
		log_step("simulated %zu gates", c->rehearsal.whole.ngates);
	log_progress_end();
	for (size_t k = 0; k < c->ncalibrated; k++)
		c->calibrated[k]->rehearsal = &c->rehearsal.workloads[k];
	c->rehearsal_s = clock_seconds() - start;
	free(workloads);
}

/* Computes the results of a workload: noise, power, advice. */
static void
conclude(struct calibrated_workload *entry)
{
	const struct judgement *judgement = entry->judgement;

	calibration_noise(judgement->input.before, judgement->input.candidate, &entry->noise);
	calibration_dispersion(&judgement->comparison, &entry->dispersion);
	power_init(&entry->power, judgement, entry->gate_runs);
	const struct advice_request request = {
		.judgement = judgement,
		.power = &entry->power,
		.noise = &entry->noise,
		.dispersion = &entry->dispersion,
		.rehearsal = entry->rehearsal,
		.runs = entry->gate_runs,
		.max_runs = entry->workload->capture.max_runs,
		.frequency_hz = entry->workload->capture.frequency_hz,
	};

	advice_init(&entry->advice, &request);
}

static void
report(const struct calibration *c, struct buf *text, struct buf *json)
{
	const struct calibration_report all = {
		.about =
			{
				.tool_version = PROFILE_RUN_VERSION,
				.started = c->session.started,
				.duration_s = clock_seconds() - c->started,
				.command = c->options->command,
				.machine = &c->session.machine,
				.machine_class = c->pairs[0].base_info.machine_class,
				.event_reason = c->measurements[0].event.reason,
				.pinning = c->measurements[0].cpus.text,
				.commit = c->session.commit,
			},
		.rehearsal_s = c->rehearsal_s,
		.seed = c->options->seed,
		.rehearsal = &c->rehearsal,
		.workloads = c->entries,
		.nworkloads = c->n,
	};

	calibration_put_text(&all, text);
	calibration_put_json(&all, json);
}

int
calibrate_run(const struct calibrate_options *options, struct buf *text, struct buf *json,
	bool *any_failed, struct err *err)
{
	struct calibration c;

	calibration_init(&c, options);
	int result = measure_runs(&c, err);

	if (result == 0) {
		judge_pairs(&c);
		rehearse(&c);
		for (size_t k = 0; k < c.ncalibrated; k++)
			conclude(c.calibrated[k]);
		report(&c, text, json);
		*any_failed = c.ncalibrated < c.n;
	}
	calibration_release(&c);
	return result;
}
