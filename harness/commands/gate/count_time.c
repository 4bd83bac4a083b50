#include "gate/count_time.h"

#include "profile/counters.h"
#include "profile/metric.h"

#include <math.h>
#include <string.h>

static double
mean_seconds(const struct profile *profile, bool of_cpu)
{
	double ns = 0;
	double executions = 0;

	for (size_t i = 0; i < profile->nruns; i++) {
		const struct run *run = &profile->runs[i];

		ns += (double)(of_cpu ? run->cpu_ns : run->wall_ns);
		executions += executions_of_run(run);
	}
	return ns > 0 && executions > 0 ? ns / executions * 1e-9 : NAN;
}

double
count_time_cpu_s(const struct profile *profile)
{
	return mean_seconds(profile, true);
}

static double
count_time_wall_s(const struct profile *profile)
{
	return mean_seconds(profile, false);
}

double
count_time_factor(const struct profile *timed, const struct profile *counted)
{
	return count_time_cpu_s(counted) / count_time_cpu_s(timed);
}

double
count_time_of(double factor, const struct profile *timed)
{
	const double cpu_s = count_time_cpu_s(timed);
	const double wall_s = count_time_wall_s(timed);

	/* Under valgrind threads take turns. */
	return factor * cpu_s + fmax(0, wall_s - cpu_s);
}

/* Reads the latest baseline of a workload; with `counts`, the latest that has counts, and these. */
static bool
read_latest_of(const struct baseline_list *list, const struct workload *workload,
	struct baseline *timed, struct baseline *counts)
{
	bool any = false;

	for (size_t i = 0; i < list->nentries; i++) {
		const struct baseline_entry *entry = &list->entries[i];
		struct baseline baseline;
		struct baseline counted;
		struct err ignored = {0};
		bool found = false;

		if (strcmp(entry->workload, workload->file_name) != 0 ||
			strcmp(entry->metric, workload->capture.metric) != 0 ||
			baseline_read(&baseline, entry->folder, &found, &ignored) < 0 || !found)
			continue;
		const bool later = !any || baseline.info.created > timed->info.created;

		found = later && (!counts || (baseline_read_counts(&counted, entry->folder, &found,
						      &ignored) == 0 &&
						     found));
		if (!found) {
			baseline_release(&baseline);
			continue;
		}
		if (any)
			baseline_release(timed);
		if (any && counts)
			baseline_release(counts);
		*timed = baseline;
		if (counts)
			*counts = counted;
		any = true;
	}
	return any;
}

double
count_time_factor_of(const struct baseline_list *list, const struct workload *workload)
{
	struct baseline timed;
	struct baseline counts;
	double factor = NAN;

	if (read_latest_of(list, workload, &timed, &counts)) {
		factor = count_time_factor(&timed.profile, &counts.profile);
		baseline_release(&timed);
		baseline_release(&counts);
	}
	return factor > 0 ? factor : COUNT_TIME_FACTOR;
}

double
count_time_estimate(const struct baseline_list *list, const struct workload *workload)
{
	struct baseline timed;
	double seconds = NAN;

	if (read_latest_of(list, workload, &timed, NULL)) {
		seconds = count_time_of(count_time_factor_of(list, workload), &timed.profile);
		baseline_release(&timed);
	}
	return seconds;
}
