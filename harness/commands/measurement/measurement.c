#include "measurement/measurement.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "builds/inputs.h"
#include "capture/backend.h"
#include "compare/phases.h"
#include "profile/metric.h"
#include "spec/units.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool
measurement_has_phases(const struct measurement *m)
{
	return strcmp(m->workload->capture.phases, "none") != 0 && !m->event.counts_all &&
	       !m->event.own_format;
}

void
measurement_describe(const struct measurement *m, struct measured_side *side)
{
	struct profile *profile = &side->profile;
	struct buf command = {0};

	for (size_t i = 0; side->workload.run[i]; i++)
		buf_printf(&command, "%s%s", i > 0 ? " " : "", side->workload.run[i]);
	profile->workload = strtab_intern_str(&profile->strings, m->workload->name);
	profile->command = strtab_intern(&profile->strings, buf_text(&command), command.len);
	profile->metric = strtab_intern_str(&profile->strings, m->workload->capture.metric);
	profile->event = strtab_intern_str(&profile->strings, m->event.name);
	const char *metric = m->workload->capture.metric;

	profile->unit = strtab_intern_str(&profile->strings, metric_weight_unit(metric));
	profile->cost_unit = strtab_intern_str(&profile->strings, metric_unit(metric));
	if (event_is_sampled(&m->event))
		profile->frequency_hz = m->workload->capture.frequency_hz;
	profile->started = (int64_t)time(NULL);
	buf_release(&command);
}

void
measurement_set_base(struct measurement *m, const struct build_side *base)
{
	m->base = base;
	m->nsides = base ? MEASURE_SIDES : 1;
}

double
measurement_run_seconds(const struct measurement *m)
{
	return m->nruns > 0 ? m->runs_s / m->nruns : m->warm_up_s;
}

char *
measurement_capture_path(const struct measurement *m, const char *scratch_dir,
	enum measure_side side, unsigned attempt)
{
	return mem_printf("%s/%s/%s-%02u.perf.data", scratch_dir, m->workload->folder,
		side == MEASURE_BASE ? "base" : "run", m->attempts_before + attempt);
}

void
measurement_drop_captures(const struct measurement *m, const char *scratch_dir, unsigned nleft)
{
	for (size_t side = 0; side < m->nsides; side++) {
		unsigned left = 0;

		for (unsigned attempt = 1; attempt <= m->attempts; attempt++) {
			char *path = measurement_capture_path(
				m, scratch_dir, (enum measure_side)side, attempt);

			if (left < nleft && file_exists(path)) {
				left++;
			} else {
				unlink(path);
				held_files_remove_copies(path);
			}
			free(path);
		}
	}
}

void
measurement_release(struct measurement *m)
{
	for (size_t side = 0; side < MEASURE_SIDES; side++) {
		profile_release(&m->sides[side].profile);
		capture_phases_release(&m->sides[side].phases);
		run_files_release(&m->sides[side].files);
		free(m->sides[side].moved.paths);
	}
	file_states_release(&m->candidate_files);
	run_files_release(&m->installed);
	input_states_release(&m->inputs);
	arena_release(&m->arena);
	free(m->error);
	free(m->callgraph_before);
	stack_plan_release(&m->stacks);
	run_order_release(&m->order);
}
