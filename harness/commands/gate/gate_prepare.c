#include "gate/gate_prepare.h"

#include "base/log.h"
#include "base/mem.h"
#include "gate/gate_plan.h"
#include "gate/gate_planner.h"
#include "gate/orphans.h"
#include "gate/plan_base.h"
#include "measurement/measurement.h"
#include "measurement/rounds.h"

#include <stdlib.h>

/* Logs the plan of a workload. */
static void
log_plan(const struct gate_workload *w)
{
	struct buf line = {0};

	plan_put(&w->plan, &line);
	log_info("%s: %s", w->measurement->workload->name, buf_text(&line));
	buf_release(&line);
}

/* Sets a workload aside because of its own error. */
static void
set_error(struct measurement *m, const struct err *err)
{
	log_error("%s: %s", m->workload->name, err->text);
	m->error = mem_strdup(err->text);
}

/* Finds the baselines that workloads without one may have under another name. */
static void
find_orphans(struct gate_preparation *preparation)
{
	const struct gate_options *options = preparation->options;
	struct orphans orphans;

	orphans_find(&orphans, preparation->stored, options->config, options->workloads);
	for (size_t i = 0; i < preparation->n; i++) {
		struct gate_workload *w = &preparation->workloads[i];
		struct buf text = {0};

		if (!w->plan.machine_class && !w->measurement->error)
			orphans_put_for(&orphans, w->measurement->workload, options->config, &text);
		if (text.len > 0) {
			free(w->orphans);
			w->orphans = mem_strdup(buf_text(&text));
		}
		buf_release(&text);
	}
	orphans_release(&orphans);
}

void
gate_preparation_release(struct gate_preparation *preparation)
{
	gate_bases_release(&preparation->bases);
	gate_planner_release(&preparation->planner);
}

/* Makes the plans, as far as they are known without a build. */
static void
make_plans(struct gate_preparation *preparation)
{
	struct gate_planner *planner = &preparation->planner;

	*planner = (struct gate_planner){
		.session = preparation->session,
		.stored = preparation->stored,
		.branch = preparation->branch,
		.base = preparation->base,
		.measure_anyway = preparation->options->measure_anyway,
	};
	gate_planner_init(planner);
	bool lacks = false;

	for (size_t i = 0; i < preparation->n; i++) {
		struct gate_workload *w = &preparation->workloads[i];
		struct err broken = {0};

		if (!w->measurement->error && gate_plan_make(planner, w, &broken) < 0)
			set_error(w->measurement, &broken);
		lacks = lacks || (!preparation->base && !w->plan.machine_class);
	}
	if (lacks)
		find_orphans(preparation);
}

static int
build_candidates(struct gate_preparation *preparation, struct rounds *rounds, struct err *err)
{
	if (rounds_build(rounds, err) < 0)
		return -1;
	for (size_t i = 0; i < preparation->n; i++)
		gate_plan_find_same(&preparation->planner, &preparation->workloads[i]);
	return 0;
}

int
gate_prepare_plan(struct gate_preparation *preparation, struct rounds *rounds, struct err *err)
{
	make_plans(preparation);
	for (size_t i = 0; i < preparation->n; i++) {
		struct gate_workload *w = &preparation->workloads[i];

		if (!gate_plan_may_be_same(&preparation->planner, w))
			w->measurement->left_out = true;
	}
	return build_candidates(preparation, rounds, err);
}

/* Leaves a workload without the base that it was to be compared with: it is not measured. */
static void
go_without_base(struct gate_workload *w, const char *problem)
{
	struct measurement *m = w->measurement;

	m->base_subject = arena_printf(&m->arena, "the base %.12s", w->base_commit);
	m->base_problem = arena_printf(&m->arena, "%s.", problem);
	m->left_out = true;
}

/* Lets those benchmarks be left out that cannot reach the change, where the policy permits it. */
static void
permit_selection(struct gate_preparation *preparation)
{
	for (size_t i = 0; i < preparation->n; i++) {
		struct measurement *m = preparation->workloads[i].measurement;
		const struct gate_policy policy = gate_policy_resolve(&m->workload->gate,
			&m->workload->overlays, m->base ? GATE_PAIRED : GATE_STORED,
			m->event.counts_all, preparation->branch);

		m->selects = policy.select && !preparation->options->measure_all &&
			     !preparation->options->measure_anyway;
	}
}

/* Says in their plans that benchmarks are not measured. */
static void
plan_unreached(struct gate_preparation *preparation)
{
	for (size_t i = 0; i < preparation->n; i++) {
		struct gate_workload *w = &preparation->workloads[i];

		if (!w->measurement->unreached)
			continue;
		w->plan.kind = PLAN_UNREACHED;
		w->plan.reason = w->measurement->unreached;
		w->plan.count_seconds = 0;
		w->plan.count_limit_s = 0;
	}
}

/* Opens the base of each workload that is compared with its own commit. */
static int
open_bases(struct gate_preparation *preparation, struct err *err)
{
	for (size_t i = 0; i < preparation->n; i++) {
		struct gate_workload *w = &preparation->workloads[i];
		struct err failure = {0};

		if (w->plan.kind != PLAN_REBUILT || w->measurement->error)
			continue;
		const struct build_side *base = gate_bases_open(&preparation->bases,
			&preparation->planner.repository, w->base_commit, &failure);

		if (base) {
			measurement_set_base(w->measurement, base);
		} else if (failure.kind == ERR_INTERRUPTED) {
			*err = failure;
			return -1;
		} else {
			log_warn("%s: %s", w->measurement->workload->name, failure.text);
			go_without_base(w, failure.text);
		}
	}
	return 0;
}

/* Clears the errors of bases that a stored gate chose by itself: they are not the workloads'. */
static void
forgive_bases(struct gate_preparation *preparation)
{
	for (size_t i = 0; i < preparation->n; i++) {
		struct gate_workload *w = &preparation->workloads[i];
		struct measurement *m = w->measurement;

		if (w->plan.kind != PLAN_REBUILT || !m->error || !m->base_failed)
			continue;
		go_without_base(w, m->error);
		free(m->error);
		m->error = NULL;
	}
}

int
gate_prepare(struct gate_preparation *preparation, struct rounds *rounds, struct err *err)
{
	make_plans(preparation);
	for (size_t i = 0; i < preparation->n; i++)
		if (preparation->workloads[i].plan.kind == PLAN_NOT_JUDGED)
			log_plan(&preparation->workloads[i]);
	if (build_candidates(preparation, rounds, err) < 0)
		return -1;
	for (size_t i = 0; i < preparation->n; i++) {
		const enum plan_kind kind = preparation->workloads[i].plan.kind;

		if (!preparation->workloads[i].measurement->error && kind != PLAN_NOT_JUDGED)
			log_plan(&preparation->workloads[i]);
	}
	if (open_bases(preparation, err) < 0)
		return -1;
	permit_selection(preparation);
	if (rounds_prepare(rounds, err) < 0)
		return -1;
	forgive_bases(preparation);
	plan_unreached(preparation);
	return 0;
}

bool
gate_prepare_measures(const struct gate_preparation *preparation)
{
	for (size_t i = 0; i < preparation->n; i++) {
		const struct measurement *m = preparation->workloads[i].measurement;

		if (!m->error && !m->left_out && !m->same_program)
			return true;
	}
	return false;
}
