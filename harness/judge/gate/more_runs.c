#include "gate/more_runs.h"

#include "base/sort.h"
#include "gate/effort.h"
#include "gate/rules.h"

#include <math.h>
#include <stdlib.h>

/* Selected estimates are too large (winner's curse): they are shrunk. */
#define PICKED_SHRINK 0.8
/* Fewer more runs are not worth another test. */
#define LEAST_ADDED 3
/*
 * A finding that seems to need more than this many times the runs that may be added is left
 * undecided. The first runs give only a rough estimate of the need: half or twice as many may be
 * enough.
 */
#define MOST_HOPE 4
/* Pairs that were stopped go on where this is their chance to decide a finding, or more. */
#define LEAST_CHANCE 0.05
/* Runs that are added take at most this many times as long as the planned ones. */
#define ADDED_TIME 2
/* But for so many seconds, which nobody minds where the program is short. */
#define ADDED_LEAST_S 10
/* Fewer runs do not even tell how many would be needed: two whose counts differ, say. */
#define LEAST_TO_TELL 5

static double
share_of(const struct finding *finding)
{
	return fmax(0, fmax(finding->effect.before_share, finding->effect.after_share));
}

/* The first request of confirming runs; a verdict lists the severest finding first. */
static void
request_confirmation(
	const struct run_plan *plan, const struct verdict *verdict, struct run_request *request)
{
	unsigned taken = plan->taken[COMPARISON_SCREEN];
	double most = fmax(taken, plan->most);
	double wanted = taken;

	for (size_t i = 0; i < verdict->nall; i++) {
		const struct finding *finding = &verdict->findings[i];
		double gap =
			PICKED_SHRINK * log1p(finding->effect.change) - log1p(finding->fail_at);

		if (!finding->unconfirmed)
			continue;
		request->finding = request->finding ? request->finding : finding;
		request->share = fmax(request->share, share_of(finding));
		request->nfindings++;
		if (!finding->effect.tested || effect_is_exact(&finding->effect))
			continue;
		double factor = gap > 0 ? 2 * finding->effect.standard_error / gap : INFINITY;

		wanted = fmax(wanted, fmin(most, taken * factor * factor));
	}
	request->runs = request->finding ? (unsigned)ceil(wanted) : 0;
	/* Counts that repeat need no more than they had. */
	request->least = taken < MORE_RUNS_LEAST_FRESH ? taken : MORE_RUNS_LEAST_FRESH;
	request->needed = request->runs;
}

/* Whether runs may decide a finding: by the estimated need, and once resumed by their chance to. */
static bool
may_decide(const struct run_plan *plan, int stage, double allowed, const struct finding *finding)
{
	const double taken = plan->taken[stage];

	if (plan->resumed)
		return effort_chance(&finding->effect, finding->asked, finding->effect.alpha, taken,
			       taken + allowed) >= LEAST_CHANCE;
	return taken < LEAST_TO_TELL || finding->more_runs <= MOST_HOPE * allowed;
}

/* Findings undecided in a stage that `allowed` more runs may decide. */
static void
request_decision(const struct verdict *verdict, const struct run_plan *plan, int stage,
	double allowed, struct run_request *request)
{
	bool confirmed = stage == COMPARISON_CONFIRM;

	for (size_t i = 0; i < verdict->nall; i++) {
		const struct finding *finding = &verdict->findings[i];
		double more = finding->more_runs;

		if (finding->first.tested != confirmed || !(more > 0) ||
			!may_decide(plan, stage, allowed, finding))
			continue;
		request->nfindings++;
		if (request->finding && share_of(finding) <= request->share)
			continue;
		request->finding = finding;
		request->share = share_of(finding);
		request->needed =
			fmin(allowed, isfinite(more) ? fmax(more, LEAST_ADDED) : LEAST_ADDED);
	}
}

/* The block up to the next look, if it is for something. */
static void
request_block(
	const struct run_plan *plan, const struct verdict *verdict, struct run_request *request)
{
	const unsigned taken = plan->taken[COMPARISON_SCREEN];
	const unsigned most = plan->looks.most;

	if (plan->looks.last || plan->looks.stopped || taken >= most ||
		verdict_findings_with(verdict, STATUS_FAIL) > 0)
		return;
	request_decision(verdict, plan, COMPARISON_SCREEN, most - taken, request);
	if (request->finding)
		request->runs = looks_next(taken, most) - taken;
	request->needed = request->runs;
}

