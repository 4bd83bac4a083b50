#include "gate/simulated_gate.h"

#include "base/mem.h"
#include "gate/evidence.h"
#include "gate/judge.h"

#include <math.h>
#include <stdlib.h>

/* Takes the wanted runs; returns how many. */
static double
take_runs(const struct simulated_gate *gate, int stage)
{
	double taken = 0;

	for (size_t i = 0; i < gate->nworkloads; i++) {
		struct run_plan *plan = &gate->workloads[i].plan;
		const unsigned missing = plan->wanted[stage] - plan->taken[stage];
		const unsigned drawn =
			missing > 0 ? gate->draw(gate->context, i, stage, missing) : 0;

		plan->taken[stage] += drawn;
		taken += drawn;
	}
	return taken;
}

/* There is time for `left` more runs. */
static enum status
judge(const struct simulated_gate *gate, struct judgement **judgements, double left)
{
	enum status status;

	for (size_t i = 0; i < gate->nworkloads; i++) {
		struct simulated_workload *w = &gate->workloads[i];

		judgements[i] = w->judgement;
		judgement_release(w->judgement);
		if (!w->plan.by_looks)
			continue;
		looks_add(&w->plan.looks, w->plan.taken[COMPARISON_SCREEN], left);
		w->judgement->input.looks = w->plan.looks;
	}
	judge_tests(judgements, gate->nworkloads);
	for (size_t i = 0; i < gate->nworkloads; i++) {
		if (!judgement_wants_code(judgements[i]))
			continue;
		if (gate->code)
			gate->code(gate->context, i);
		if (gate->workloads[i].counted)
			gate->count(gate->context, i);
	}
	judge_decide(judgements, gate->nworkloads, &status);
	return status;
}

/* Counts the workloads that it can decide, once each; whether there are such. */
static bool
count_instructions(const struct simulated_gate *gate, enum counting which)
{
	bool any = false;

	for (size_t i = 0; i < gate->nworkloads && gate->count; i++) {
		struct simulated_workload *w = &gate->workloads[i];

		if (w->counted || !judgement_wants_instructions(w->judgement) ||
			!run_plan_counts_next(
				&w->plan, &w->judgement->verdict, which, w->count_seconds, 1))
			continue;
		w->counted = any = true;
	}
	return any;
}

/* Wants more runs of a stage where they could decide something and there is time for them. */
static bool
plan_more(const struct simulated_gate *gate, int stage, struct run_request *requests, double left)
{
	size_t n = 0;
	bool any = false;

	for (size_t i = 0; i < gate->nworkloads; i++) {
		const struct simulated_workload *w = &gate->workloads[i];

		if (!more_runs_request(&w->plan, stage, &w->judgement->verdict, &requests[n]))
			continue;
		requests[n].workload = i;
		requests[n++].run_seconds = 1;
	}
	more_runs_grant(requests, n, left);
	for (size_t i = 0; i < n; i++) {
		gate->workloads[requests[i].workload].plan.wanted[stage] += requests[i].runs;
		any = any || requests[i].runs > 0;
	}
	return any;
}

/* Ends or resumes looks by run_plan_stop(), resume() or end(); whether it did of a workload. */
static bool
change_looks(const struct simulated_gate *gate,
	bool (*change)(struct run_plan *plan, const struct verdict *verdict))
{
	bool any = false;

	for (size_t i = 0; i < gate->nworkloads; i++) {
		struct simulated_workload *w = &gate->workloads[i];

		if (change(&w->plan, &w->judgement->verdict))
			any = true;
	}
	return any;
}

enum status
simulated_gate_run(const struct simulated_gate *gate)
{
	struct judgement **judgements = mem_zalloc(gate->nworkloads, sizeof(struct judgement *));
	struct run_request *requests = mem_zalloc(gate->nworkloads, sizeof(*requests));
	const double planned = take_runs(gate, COMPARISON_SCREEN);
	double left = gate->default_time ? floor(more_runs_seconds(planned)) : INFINITY;
	enum status status = STATUS_PASS;

	for (bool more = true; more;) {
		status = judge(gate, judgements, left);
		if (count_instructions(gate, COUNT_QUICK))
			continue;
		if (plan_more(gate, COMPARISON_CONFIRM, requests, left))
			left -= take_runs(gate, COMPARISON_CONFIRM);
		else if (change_looks(gate, run_plan_stop) || count_instructions(gate, COUNT_ALL))
			continue;
		else if (change_looks(gate, run_plan_resume))
			continue;
		else if (plan_more(gate, COMPARISON_SCREEN, requests, left))
			left -= take_runs(gate, COMPARISON_SCREEN);
		else
			more = change_looks(gate, run_plan_end);
	}
	free(judgements);
	free(requests);
	return status;
}
