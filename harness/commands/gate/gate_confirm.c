#include "gate/gate_confirm.h"

#include "base/log.h"
#include "base/mem.h"
#include "format/figures.h"
#include "gate/counted_instructions.h"
#include "gate/plan_base.h"
#include "measurement/measurement.h"
#include "measurement/rounds.h"

#include <stdlib.h>
#include <string.h>

/* The first finding that pairs are to confirm or decide; NULL: there is none. */
static const struct finding *
find_unconfirmed(const struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->nall; i++) {
		if (screen_leaves(&verdict->findings[i]))
			return &verdict->findings[i];
	}
	return NULL;
}

/* Whether pairs could decide a finding that the first stage leaves undecided or unconfirmed. */
static bool
needs_pairs(const struct gate_workload *w)
{
	return w->plan.kind == PLAN_STORED && !w->measurement->error && w->policy.confirm &&
	       verdict_findings_with(&w->judgement.verdict, STATUS_FAIL) == 0 &&
	       find_unconfirmed(&w->judgement.verdict);
}

/* Why the baseline's commit cannot be built; NULL: it can. */
static const char *
refuse(const struct gate_workload *w)
{
	return fallback_rebuilds(w->measurement->workload->overlays.stored.fallback)
		       ? w->base_refused
		       : "'gate.stored.fallback' rules out to build its commit";
}

/* Sets w->flagged: "flagged by the stored baseline of 2026-11-20: whole program +31.0 %". */
static void
describe_flagged(struct gate_preparation *preparation, struct gate_workload *w)
{
	const struct finding *finding = find_unconfirmed(&w->judgement.verdict);
	struct buf text = {0};
	struct buf created = {0};

	format_time(&created, w->baseline.info.created);
	buf_printf(&text, "%s by the stored baseline of %.10s: %s",
		finding->unconfirmed ? "flagged" : "not decided", buf_text(&created),
		finding->subject);
	if (finding->effect.tested) {
		buf_putc(&text, ' ');
		effect_put_change(&finding->effect, &text);
	}
	w->flagged = arena_strdup(&preparation->planner.arena, buf_text(&text));
	buf_release(&created);
	buf_release(&text);
}

/*
 * The number of workloads that can still fail: those with a finding to confirm, and those that fail
 * without confirmation. In a shard, the number of workloads in the whole gate.
 */
static size_t
count_failing(const struct gate_preparation *preparation)
{
	size_t failing = 0;

	for (size_t i = 0; i < preparation->n; i++) {
		const struct gate_workload *w = &preparation->workloads[i];

		if (w->judgement.input.planned > 0)
			return w->judgement.input.planned;
		failing += !w->policy.confirm || find_unconfirmed(&w->judgement.verdict);
	}
	return failing;
}

/*
 * Opens the bases of the workloads that need pairs; bases[] is NULL for others. *any: one is open.
 */
static int
open_bases(struct gate_preparation *preparation, const struct build_side **bases, bool *any,
	struct err *err)
{
	for (size_t i = 0; i < preparation->n; i++) {
		struct gate_workload *w = &preparation->workloads[i];
		struct err failure = {0};

		if (!needs_pairs(w))
			continue;
		if (!w->flagged)
			describe_flagged(preparation, w);
		screen_take(&w->screen, &w->judgement.verdict, &preparation->planner.arena);
		w->screen.nworkloads = count_failing(preparation);
		w->base_refused = refuse(w);
		if (w->base_refused)
			continue;
		bases[i] = gate_bases_open(&preparation->bases, &preparation->planner.repository,
			w->base_commit, &failure);
		if (failure.kind == ERR_INTERRUPTED) {
			*err = failure;
			return -1;
		}
		if (!bases[i])
			w->base_refused = arena_strdup(&preparation->planner.arena, failure.text);
		*any = *any || bases[i];
	}
	return 0;
}

/* Prepares the measurement of pairs. The first stage has built and set up the candidate already. */
static void
begin_pairs(struct gate_workload *w, struct measurement *pairs, const struct build_side *base)
{
	const struct measurement *first = w->measurement;

	log_info("%s: %s; pairs with commit %.12s decide", first->workload->name, w->flagged,
		w->base_commit);
	measurement_set_base(pairs, base);
	pairs->builder = first->builder && !first->builder->error ? first->builder : first;
	pairs->attempts_before = first->attempts;
}

/*
 * Whether the build of the baseline's commit is not the program that the baseline ran, but the
 * candidate's: another compiler, for example, or a variable of the environment has changed both
 * builds.
 */
static bool
is_other_build(const struct gate_workload *w, const struct measurement *pairs)
{
	const char *base = pairs->sides[MEASURE_BASE].program_hash;

	return strcmp(base, pairs->sides[MEASURE_CANDIDATE].program_hash) == 0 &&
	       strcmp(base, w->baseline.info.program_hash) != 0;
}

/* Drops stored counts that are not of the program that the pairs are measured with. */
static void
drop_other_counts(struct gate_workload *w, const struct measurement *pairs)
{
	const struct measured_side *base = &pairs->sides[MEASURE_BASE];

	if (!w->has_stored_counts ||
		stored_counts_are_of(&w->stored_counts, base->program_hash, &base->profile))
		return;
	counted_instructions_free(w->instructions);
	w->instructions = NULL;
	w->counted = false;
	baseline_release(&w->stored_counts);
	w->has_stored_counts = false;
}

