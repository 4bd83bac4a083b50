/*
 * The steps of a gate, in order: plan, build and warm up (gate_prepare.c); planned runs; confirming
 * pairs (gate_confirm.c); added runs and counted instructions, until all is decided or nothing more
 * can decide it (gate_steps.c); report (gate_report.c). Read it from the end: gate_run() is the
 * last function.
 */
#include "gate/gate.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "gate/gate_report.h"
#include "gate/judge.h"
#include "gate/more_runs.h"
#include "machine/disturb.h"
#include "measurement/measurement.h"
#include "measurement/rounds.h"
#include "measurement/suite_listing.h"
#include "replay/publish.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* After an interruption, workloads with fewer runs are not judged. */
#define INTERRUPTED_LEAST_RUNS 3

/* Plans each workload, builds it and its base, warms up, and waits until the machine is quiet. */
static int
prepare(struct gate *gate, const struct measure_options *options, struct err *err)
{
	gate->first_stage = rounds_open(gate->measurements, gate->options->workloads, options, err);
	int result =
		gate->first_stage ? gate_prepare(&gate->preparation, gate->first_stage, err) : -1;

	gate_put_off_deadline(gate, gate->measurements);
	if (result == 0 && gate_prepare_measures(&gate->preparation))
		result = quiet_wait(gate->options->wait_quiet_s, err);
	return result;
}

/*
 * Takes the planned runs. Without a budget, the time that they took limits the time for confirming
 * pairs and added runs.
 */
static int
take_planned_runs(struct gate *gate, struct err *err)
{
	const double start = clock_seconds();

	gate_schedule_looks(gate);
	if (gate_take_runs(gate, COMPARISON_SCREEN, err) < 0)
		return -1;
	if (!gate->has_budget && !(gate->deadline_s > 0)) {
		const double now = clock_seconds();

		gate->deadline_s = now + more_runs_seconds(now - start);
	}
	gate_set_deadline(gate);
	return 0;
}

/*
 * Measures workloads that their stored baseline flags in pairs with a build of its commit, unless
 * stored counts decide them sooner.
 */
static int
confirm_by_pairs(struct gate *gate, const struct measure_options *options, struct err *err)
{
	struct measure_options of_pairs = *options;
	bool counted;

	gate_judge_runs(gate);
	gate_confirm_offer_counts(&gate->preparation);
	if (gate_count_instructions(gate, COUNT_QUICK, options->scratch_dir, &counted, err) < 0)
		return -1;
	if (counted)
		gate_judge_runs(gate);
	of_pairs.deadline_s = gate->has_budget ? gate->deadline_s : 0;
	if (gate_confirm_begin(&gate->confirm, &gate->preparation, &of_pairs, err) < 0)
		return -1;
	if (!gate->confirm.rounds)
		return 0;
	gate_put_off_deadline(gate, gate->confirm.measurements);
	return take_planned_runs(gate, err);
}

/*
 * Takes one kind of added runs or counts: the first of these that could decide something. In order:
 * quick counts, confirming runs, all other counts, further runs like the planned ones. *more is
 * false where nothing can.
 */
static int
add_runs_or_counts(struct gate *gate, const char *scratch_dir, bool *more, struct err *err)
{
	bool counted;

	if (gate_count_instructions(gate, COUNT_QUICK, scratch_dir, &counted, err) < 0)
		return -1;
	if (counted)
		return 0;
	if (gate_want_runs(gate, COMPARISON_CONFIRM))
		return gate_take_runs(gate, COMPARISON_CONFIRM, err);
	if (gate_change_looks(gate, run_plan_stop))
		return 0;
	if (gate_count_instructions(gate, COUNT_ALL, scratch_dir, &counted, err) < 0)
		return -1;
	if (counted || gate_change_looks(gate, run_plan_resume))
		return 0;
	if (gate_want_runs(gate, COMPARISON_SCREEN))
		return gate_take_runs(gate, COMPARISON_SCREEN, err);
	*more = gate_change_looks(gate, run_plan_end);
	return 0;
}

/* All steps from the plan to the last run. */
static int
measure(struct gate *gate, const struct measure_options *options, struct err *err)
{
	int result = prepare(gate, options, err);

	if (result == 0)
		result = take_planned_runs(gate, err);
	if (result == 0 && !gate->paired)
		result = confirm_by_pairs(gate, options, err);
	for (bool more = true; result == 0 && more;) {
		gate_judge_runs(gate);
		gate_log_verdicts(gate, false);
		result = add_runs_or_counts(gate, options->scratch_dir, &more, err);
	}
	gate_confirm_end(&gate->confirm);
	rounds_end(gate->first_stage);
	gate->first_stage = NULL;
	return result;
}

/* Judges once more: the profiles were sorted when measuring ended. */
static void
judge_at_end(struct gate *gate)
{
	gate_judge_runs(gate);
	gate_log_verdicts(gate, true);
}

/*
 * Judges an interrupted gate by the runs so far, which may have taken hours. False where no
 * workload has enough runs.
 */
