#include "gate/gate_rounds.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "gate/judge.h"
#include "gate/more_runs.h"
#include "gate/narrate.h"
#include "machine/disturb.h"
#include "measurement/measure.h"
#include "measurement/watch_sides.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So long is short for it. */
#define COUNTING_SHORT_S 10
/* After an interruption, workloads with fewer runs are not judged. */
#define LEAST_JUDGED 3

int
gate_rounds_init(struct gate_rounds *rounds, const struct gate_options *options, struct err *err)
{
	size_t n = options->workloads->nworkloads;
	double budget = options->budget_s > 0 ? options->budget_s : options->config->budget_s;

	*rounds = (struct gate_rounds){
		.options = options, .n = n, .started = clock_seconds(), .has_budget = budget > 0};
	if (options->against &&
		build_side_against(&rounds->base, options->against, options->rebuild, err) < 0)
		return -1;
	rounds->paired = options->against != NULL;
	rounds->workloads = mem_zalloc(n, sizeof(*rounds->workloads));
	rounds->measurements = mem_zalloc(n, sizeof(*rounds->measurements));
	rounds->judgements = mem_zalloc(n, sizeof(struct judgement *));
	for (size_t i = 0; i < n; i++) {
		rounds->workloads[i].measurement = &rounds->measurements[i];
		rounds->judgements[i] = &rounds->workloads[i].judgement;
	}
	rounds->deadline_s = rounds->has_budget ? rounds->started + budget : 0;
	rounds->preparation = (struct gate_preparation){
		.options = options,
		.session = &rounds->session,
		.stored = &rounds->stored,
		.base = rounds->paired ? &rounds->base : NULL,
		.workloads = rounds->workloads,
		.n = n,
	};
	if (session_begin(&rounds->session, options->config, err) == 0) {
		rounds->preparation.branch =
			options->branch ? options->branch : rounds->session.branch;
		return 0;
	}
	gate_rounds_release(rounds);
	return -1;
}

void
gate_rounds_release(struct gate_rounds *rounds)
{
	for (size_t i = 0; i < rounds->n; i++) {
		gate_workload_release(&rounds->workloads[i]);
		measurement_release(&rounds->measurements[i]);
	}
	if (rounds->paired)
		build_side_release(&rounds->base);
	gate_confirm_release(&rounds->confirm);
	gate_preparation_release(&rounds->preparation);
	baseline_list_release(&rounds->stored);
	free(rounds->workloads);
	free(rounds->measurements);
	free(rounds->judgements);
}

/* Pairs with another build are tested block by block. Before the first of them. */
static void
plan_looks(struct gate_rounds *rounds)
{
	const char *branch = rounds->preparation.branch;

	for (size_t i = 0; i < rounds->n; i++) {
		struct measurement *m = rounds->workloads[i].measurement;
		const struct gate_policy policy = gate_policy_resolve(&m->workload->gate,
			&m->workload->overlays, GATE_PAIRED, m->event.counts_all, branch);

		if (m->nsides > 1 && !m->event.counts_all && !m->runs.by_looks)
			run_plan_use_looks(&m->runs, &policy);
	}
}

/* How many further runs there is time for. */
static double
runs_left(const struct gate_rounds *rounds, const struct measurement *m)
{
	return rounds->deadline_s > 0
		       ? floor((rounds->deadline_s - clock_seconds()) / measure_run_seconds(m))
		       : INFINITY;
}

/* A look at the pairs so far, if there are new ones; after an interruption it is the last. */
static void
look(const struct gate_rounds *rounds, struct gate_workload *w)
{
	struct measurement *m = w->measurement;

	if (!m->runs.by_looks)
		return;
	looks_add(&m->runs.looks, m->runs.taken[COMPARISON_SCREEN],
		rounds->interrupted[0] ? 0 : runs_left(rounds, m));
	w->judgement.input.looks = m->runs.looks;
}

