#include "gate/gate_rounds.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "format/figures.h"
#include "format/name.h"
#include "gate/judge.h"
#include "gate/more_runs.h"
#include "measurement/measure.h"
#include "measurement/watch_sides.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SUBJECT_COLUMNS 60
#define STATUS_COLUMNS 12

static void
put_subject(const struct finding *finding, struct buf *out)
{
	name_fit(out, finding->subject, strlen(finding->subject), SUBJECT_COLUMNS);
}

void
narrate_verdict(const struct measurement *m, const struct verdict *verdict)
{
	const struct finding *first = verdict->nfindings > 0 ? &verdict->findings[0] : NULL;
	struct buf line = {0};

	buf_printf(
		&line, "%-*s  %s", STATUS_COLUMNS, status_word(verdict->status), m->workload->name);
	if (first && first->status != STATUS_PASS) {
		buf_puts(&line, ": ");
		put_subject(first, &line);
		if (first->effect.tested) {
			buf_putc(&line, ' ');
			effect_put_change(&first->effect, &line);
		}
	}
	log_info("%s", buf_text(&line));
	buf_release(&line);
}

/* "looks 18.3 % slower" */
static void
put_growth(const struct measurement *m, const struct effect *effect, struct buf *out)
{
	if (!effect->tested) {
		buf_puts(out, "looks new");
	} else if (effect->change < FORMAT_FACTOR_FROM) {
		buf_puts(out, "looks ");
		format_percent(out, effect->change);
		buf_puts(out, m->event.counts_all ? " more costly" : " slower");
	} else {
		buf_puts(out, m->event.counts_all ? "looks more costly, " : "looks slower, ");
		format_change(out, effect->change);
	}
}

void
narrate_more_runs(const struct measurement *m, const struct run_request *request, int stage)
{
	unsigned had = m->runs.wanted[stage];
	bool confirms = stage == COMPARISON_CONFIRM;
	bool again = had > 0;
	struct buf line = {0};

	buf_printf(&line, "%s: ", m->workload->name);
	put_subject(request->finding, &line);
	if (request->nfindings > 1)
		buf_printf(&line, " (and %zu more)", request->nfindings - 1);
	buf_putc(&line, ' ');
	if (!confirms || again)
		buf_printf(&line, "is undecided after %u%s %s", had, confirms ? " new" : "",
			m->nsides > 1 ? "pairs" : "runs");
	else
		put_growth(m, &request->finding->effect, &line);
	buf_printf(&line, "; taking %u %s %s", request->runs, confirms && !again ? "new" : "more",
		m->nsides > 1 ? "pairs" : "runs");
	log_info("%s%s", buf_text(&line), confirms ? " to confirm" : "");
	buf_release(&line);
}

/* So long is short for it. */
#define COUNTING_SHORT_S 10

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
		.bases = {.anew = options->rebuild},
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

void
gate_rounds_plan_looks(struct gate_rounds *rounds)
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

void
gate_rounds_judge(struct gate_rounds *rounds)
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

bool
gate_rounds_plan_runs(struct gate_rounds *rounds, int stage)
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

void
gate_rounds_show_verdicts(struct gate_rounds *rounds, bool at_end)
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

bool
gate_rounds_change_looks(
	struct gate_rounds *rounds, bool (*change)(struct run_plan *, const struct verdict *))
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

int
gate_rounds_count(struct gate_rounds *rounds, enum counting which, const char *scratch_dir,
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

int
gate_rounds_take_runs(struct gate_rounds *rounds, unsigned stage, struct err *err)
{
	if (measure_more(rounds->alone, stage, err) < 0)
		return -1;
	return rounds->confirm.session ? measure_more(rounds->confirm.session, stage, err) : 0;
}
