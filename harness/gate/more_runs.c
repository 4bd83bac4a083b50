#include "gate/more_runs.h"

#include <math.h>

/* An estimate that was picked for being large is larger than what it estimates. */
#define PICKED_SHRINK 0.8
/* Fewer more runs are not worth another look. */
#define LEAST_GROWTH 3
/*
 * What seems to need this many times the runs that may be added is left open. What is needed is
 * known badly by the first runs: half or twice as many turn out to do.
 */
#define MOST_HOPE 4

/* The first time that fresh runs are asked for. */
static unsigned
to_confirm(const struct run_plan *plan, const struct verdict *verdict)
{
	unsigned taken = plan->taken[COMPARISON_SCREEN];
	double most = fmax(taken, plan->most);
	double wanted = taken;

	for (size_t i = 0; i < verdict->nfindings; i++) {
		const struct finding *finding = &verdict->findings[i];
		double gap =
			PICKED_SHRINK * log1p(finding->effect.change) - log1p(finding->fail_at);

		if (!finding->unconfirmed || !finding->effect.tested)
			continue;
		double factor = gap > 0 ? 2 * finding->effect.standard_error / gap : INFINITY;

		wanted = fmax(wanted, fmin(most, taken * factor * factor));
	}
	return (unsigned)ceil(wanted);
}

static bool
is_hopeless(double more, double allowed)
{
	return !(more > 0) || more > MOST_HOPE * allowed;
}

static unsigned
fresh_runs(const struct run_plan *plan, const struct verdict *verdict)
{
	unsigned wanted = plan->wanted[COMPARISON_CONFIRM];

	if (wanted == 0)
		return verdict->unconfirmed ? to_confirm(plan, verdict) : 0;
	if (wanted >= plan->most || is_hopeless(verdict->more_fresh_runs, plan->most - wanted))
		return wanted;
	return plan->most;
}

static unsigned
first_runs(const struct run_plan *plan, const struct verdict *verdict)
{
	unsigned wanted = plan->wanted[COMPARISON_SCREEN];

	if (wanted >= plan->most || is_hopeless(verdict->more_runs, plan->most - wanted))
		return wanted;
	double more = fmin(fmax(verdict->more_runs, LEAST_GROWTH), wanted);

	return (unsigned)fmin(wanted + more, plan->most);
}

bool
more_runs_wanted(struct run_plan *plan, int stage, const struct verdict *verdict)
{
	if (plan->taken[stage] < plan->wanted[stage])
		return false;
	unsigned wanted =
		stage == COMPARISON_SCREEN ? first_runs(plan, verdict) : fresh_runs(plan, verdict);

	if (wanted <= plan->wanted[stage])
		return false;
	plan->wanted[stage] = wanted;
	return true;
}