/* Judges by the runs so far. */
static void
judge(struct gate_rounds *rounds)
{
	const char *branch = rounds->preparation.branch;

	for (size_t i = 0; i < rounds->n; i++) {
		gate_workload_prepare(&rounds->workloads[i], &rounds->session, branch);
		look(rounds, &rounds->workloads[i]);
		if (rounds->options->shard)
			rounds->judgements[i]->input.planned =
				rounds->options->shard->plan->nentries;
	}
	judge_tests(rounds->judgements, rounds->n);
	for (size_t i = 0; i < rounds->n; i++) {
		struct gate_workload *w = &rounds->workloads[i];

		if (!judgement_wants_code(rounds->judgements[i]))
			continue;
		gate_workload_look_at_code(w, &rounds->session);
		gate_workload_use_counts(w);
	}
	judge_decide(rounds->judgements, rounds->n, &rounds->status);
}

static bool
has_time(const struct gate_rounds *rounds, double seconds)
{
	return !(rounds->deadline_s > 0) || clock_seconds() + seconds <= rounds->deadline_s;
}

/*
 * Fills requests[] with those of undecided workloads that more runs of a stage could decide;
 * returns their number.
 */
static size_t
request_runs(const struct gate_rounds *rounds, int stage, struct run_request *requests)
{
	size_t n = 0;

	for (size_t i = 0; i < rounds->n; i++) {
		const struct measurement *m = rounds->workloads[i].measurement;

		if (m->error || m->base_problem ||
			!more_runs_request(
				&m->runs, stage, &rounds->judgements[i]->verdict, &requests[n]))
			continue;
		requests[n].workload = i;
		requests[n++].run_seconds = measure_run_seconds(m);
	}
	return n;
}

/* Plans more runs of a stage where they could decide something and there is time for them. */
static bool
plan_more_runs(struct gate_rounds *rounds, int stage)
{
	struct run_request *requests = mem_zalloc(rounds->n, sizeof(*requests));
	size_t n = request_runs(rounds, stage, requests);
	bool any = false;

	more_runs_grant(requests, n,
		rounds->deadline_s > 0 ? rounds->deadline_s - clock_seconds() : INFINITY);
	for (size_t i = 0; i < n; i++) {
		struct measurement *m = rounds->workloads[requests[i].workload].measurement;

		if (requests[i].runs == 0)
			continue;
		narrate_more_runs(m, &requests[i], stage);
		m->runs.wanted[stage] += requests[i].runs;
		any = true;
	}
	free(requests);
	return any;
}

/* Whether more runs could change the verdict of a workload. */
static bool
is_open(const struct gate_workload *w)
{
	return !w->measurement->error && !w->measurement->base_problem &&
	       run_plan_is_open(&w->measurement->runs, &w->judgement.verdict);
}