/* From now on the pairs are measured and judged, unless the base could not be built. */
static void
switch_to_pairs(
	struct gate_preparation *preparation, struct gate_workload *w, struct measurement *pairs)
{
	if (pairs->error && pairs->base_failed) {
		w->base_refused = arena_strdup(&preparation->planner.arena, pairs->error);
		pairs->left_out = true;
		return;
	}
	if (is_other_build(w, pairs)) {
		w->base_refused =
			"built here it is the candidate's program, and not the one that the "
			"baseline ran: its compiler, libraries or options have changed";
		w->base_is_candidate = true;
		log_info("%s: %s", pairs->workload->name, w->base_refused);
		pairs->left_out = true;
		return;
	}
	drop_other_counts(w, pairs);
	pairs->build_s += w->measurement->build_s;
	pairs->measure_s += w->measurement->measure_s;
	pairs->process_s += w->measurement->process_s;
	w->first_stage = w->measurement;
	w->measurement = pairs;
}

static int
measure_pairs(struct gate_confirm *confirm, struct gate_preparation *preparation,
	const struct build_side *const *bases, const struct measure_options *options,
	struct err *err)
{
	bool *leave_out = mem_zalloc(preparation->n, sizeof(*leave_out));
	struct measure_options of_pairs = *options;

	for (size_t i = 0; i < preparation->n; i++)
		leave_out[i] = !bases[i];
	of_pairs.leave_out = leave_out;
	/* The first stage has the picture. */
	of_pairs.skip_same = !preparation->options->measure_anyway;
	of_pairs.picture_of_same = false;
	confirm->n = preparation->n;
	confirm->measurements = mem_zalloc(confirm->n, sizeof(*confirm->measurements));
	confirm->rounds =
		rounds_open(confirm->measurements, preparation->options->workloads, &of_pairs, err);
	free(leave_out);
	for (size_t i = 0; confirm->rounds && i < confirm->n; i++) {
		if (bases[i])
			begin_pairs(
				&preparation->workloads[i], &confirm->measurements[i], bases[i]);
	}
	if (!confirm->rounds || rounds_build(confirm->rounds, err) < 0 ||
		rounds_prepare(confirm->rounds, err) < 0)
		return -1;
	for (size_t i = 0; i < confirm->n; i++) {
		if (bases[i])
			switch_to_pairs(
				preparation, &preparation->workloads[i], &confirm->measurements[i]);
	}
	return 0;
}

static void
read_counts(const struct gate_preparation *preparation, struct gate_workload *w)
{
	if (w->has_stored_counts)
		return;
	char *folder = session_baseline_folder(preparation->session, w->measurement);

	w->has_stored_counts = stored_counts_read(preparation->session, w->measurement->workload,
		folder, &w->baseline, &w->stored_counts);
	free(folder);
}

/* Reads the counts that are stored beside the baseline, where pairs cannot decide. */
static void
find_counts(const struct gate_preparation *preparation, struct gate_workload *w)
{
	if (w->flagged && !w->first_stage && w->base_refused)
		read_counts(preparation, w);
}

/* The seconds up to the first look: the base is built as the candidate was, and both sides run. */
static double
pairs_seconds(const struct measurement *m)
{
	const unsigned first = looks_first(m->runs.wanted[COMPARISON_SCREEN], m->runs.most);

	return m->build_s + 2 * first * measurement_run_seconds(m);
}

void
gate_confirm_offer_counts(struct gate_preparation *preparation)
{
	for (size_t i = 0; i < preparation->n; i++) {
		struct gate_workload *w = &preparation->workloads[i];

		if (!needs_pairs(w) || w->policy.decide == DECIDE_NONE || refuse(w) ||
			w->code.nsame < w->code.nchanged || w->code.nsame == 0)
			continue;
		read_counts(preparation, w);
		if (!w->has_stored_counts)
			continue;
		if (gate_workload_count_seconds(w) <= pairs_seconds(w->measurement)) {
			describe_flagged(preparation, w);
			w->judgement.input.stored_counts = true;
		} else {
			baseline_release(&w->stored_counts);
			w->has_stored_counts = false;
		}
	}
}

int
gate_confirm_begin(struct gate_confirm *confirm, struct gate_preparation *preparation,
	const struct measure_options *options, struct err *err)
{
	const struct build_side **bases = mem_zalloc(preparation->n, sizeof(struct build_side *));
	bool any = false;
	int result = open_bases(preparation, bases, &any, err);

	if (result == 0 && any)
		result = measure_pairs(confirm, preparation, bases, options, err);
	for (size_t i = 0; result == 0 && i < preparation->n; i++)
		find_counts(preparation, &preparation->workloads[i]);
	free(bases);
	return result;
}

void
gate_confirm_undo(struct gate_workload *w, unsigned least_pairs)
{
	if (!w->first_stage || w->measurement->same_program ||
		w->measurement->runs.taken[COMPARISON_SCREEN] >= least_pairs)
		return;
	w->measurement = w->first_stage;
	w->first_stage = NULL;
}

void
gate_confirm_end(struct gate_confirm *confirm)
{
	rounds_end(confirm->rounds);
	confirm->rounds = NULL;
}

void
gate_confirm_release(struct gate_confirm *confirm)
{
	for (size_t i = 0; confirm->measurements && i < confirm->n; i++)
		measurement_release(&confirm->measurements[i]);
	free(confirm->measurements);
	*confirm = (struct gate_confirm){0};
}
