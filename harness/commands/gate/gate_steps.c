#include "gate/gate_steps.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "gate/counted_instructions.h"
#include "gate/evidence.h"
#include "gate/gate_log.h"
#include "gate/judge.h"
#include "gate/more_runs.h"
#include "measurement/measurement.h"
#include "measurement/rounds.h"
#include "measurement/watch_sides.h"

#include <math.h>
#include <stdlib.h>

/* Counting that takes at most so long needs no further reason. */
#define COUNTING_SHORT_S 10

int
gate_init(struct gate *gate, const struct gate_options *options, struct err *err)
{
	size_t n = options->workloads->nworkloads;
	double budget = options->budget_s > 0 ? options->budget_s : options->config->budget_s;

	*gate = (struct gate){
		.options = options, .n = n, .started = clock_seconds(), .has_budget = budget > 0};
	if (options->against &&
		build_side_against(&gate->base, options->against, options->rebuild, err) < 0)
		return -1;
	gate->paired = options->against != NULL;
	gate->workloads = mem_zalloc(n, sizeof(*gate->workloads));
	gate->measurements = mem_zalloc(n, sizeof(*gate->measurements));
	gate->judgements = mem_zalloc(n, sizeof(struct judgement *));
	for (size_t i = 0; i < n; i++) {
		gate->workloads[i].measurement = &gate->measurements[i];
		gate->judgements[i] = &gate->workloads[i].judgement;
	}
	gate->deadline_s = gate->has_budget ? gate->started + budget : 0;
	gate->preparation = (struct gate_preparation){
		.options = options,
		.session = &gate->session,
		.stored = &gate->stored,
		.base = gate->paired ? &gate->base : NULL,
		.bases = {.anew = options->rebuild},
		.workloads = gate->workloads,
		.n = n,
	};
	if (session_begin(&gate->session, options->config, err) == 0) {
		gate->preparation.branch = options->branch ? options->branch : gate->session.branch;
		return 0;
	}
	gate_release(gate);
	return -1;
}

void
gate_release(struct gate *gate)
{
	for (size_t i = 0; i < gate->n; i++) {
		gate_workload_release(&gate->workloads[i]);
		measurement_release(&gate->measurements[i]);
	}
	if (gate->paired)
		build_side_release(&gate->base);
	gate_confirm_release(&gate->confirm);
	gate_preparation_release(&gate->preparation);
	baseline_list_release(&gate->stored);
	free(gate->workloads);
	free(gate->measurements);
	free(gate->judgements);
}

void
gate_schedule_looks(struct gate *gate)
{
	const char *branch = gate->preparation.branch;

	for (size_t i = 0; i < gate->n; i++) {
		struct measurement *m = gate->workloads[i].measurement;
		const struct gate_policy policy = gate_policy_resolve(&m->workload->gate,
			&m->workload->overlays, GATE_PAIRED, m->event.counts_all, branch);

		if (m->nsides > 1 && !m->event.counts_all && !m->runs.by_looks)
			run_plan_use_looks(&m->runs, &policy);
	}
}

/* The number of further runs that there is time for. */
static double
runs_left(const struct gate *gate, const struct measurement *m)
{
	return gate->deadline_s > 0
		       ? floor((gate->deadline_s - clock_seconds()) / measurement_run_seconds(m))
		       : INFINITY;
}

/* Adds a look at the pairs so far, if there are new ones; after an interruption it is the last. */
static void
add_look(const struct gate *gate, struct gate_workload *w)
{
	struct measurement *m = w->measurement;

	if (!m->runs.by_looks)
		return;
	looks_add(&m->runs.looks, m->runs.taken[COMPARISON_SCREEN],
		gate->interrupted[0] ? 0 : runs_left(gate, m));
	w->judgement.input.looks = m->runs.looks;
}

void
gate_judge_runs(struct gate *gate)
{
	const char *branch = gate->preparation.branch;

	for (size_t i = 0; i < gate->n; i++) {
		gate_workload_set_input(&gate->workloads[i], &gate->session, branch);
		add_look(gate, &gate->workloads[i]);
		if (gate->options->shard)
			gate->judgements[i]->input.planned = gate->options->shard->plan->nentries;
	}
	judge_tests(gate->judgements, gate->n);
	for (size_t i = 0; i < gate->n; i++) {
		struct gate_workload *w = &gate->workloads[i];

		if (!judgement_wants_code(gate->judgements[i]))
			continue;
		gate_workload_read_code(w, &gate->session);
		gate_workload_use_counts(w);
	}
	judge_decide(gate->judgements, gate->n, &gate->status);
}

static bool
has_time(const struct gate *gate, double seconds)
{
	return !(gate->deadline_s > 0) || clock_seconds() + seconds <= gate->deadline_s;
}

/*
 * Fills requests[] with one for each undecided workload that more runs of a stage could decide.
 * Returns their number.
 */
