/*
 * The steps of a gate: plan, build and warm up (gate_prepare.c), planned runs, confirming pairs
 * (gate_confirm.c), added runs and counted instructions until all is decided or no more runs can
 * decide it (gate_rounds.c), report (gate_report.c).
 */
#include "gate/gate.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "gate/gate_report.h"
#include "gate/judge.h"
#include "gate/more_runs.h"
#include "machine/disturb.h"
#include "measurement/measure.h"
#include "replay/publish.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* After an interruption, workloads with fewer runs are not judged. */
#define INTERRUPTED_LEAST_RUNS 3

static void
set_deadline(const struct gate_rounds *rounds)
{
	measure_set_deadline(rounds->alone, rounds->deadline_s);
	if (rounds->confirm.session)
		measure_set_deadline(rounds->confirm.session, rounds->deadline_s);
}

/* The time that there is for measuring is not for builds. */
static void
put_off_deadline(struct gate_rounds *rounds, const struct measurement *measurements)
{
	for (size_t i = 0; i < rounds->n && rounds->deadline_s > 0; i++)
		rounds->deadline_s += measurements[i].building_s;
}

/* Plans each workload, builds it and what it is compared with, and waits until all is quiet. */
static int
prepare(struct gate_rounds *rounds, const struct measure_options *options, struct err *err)
{
	rounds->alone =
		measure_open(rounds->measurements, rounds->options->workloads, options, err);
	int result = rounds->alone ? gate_prepare(&rounds->preparation, rounds->alone, err) : -1;

	put_off_deadline(rounds, rounds->measurements);
	if (result == 0 && gate_prepare_measures(&rounds->preparation))
		result = quiet_wait(rounds->options->wait_quiet_s, err);
	return result;
}

/* The planned runs, whose time sets the time for more, of which confirming pairs are part. */
static int
take_planned_runs(struct gate_rounds *rounds, struct err *err)
{
	const double start = clock_seconds();

	gate_rounds_plan_looks(rounds);
	if (gate_rounds_take_runs(rounds, COMPARISON_SCREEN, err) < 0)
		return -1;
	if (!rounds->has_budget && !(rounds->deadline_s > 0)) {
		const double now = clock_seconds();

		rounds->deadline_s = now + more_runs_seconds(now - start);
	}
	set_deadline(rounds);
	return 0;
}

/*
 * Functions that stored baselines flag are measured in pairs with builds of their commits, unless
 * stored counts decide it sooner.
 */
static int
confirm_by_pairs(struct gate_rounds *rounds, const struct measure_options *options, struct err *err)
{
	struct measure_options of_pairs = *options;
	bool counted;

	gate_rounds_judge(rounds);
	gate_confirm_offer_counts(&rounds->preparation);
	if (gate_rounds_count(rounds, COUNT_QUICK, options->scratch_dir, &counted, err) < 0)
		return -1;
	if (counted)
		gate_rounds_judge(rounds);
	of_pairs.deadline_s = rounds->has_budget ? rounds->deadline_s : 0;
	if (gate_confirm_begin(&rounds->confirm, &rounds->preparation, &of_pairs, err) < 0)
		return -1;
	if (!rounds->confirm.session)
		return 0;
	put_off_deadline(rounds, rounds->confirm.measurements);
	return take_planned_runs(rounds, err);
}

/*
 * Takes added runs or counts, the first of these that could decide something: counts that take no
 * time, confirming runs, other counts, more planned runs; *more is false where nothing can.
 */
static int
decide_more(struct gate_rounds *rounds, const char *scratch_dir, bool *more, struct err *err)
{
	bool counted;

	if (gate_rounds_count(rounds, COUNT_QUICK, scratch_dir, &counted, err) < 0)
		return -1;
	if (counted)
		return 0;
	if (gate_rounds_plan_runs(rounds, COMPARISON_CONFIRM))
		return gate_rounds_take_runs(rounds, COMPARISON_CONFIRM, err);
	if (gate_rounds_change_looks(rounds, run_plan_stop))
		return 0;
	if (gate_rounds_count(rounds, COUNT_ALL, scratch_dir, &counted, err) < 0)
		return -1;
	if (counted || gate_rounds_change_looks(rounds, run_plan_resume))
		return 0;
	if (gate_rounds_plan_runs(rounds, COMPARISON_SCREEN))
		return gate_rounds_take_runs(rounds, COMPARISON_SCREEN, err);
	*more = gate_rounds_change_looks(rounds, run_plan_end);
	return 0;
}

/* All steps that measure. */
static int
measure(struct gate_rounds *rounds, const struct measure_options *options, struct err *err)
{
	int result = prepare(rounds, options, err);

	if (result == 0)
		result = take_planned_runs(rounds, err);
	if (result == 0 && !rounds->paired)
		result = confirm_by_pairs(rounds, options, err);
	for (bool more = true; result == 0 && more;) {
		gate_rounds_judge(rounds);
		gate_rounds_show_verdicts(rounds, false);
		result = decide_more(rounds, options->scratch_dir, &more, err);
	}
	gate_confirm_end(&rounds->confirm);
	measure_end(rounds->alone);
	rounds->alone = NULL;
	return result;
}

