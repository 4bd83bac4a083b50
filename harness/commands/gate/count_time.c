#include "gate/count_time.h"

#include "base/log.h"
#include "capture/backend.h"
#include "perf_event/events.h"
#include "process/process.h"
#include "profile/counters.h"
#include "profile/metric.h"
#include "spec/workload.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Whether a workload is of CPU time, and its policy permits to decide by instructions. */
static bool
may_be_counted(const struct workload *workload)
{
	return metric_counted_instead(workload->capture.metric) &&
	       workload->gate.decide != DECIDE_NONE;
}

/* Whether its instructions are judged anyway, as another workload of the same file. */
static bool
has_own_counts(const struct workload *workload)
{
	const char *counted = metric_counted_instead(workload->capture.metric);

	for (const char *const *at = workload->measured; at && *at; at++)
		if (strcmp(*at, counted) == 0)
			return true;
	return false;
}

bool
count_instead_may(const struct workload *workload)
{
	return may_be_counted(workload) && !has_own_counts(workload);
}

/* Whether instructions can be counted on this machine. */
static bool
can_count(void)
{
	const struct capture_backend *backend = capture_backend_for(METRIC_INSTRUCTIONS);
	struct capture_event event;
	struct err ignored = {0};

	return backend && backend->choose(METRIC_INSTRUCTIONS, "auto", &event, &ignored) == 0;
}

void
count_instead(struct workload_list *list)
{
	char advice[EVENT_ADVICE_SIZE];
	size_t n = 0;
	size_t changed = 0;

	for (size_t i = 0; i < list->nworkloads; i++)
		n += may_be_counted(&list->workloads[i]);
	const int refused = n > 0 ? event_find_refusal() : 0;

	if (refused == 0 || !can_count())
		return;
	event_advise(advice);
	n = 0;
	for (size_t i = 0; i < list->nworkloads; i++) {
		struct workload *workload = &list->workloads[i];
		const bool may = may_be_counted(workload);

		changed += may;
		if (may && has_own_counts(workload)) {
			log_warn("%s: left out, since CPU time cannot be sampled here",
				workload->name);
			workload_release(workload);
			continue;
		}
		if (may)
			workload_count_instead(workload);
		list->workloads[n++] = *workload;
	}
	list->nworkloads = n;
	if (changed > 0)
		log_warn(
			"CPU time cannot be sampled here (%s): instructions are counted in its place. "
			"To sample: %s",
			strerror(refused),
			refused == ENOSYS ? "run outside of the sandbox that "
					    "lacks perf_event_open(2)"
					  : advice);
}

bool
count_beside_may(const struct workload *workload)
{
	char *valgrind = count_instead_may(workload) ? find_program("valgrind", NULL, NULL) : NULL;
	const bool is_there = valgrind != NULL;

	free(valgrind);
	return is_there;
}

static double
mean_seconds(const struct profile *profile, bool of_cpu)
{
	double ns = 0;
	double executions = 0;

	for (size_t i = 0; i < profile->nruns; i++) {
		const struct run *run = &profile->runs[i];

		ns += (double)(of_cpu ? run->cpu_ns : run->wall_ns);
		/* Iterations of a benchmark are in one process, and so they are counted. */
		executions += executions_are_iterations(profile) ? 1 : executions_of_run(run);
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

		if (strcmp(entry->workload, workload->stored_name) != 0 ||
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
