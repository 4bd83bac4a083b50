#include "pipeline/count_time.h"

#include "pipeline/count_instead.h"
#include "process/find_program.h"
#include "profile/executions.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool
count_time_is_asked(const struct workload *workload)
{
	char *valgrind = count_instead_may(workload) ? find_program("valgrind", NULL, NULL) : NULL;
	const bool is_there = valgrind != NULL;

	free(valgrind);
	return is_there;
}

double
count_time_of(const struct profile *profile)
{
	double wall_ns = 0;
	double executions = 0;

	for (size_t i = 0; i < profile->nruns; i++) {
		wall_ns += (double)profile->runs[i].wall_ns;
		executions += executions_of_run(&profile->runs[i]);
	}
	return wall_ns > 0 && executions > 0 ? wall_ns / executions * 1e-9 : NAN;
}

typedef int read_fn(struct baseline *baseline, const char *folder, bool *found, struct err *err);

/* The wall time of an execution of the latest baseline that `read` finds; NAN: there is none. */
static double
latest_seconds(const struct baseline_list *list, const struct workload *workload, read_fn *read)
{
	double seconds = NAN;
	int64_t latest = INT64_MIN;

	for (size_t i = 0; i < list->nentries; i++) {
		const struct baseline_entry *entry = &list->entries[i];
		struct baseline baseline;
		struct err ignored = {0};
		bool found = false;

		if (strcmp(entry->workload, workload->file_name) != 0 ||
			strcmp(entry->metric, workload->capture.metric) != 0 ||
			read(&baseline, entry->folder, &found, &ignored) < 0 || !found)
			continue;
		if (baseline.info.created > latest) {
			latest = baseline.info.created;
			seconds = count_time_of(&baseline.profile);
		}
		baseline_release(&baseline);
	}
	return seconds;
}

double
count_time_estimate(const struct baseline_list *list, const struct workload *workload)
{
	const double counted = latest_seconds(list, workload, baseline_read_counts);

	return isnan(counted) ? COUNT_TIME_FACTOR * latest_seconds(list, workload, baseline_read)
			      : counted;
}