void
run_plan_use_looks(struct run_plan *plan, const struct gate_policy *policy)
{
	const unsigned first = looks_first(plan->wanted[COMPARISON_SCREEN], plan->most);
	const unsigned least = policy->self_check == POLICY_PASS ? 0 : SELF_CHECK_LEAST_RUNS;

	plan->by_looks = true;
	plan->looks.most = plan->most;
	plan->wanted[COMPARISON_SCREEN] = first < least && least <= plan->most ? least : first;
}

bool
more_runs_request(const struct run_plan *plan, int stage, const struct verdict *verdict,
	struct run_request *request)
{
	unsigned wanted = plan->wanted[stage];

	*request = (struct run_request){.least = 1};
	if (plan->taken[stage] < wanted || (plan->by_looks && stage != COMPARISON_SCREEN))
		return false;
	if (plan->by_looks) {
		request_block(plan, verdict, request);
	} else if (verdict_findings_with(verdict, STATUS_FAIL) > 0) {
		return false;
	} else if (stage == COMPARISON_CONFIRM && wanted == 0) {
		request_confirmation(plan, verdict, request);
	} else if (wanted < plan->most) {
		unsigned allowed = plan->most - wanted;

		request_decision(verdict, plan, stage, allowed, request);
		if (request->finding)
			request->runs = stage == COMPARISON_CONFIRM
						? allowed
						: (unsigned)fmin(request->needed, wanted);
		request->needed = fmax(request->needed, request->runs);
	}
	return request->runs > 0;
}

bool
run_plan_is_open(const struct run_plan *plan, const struct verdict *verdict)
{
	struct run_request request;

	return more_runs_request(plan, COMPARISON_CONFIRM, verdict, &request) ||
	       more_runs_request(plan, COMPARISON_SCREEN, verdict, &request);
}

bool
run_plan_stop(struct run_plan *plan, const struct verdict *verdict)
{
	if (!plan->by_looks || !looks_are_early(&plan->looks) ||
		verdict_findings_with(verdict, STATUS_FAIL) > 0 || !verdict_find_open(verdict) ||
		run_plan_is_open(plan, verdict))
		return false;
	plan->looks.stopped = true;
	return true;
}

bool
run_plan_resume(struct run_plan *plan, const struct verdict *verdict)
{
	if (!plan->looks.stopped || plan->resumed)
		return false;
	plan->resumed = true;
	plan->looks.stopped = false;
	if (run_plan_is_open(plan, verdict))
		return true;
	plan->looks.stopped = true;
	return false;
}

bool
run_plan_end(struct run_plan *plan, const struct verdict *verdict)
{
	if (!plan->by_looks || !run_plan_is_open(plan, verdict))
		return false;
	plan->looks.last = true;
	return true;
}

bool
run_plan_counts_next(const struct run_plan *plan, const struct verdict *verdict,
	enum counting which, double seconds, double run_seconds)
{
	if (which == COUNT_QUICK)
		return seconds <= plan->wanted[COMPARISON_SCREEN] * run_seconds;
	return !plan->by_looks || !run_plan_is_open(plan, verdict);
}

double
more_runs_seconds(double planned_s)
{
	return fmax(ADDED_TIME * planned_s, ADDED_LEAST_S);
}

static int
by_share(const void *left, const void *right)
{
	const struct run_request *a = left;
	const struct run_request *b = right;
	int order = sort_order(b->share, a->share);

	return order != 0 ? order : sort_order((double)a->workload, (double)b->workload);
}

void
more_runs_grant(struct run_request *requests, size_t nrequests, double seconds)
{
	if (nrequests > 0)
		qsort(requests, nrequests, sizeof(*requests), by_share);
	for (size_t i = 0; i < nrequests; i++) {
		struct run_request *request = &requests[i];
		double affordable = floor(seconds / request->run_seconds);

		if (!(affordable >= request->least)) {
			request->runs = 0;
			continue;
		}
		request->runs = (unsigned)fmin(request->runs, affordable);
		seconds -= fmin(request->needed, affordable) * request->run_seconds;
	}
}