static size_t
request_runs(const struct gate *gate, int stage, struct run_request *requests)
{
	size_t n = 0;

	for (size_t i = 0; i < gate->n; i++) {
		const struct measurement *m = gate->workloads[i].measurement;

		if (m->error || m->base_problem ||
			!more_runs_request(
				&m->runs, stage, &gate->judgements[i]->verdict, &requests[n]))
			continue;
		requests[n].workload = i;
		requests[n++].run_seconds = measurement_run_seconds(m);
	}
	return n;
}

bool
gate_want_runs(struct gate *gate, int stage)
{
	struct run_request *requests = mem_zalloc(gate->n, sizeof(*requests));
	size_t n = request_runs(gate, stage, requests);
	bool any = false;

	more_runs_grant(
		requests, n, gate->deadline_s > 0 ? gate->deadline_s - clock_seconds() : INFINITY);
	for (size_t i = 0; i < n; i++) {
		struct measurement *m = gate->workloads[requests[i].workload].measurement;

		if (requests[i].runs == 0)
			continue;
		gate_log_more_runs(m, &requests[i], stage);
		m->runs.wanted[stage] += requests[i].runs;
		any = true;
	}
	free(requests);
	return any;
}

/* Whether more runs could change the verdict of a workload. */
static bool
can_change(const struct gate_workload *w)
{
	return !w->measurement->error && !w->measurement->base_problem &&
	       run_plan_is_open(&w->measurement->runs, &w->judgement.verdict);
}

void
gate_log_verdicts(struct gate *gate, bool at_end)
{
	for (size_t i = 0; i < gate->n; i++) {
		struct gate_workload *w = &gate->workloads[i];
		const struct verdict *verdict = &w->judgement.verdict;

		/* An error was logged when it occurred. */
		if (w->measurement->error ||
			(w->verdict_logged && w->logged_status == verdict->status) ||
			(!at_end && can_change(w)))
			continue;
		gate_log_verdict(w->measurement, verdict);
		w->verdict_logged = true;
		w->logged_status = verdict->status;
	}
}

bool
gate_change_looks(struct gate *gate, bool (*change)(struct run_plan *, const struct verdict *))
{
	bool any = false;

	for (size_t i = 0; i < gate->n; i++) {
		const struct gate_workload *w = &gate->workloads[i];
		struct measurement *m = w->measurement;

		if (!m->error && !m->base_problem && change(&m->runs, &w->judgement.verdict))
			any = true;
	}
	return any;
}

/*
 * Whether there is time to count a workload. Without a budget there always is, if the policy is to
 * decide by instructions, if stored counts are compared with, or if counting is short.
 */
static bool
has_time_to_count(const struct gate *gate, const struct gate_workload *w, enum counting which)
{
	const struct measurement *m = w->measurement;
	const double seconds = gate_workload_count_seconds(w);
	const bool is_short = seconds <= COUNTING_SHORT_S;

	/* More runs of the candidate alone tell less than stored counts do. */
	if (!(which == COUNT_QUICK && w->has_stored_counts) &&
		!run_plan_counts_next(&m->runs, &w->judgement.verdict, which, seconds,
			measurement_run_seconds(m)))
		return false;
	if (!gate->has_budget &&
		(w->policy.decide == DECIDE_INSTRUCTIONS || is_short || w->has_stored_counts))
		return true;
	return has_time(gate, seconds);
}

/* Whether counted runs would execute other code than timed ones: their counts are of no use. */
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

int
gate_count_instructions(
	struct gate *gate, enum counting which, const char *scratch_dir, bool *any, struct err *err)
{
	*any = false;
	for (size_t i = 0; i < gate->n; i++) {
		struct gate_workload *w = &gate->workloads[i];
		const struct measurement *m = w->measurement;
		struct err failure = {0};

		if (w->counted || m->error || !counted_instructions_wanted(&w->judgement) ||
			!has_time_to_count(gate, w, which))
			continue;
		log_step("%s: counting instructions", m->workload->name);
		w->counted = true;
		w->count_limit_s = counted_instructions_limit_s(
			m->workload, w->has_stored_counts ? &w->stored_counts : NULL);
		const double start = clock_seconds();
		const bool other = counts_other_code(m, &failure);

		if (!other)
			w->instructions =
				w->has_stored_counts
					? counted_instructions_take_candidate(
						  m, &w->stored_counts, scratch_dir, &failure)
					: counted_instructions_take(m, scratch_dir, &failure);
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

int
gate_take_runs(struct gate *gate, unsigned stage, struct err *err)
{
	if (rounds_take(gate->first_stage, stage, err) < 0)
		return -1;
	return gate->confirm.rounds ? rounds_take(gate->confirm.rounds, stage, err) : 0;
}

void
gate_set_deadline(const struct gate *gate)
{
	rounds_set_deadline(gate->first_stage, gate->deadline_s);
	if (gate->confirm.rounds)
		rounds_set_deadline(gate->confirm.rounds, gate->deadline_s);
}

void
gate_put_off_deadline(struct gate *gate, const struct measurement *measurements)
{
	for (size_t i = 0; i < gate->n && gate->deadline_s > 0; i++)
		gate->deadline_s += measurements[i].building_s;
}