/* Shows new verdicts: of workloads that no more runs can change; at the end, of all. */
static void
show_verdicts(struct gate_rounds *rounds, bool at_end)
{
	for (size_t i = 0; i < rounds->n; i++) {
		struct gate_workload *w = &rounds->workloads[i];
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

/* Ends or resumes looks by run_plan_stop(), resume() or end(); whether it did of a workload. */
static bool
change_looks(struct gate_rounds *rounds, bool (*change)(struct run_plan *, const struct verdict *))
{
	bool any = false;

	for (size_t i = 0; i < rounds->n; i++) {
		const struct gate_workload *w = &rounds->workloads[i];
		struct measurement *m = w->measurement;

		if (!m->error && !m->base_problem && change(&m->runs, &w->judgement.verdict))
			any = true;
	}
	return any;
}

/*
 * Whether there is time to count. Without a budget: always where the policy says so; and else where
 * it is short, however short the planned runs were.
 */
static bool
has_time_to_count(
	const struct gate_rounds *rounds, const struct gate_workload *w, enum counting which)
{
	const struct measurement *m = w->measurement;
	const double seconds = gate_workload_count_seconds(w);
	const bool is_short = seconds <= COUNTING_SHORT_S;

	/* More runs of the candidate alone tell less than stored counts do. */
	if (!(which == COUNT_QUICK && w->has_stored_counts) &&
		!run_plan_counts_next(
			&m->runs, &w->judgement.verdict, which, seconds, measure_run_seconds(m)))
		return false;
	if (!rounds->has_budget &&
		(w->policy.decide == DECIDE_INSTRUCTIONS || is_short || w->has_stored_counts))
		return true;
	return has_time(rounds, seconds);
}

/* Counts are of no use where they are of other code than that which was timed. */
static bool
counts_other_code(const struct measurement *m, struct err *err)
{
	bool other = false;

	for (size_t i = 0; i < m->nsides && !other; i++)
		other = watch_counted_side(m, (enum measure_side)i, err) < 0;
	if (other && err->kind != ERR_INTERRUPTED)
		log_warn("%s: instructions are not used: %s", m->workload->name, err->text);
	return other;
}

/*
 * Counts the instructions of workloads that these could decide or explain, once each; *any tells
 * whether there were some. A failure is not fatal, and in the automatic case no news.
 */
static int
count_instructions(struct gate_rounds *rounds, enum counting which, const char *scratch_dir,
	bool *any, struct err *err)
{
	*any = false;
	for (size_t i = 0; i < rounds->n; i++) {
		struct gate_workload *w = &rounds->workloads[i];
		const struct measurement *m = w->measurement;
		struct err failure = {0};

		if (w->counted || m->error || !instructions_wanted(&w->judgement) ||
			!has_time_to_count(rounds, w, which))
			continue;
		log_step("%s: counting instructions", m->workload->name);
		w->counted = true;
		w->count_limit_s = instructions_limit_s(
			m->workload, w->has_stored_counts ? &w->stored_counts : NULL);
		const double start = clock_seconds();
		const bool other = counts_other_code(m, &failure);

		if (!other)
			w->instructions = w->has_stored_counts
						  ? instructions_count_stored(m, &w->stored_counts,
							    scratch_dir, &failure)
						  : instructions_count(m, scratch_dir, &failure);
		w->count_s = clock_seconds() - start;
		*any = *any || w->instructions;
		if (failure.kind == ERR_INTERRUPTED) {
			*err = failure;
			return -1;
		}
		if (!w->instructions && !other && w->policy.decide == DECIDE_AUTO)
			log_debug("%s: %s", m->workload->name, failure.text);
		else if (!w->instructions && !other)
			log_warn("%s: %s", m->workload->name, failure.text);
	}
	log_progress_end();
	return 0;
}

/* Takes the wanted runs of a stage, alone and in pairs. */
static int
take_runs(struct gate_rounds *rounds, unsigned stage, struct err *err)
{
	if (measure_more(rounds->alone, stage, err) < 0)
		return -1;
	return rounds->confirm.session ? measure_more(rounds->confirm.session, stage, err) : 0;
}

static void
set_deadline(const struct gate_rounds *rounds)
{
	measure_set_deadline(rounds->alone, rounds->deadline_s);
	if (rounds->confirm.session)
		measure_set_deadline(rounds->confirm.session, rounds->deadline_s);
}

/* The planned runs, whose time sets the time for more, of which confirming pairs are part. */
static int
measure_planned(struct gate_rounds *rounds, struct err *err)
{
	const double start = clock_seconds();

	if (take_runs(rounds, COMPARISON_SCREEN, err) < 0)
		return -1;
	if (!rounds->has_budget && !(rounds->deadline_s > 0)) {
		const double now = clock_seconds();

		rounds->deadline_s = now + more_runs_seconds(now - start);
	}
	set_deadline(rounds);
	return 0;
}

/* Measures or counts what could decide something; *more is false where nothing can. */
static int
next_step(struct gate_rounds *rounds, const char *scratch_dir, bool *more, struct err *err)
{
	bool counted;

	if (count_instructions(rounds, COUNT_QUICK, scratch_dir, &counted, err) < 0)
		return -1;
	if (counted)
		return 0;
	if (plan_more_runs(rounds, COMPARISON_CONFIRM))
		return take_runs(rounds, COMPARISON_CONFIRM, err);
	if (change_looks(rounds, run_plan_stop))
		return 0;
	if (count_instructions(rounds, COUNT_ALL, scratch_dir, &counted, err) < 0)
		return -1;
	if (counted || change_looks(rounds, run_plan_resume))
		return 0;
	if (plan_more_runs(rounds, COMPARISON_SCREEN))
		return take_runs(rounds, COMPARISON_SCREEN, err);
	*more = change_looks(rounds, run_plan_end);
	return 0;
}

/* The time that there is for measuring is not for builds. */
static void
put_off_deadline(struct gate_rounds *rounds, const struct measurement *measurements)
{
	for (size_t i = 0; i < rounds->n && rounds->deadline_s > 0; i++)
		rounds->deadline_s += measurements[i].building_s;
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

	judge(rounds);
	gate_confirm_offer_counts(&rounds->preparation);
	if (count_instructions(rounds, COUNT_QUICK, options->scratch_dir, &counted, err) < 0)
		return -1;
	if (counted)
		judge(rounds);
	of_pairs.deadline_s = rounds->has_budget ? rounds->deadline_s : 0;
	if (gate_confirm_begin(&rounds->confirm, &rounds->preparation, &of_pairs, err) < 0)
		return -1;
	if (!rounds->confirm.session)
		return 0;
	put_off_deadline(rounds, rounds->confirm.measurements);
	plan_looks(rounds);
	return measure_planned(rounds, err);
}

/* Measures until all is decided, or no more runs can decide it. */
static int
measure(struct gate_rounds *rounds, const struct measure_options *options, struct err *err)
{
	rounds->alone =
		measure_open(rounds->measurements, rounds->options->workloads, options, err);
	int result = rounds->alone ? gate_prepare(&rounds->preparation, rounds->alone, err) : -1;

	put_off_deadline(rounds, rounds->measurements);
	if (result == 0 && gate_prepare_measures(&rounds->preparation))
		result = quiet_wait(rounds->options->wait_quiet_s, err);
	if (result == 0) {
		plan_looks(rounds);
		result = measure_planned(rounds, err);
	}
	if (result == 0 && !rounds->paired)
		result = confirm_by_pairs(rounds, options, err);
	for (bool more = true; result == 0 && more;) {
		judge(rounds);
		show_verdicts(rounds, false);
		result = next_step(rounds, options->scratch_dir, &more, err);
	}
	gate_confirm_end(&rounds->confirm);
	measure_end(rounds->alone);
	rounds->alone = NULL;
	/* The profiles are sorted now. */
	if (result == 0) {
		judge(rounds);
		show_verdicts(rounds, true);
	}
	return result;
}

/*
 * Judges an interrupted gate by the runs so far, which may have taken hours. False where no
 * workload has enough.
 */
static bool
salvage(struct gate_rounds *rounds, const struct err *interruption)
{
	bool any = false;

	snprintf(rounds->interrupted, sizeof(rounds->interrupted), "SIG%s",
		sigabbrev_np(interruption->signal));
	for (size_t i = 0; i < rounds->n; i++) {
		gate_confirm_undo(&rounds->workloads[i], LEAST_JUDGED);
		struct measurement *m = rounds->workloads[i].measurement;
		unsigned taken = m->runs.taken[COMPARISON_SCREEN];

		if (!m->error && !m->left_out && !m->same_program && taken < LEAST_JUDGED)
			m->error = mem_printf(
				"interrupted by %s: %u runs were taken, at least %u are needed",
				rounds->interrupted, taken, LEAST_JUDGED);
		any = any || !m->error;
	}
	if (!any)
		return false;
	judge(rounds);
	show_verdicts(rounds, true);
	return true;
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
gate_rounds_run(struct gate_rounds *rounds, const char *scratch_dir, struct err *err)
{
	const struct measure_options options = measure_options_of(rounds, scratch_dir);

	if (baseline_list_read(&rounds->stored, rounds->options->config->baselines_dir, err) < 0)
		return -1;
	if (rounds->n > 0 && measure(rounds, &options, err) < 0 &&
		(err->kind != ERR_INTERRUPTED || !salvage(rounds, err)))
		return -1;
	return 0;
}

int
gate_rounds_plan(struct gate_rounds *rounds, const char *scratch_dir, struct err *err)
{
	const struct measure_options options = measure_options_of(rounds, scratch_dir);

	if (baseline_list_read(&rounds->stored, rounds->options->config->baselines_dir, err) < 0)
		return -1;
	struct measure_session *session =
		measure_open(rounds->measurements, rounds->options->workloads, &options, err);
	int result = session ? gate_prepare_plan(&rounds->preparation, session, err) : -1;

	measure_end(session);
	return result;
}
