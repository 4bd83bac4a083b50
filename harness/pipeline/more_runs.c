#include "pipeline/more_runs.h"

#include <math.h>

/* An estimate that was picked for being large is larger than what it estimates. */
#define PICKED_SHRINK 0.8
/* Fewer more runs are not worth another look. */
#define LEAST_GROWTH 3
/* What seems to need this many times the runs that may be added is left open; less may turn out to
 * do. */
#define MOST_HOPE 1.5

unsigned
more_runs_to_confirm(const struct measurement *m, const struct verdict *verdict)
{
	unsigned taken = m->taken[COMPARISON_SCREEN];
	double most = fmax(taken, m->workload->capture.max_runs);
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

unsigned
more_runs_to_decide(const struct measurement *m, const struct verdict *verdict)
{
	unsigned wanted = m->wanted[COMPARISON_SCREEN];
	unsigned most = m->workload->capture.max_runs;
	double more = verdict->more_runs;

	/* Those that are missing were too poor, or there was no time for them. */
	if (!(more > 0) || wanted >= most || wanted > m->taken[COMPARISON_SCREEN] ||
		more > MOST_HOPE * (most - wanted))
		return wanted;
	more = fmin(fmax(more, LEAST_GROWTH), wanted);
	return (unsigned)fmin(wanted + more, most);
}
