/* The phases of a workload's program, as `capture.phases` has them. */
#include "measurement/measurement.h"

#include <string.h>

bool
measurement_has_phases(const struct measurement *m)
{
	return strcmp(m->workload->capture.phases, "none") != 0 && !m->event.counts_all &&
	       !m->event.own_format;
}

int
measurement_find_phases(struct measurement *m, struct err *err)
{
	for (size_t i = 0; i < m->nsides && measurement_has_phases(m); i++) {
		const struct workload *workload = &m->sides[i].workload;
		const struct operation_program program = {
			.argv = workload->run,
			.cwd = workload->cwd,
		};

		if (capture_phases_find(&m->sides[i].phases, workload->capture.phases, "phases",
			    &program, err) < 0)
			return -1;
	}
	return 0;
}

void
measure_set_labels(struct ingest_options *options)
{
	options->by = (struct labels){{{LABEL_PHASE, "phase"}, {LABEL_THREAD, "thread"}}, 2};
}