/* The verdict, by profiles that are sorted once measuring has ended. */
static void
judge_at_end(struct gate_rounds *rounds)
{
	gate_rounds_judge(rounds);
	gate_rounds_show_verdicts(rounds, true);
}

/*
 * Judges an interrupted gate by the runs so far, which may have taken hours. False where no
 * workload has enough.
 */
static bool
judge_interrupted(struct gate_rounds *rounds, const struct err *interruption)
{
	bool any = false;

	snprintf(rounds->interrupted, sizeof(rounds->interrupted), "SIG%s",
		sigabbrev_np(interruption->signal));
	for (size_t i = 0; i < rounds->n; i++) {
		gate_confirm_undo(&rounds->workloads[i], INTERRUPTED_LEAST_RUNS);
		struct measurement *m = rounds->workloads[i].measurement;
		unsigned taken = m->runs.taken[COMPARISON_SCREEN];

		if (!m->error && !m->left_out && !m->same_program && taken < INTERRUPTED_LEAST_RUNS)
			m->error = mem_printf(
				"interrupted by %s: %u runs were taken, at least %u are needed",
				rounds->interrupted, taken, INTERRUPTED_LEAST_RUNS);
		any = any || !m->error;
	}
	if (any)
		judge_at_end(rounds);
	return any;
}

static struct measure_options
measure_options_of(const struct gate_rounds *rounds, const char *scratch_dir)
{
	return (struct measure_options){
		.scratch_dir = scratch_dir,
		.keep = rounds->options->config->keep_perfdata ? MEASURE_KEEP_RAW
							       : MEASURE_KEEP_CONDENSED,
		.baselines = rounds->paired ? NULL : &rounds->session,
		.base = rounds->paired ? &rounds->base : NULL,
		/* A bisection passes over the commit instead. */
		.skip_unless = rounds->options->bisect ? NULL : &rounds->stored,
		.skip_same = !rounds->options->measure_anyway || !rounds->paired,
		.picture_of_same = rounds->options->measure_anyway,
		.deadline_s = rounds->deadline_s,
	};
}

int
gate_measure(struct gate_rounds *rounds, const char *scratch_dir, struct err *err)
{
	const struct measure_options options = measure_options_of(rounds, scratch_dir);

	if (baseline_list_read(&rounds->stored, rounds->options->config->baselines_dir, err) < 0)
		return -1;
	if (rounds->n == 0)
		return 0;
	if (measure(rounds, &options, err) == 0) {
		judge_at_end(rounds);
		return 0;
	}
	return err->kind == ERR_INTERRUPTED && judge_interrupted(rounds, err) ? 0 : -1;
}

/* Finds how each workload is judged, and measures nothing; captures of builds go to `scratch`. */
static int
make_plans(struct gate_rounds *rounds, const char *scratch, struct err *err)
{
	const struct measure_options options = measure_options_of(rounds, scratch);

	if (baseline_list_read(&rounds->stored, rounds->options->config->baselines_dir, err) < 0)
		return -1;
	struct measure_session *session =
		measure_open(rounds->measurements, rounds->options->workloads, &options, err);
	int result = session ? gate_prepare_plan(&rounds->preparation, session, err) : -1;

	measure_end(session);
	return result;
}

static int
plan_only(struct gate_rounds *rounds, struct buf *text, struct err *err)
{
	char *scratch = NULL;
	int result = file_dir_scratch(&scratch, err);

	if (result == 0) {
		result = make_plans(rounds, scratch, err);
		file_dir_abandon(scratch);
	}
	return result == 0 ? gate_put_plans(rounds, text, err) : -1;
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
measure_and_report(struct gate_rounds *rounds, int *exit_code, struct buf *text, struct err *err)
{
	const struct gate_options *options = rounds->options;
	struct buf verdict = {0};
	struct buf json = {0};
	char *draft = NULL;
	/* A folder that cannot be written to is found before minutes are spent. */
	char *folder =
		publish_begin(options->config->reports_dir, rounds->session.started, &draft, err);

	if (!folder)
		return -1;
	int result = gate_measure(rounds, draft, err);

	if (result == 0)
		result = gate_write_report(rounds, draft, folder, exit_code, &verdict,
			options->json ? &json : NULL, err);
	if (result == 0)
		result = publish_finish(draft, folder, err);
	else
		file_dir_abandon(draft);
	if (result == 0)
		result = put_results(options, &verdict, &json, text, err);
	if (result == 0 && options->bisect)
		*exit_code = judge_bisect_code(rounds->judgements, rounds->n);
	buf_release(&verdict);
	buf_release(&json);
	free(folder);
	return result;
}

int
gate_run(const struct gate_options *options, int *exit_code, struct buf *text, struct err *err)
{
	struct gate_rounds rounds;

	*exit_code = 0;
	if (gate_rounds_init(&rounds, options, err) < 0)
		return -1;
	const int result = options->plan ? plan_only(&rounds, text, err)
					 : measure_and_report(&rounds, exit_code, text, err);

	gate_rounds_release(&rounds);
	return result;
}