static bool
judge_interrupted(struct gate *gate, const struct err *interruption)
{
	bool any = false;

	snprintf(gate->interrupted, sizeof(gate->interrupted), "SIG%s",
		sigabbrev_np(interruption->signal));
	for (size_t i = 0; i < gate->n; i++) {
		gate_confirm_undo(&gate->workloads[i], INTERRUPTED_LEAST_RUNS);
		struct measurement *m = gate->workloads[i].measurement;
		unsigned taken = m->runs.taken[COMPARISON_SCREEN];

		if (!m->error && !m->left_out && !m->same_program && taken < INTERRUPTED_LEAST_RUNS)
			m->error = mem_printf(
				"interrupted by %s: %u runs were taken, at least %u are needed",
				gate->interrupted, taken, INTERRUPTED_LEAST_RUNS);
		any = any || !m->error;
	}
	if (any)
		judge_at_end(gate);
	return any;
}

static struct measure_options
measure_options_of(const struct gate *gate, const char *scratch_dir)
{
	return (struct measure_options){
		.scratch_dir = scratch_dir,
		.keep = gate->options->config->keep_perfdata ? MEASURE_KEEP_RAW
							     : MEASURE_KEEP_CONDENSED,
		.baselines = gate->paired ? NULL : &gate->session,
		.base = gate->paired ? &gate->base : NULL,
		/* A bisection skips the commit instead. */
		.skip_unless = gate->options->bisect ? NULL : &gate->stored,
		.skip_same = !gate->options->measure_anyway || !gate->paired,
		.picture_of_same = gate->options->measure_anyway,
		.deadline_s = gate->deadline_s,
	};
}

int
gate_measure(struct gate *gate, const char *scratch_dir, struct err *err)
{
	const struct measure_options options = measure_options_of(gate, scratch_dir);

	if (baseline_list_read(&gate->stored, gate->options->config->baselines_dir, err) < 0)
		return -1;
	suites_warn_of_vanished(gate->options->workloads, &gate->stored);
	if (gate->n == 0)
		return 0;
	if (measure(gate, &options, err) == 0) {
		judge_at_end(gate);
		return 0;
	}
	return err->kind == ERR_INTERRUPTED && judge_interrupted(gate, err) ? 0 : -1;
}

/* --plan: finds how each workload would be judged, and measures nothing. */
static int
make_plans(struct gate *gate, const char *scratch, struct err *err)
{
	const struct measure_options options = measure_options_of(gate, scratch);

	if (baseline_list_read(&gate->stored, gate->options->config->baselines_dir, err) < 0)
		return -1;
	struct rounds *rounds =
		rounds_open(gate->measurements, gate->options->workloads, &options, err);
	int result = rounds ? gate_prepare_plan(&gate->preparation, rounds, err) : -1;

	rounds_end(rounds);
	return result;
}

static int
plan_only(struct gate *gate, struct buf *text, struct err *err)
{
	char *scratch = NULL;
	int result = file_dir_scratch(&scratch, err);

	if (result == 0) {
		result = make_plans(gate, scratch, err);
		file_dir_abandon(scratch);
	}
	return result == 0 ? gate_put_plans(gate, text, err) : -1;
}

/* Prints the result and writes the copy of verdict.json, which may be the printed one. */
static int
put_results(const struct gate_options *options, const struct buf *verdict, const struct buf *json,
	struct buf *text, struct err *err)
{
	bool prints_json = options->json && strcmp(options->json, "-") == 0;
	const struct buf *printed = prints_json ? json : verdict;

	buf_put(text, buf_text(printed), printed->len);
	return options->json && !prints_json
		       ? file_write(options->json, buf_text(json), json->len, err)
		       : 0;
}

/* Measures and judges, and writes the report, which is there whole or not at all. */
static int
measure_and_report(struct gate *gate, int *exit_code, struct buf *text, struct err *err)
{
	const struct gate_options *options = gate->options;
	struct buf verdict = {0};
	struct buf json = {0};
	char *draft = NULL;
	/* A folder that cannot be written to is found before minutes are spent. */
	char *folder =
		publish_begin(options->config->reports_dir, gate->session.started, &draft, err);

	if (!folder)
		return -1;
	int result = gate_measure(gate, draft, err);

	if (result == 0)
		result = gate_write_report(gate, draft, folder, exit_code, &verdict,
			options->json ? &json : NULL, err);
	if (result == 0)
		result = publish_finish(draft, folder, err);
	else
		file_dir_abandon(draft);
	if (result == 0)
		result = put_results(options, &verdict, &json, text, err);
	if (result == 0 && options->bisect)
		*exit_code = judge_bisect_code(gate->judgements, gate->n);
	buf_release(&verdict);
	buf_release(&json);
	free(folder);
	return result;
}

int
gate_run(const struct gate_options *options, int *exit_code, struct buf *text, struct err *err)
{
	struct gate gate;

	*exit_code = 0;
	if (gate_init(&gate, options, err) < 0)
		return -1;
	const int result = options->plan ? plan_only(&gate, text, err)
					 : measure_and_report(&gate, exit_code, text, err);

	gate_release(&gate);
	return result;
}
