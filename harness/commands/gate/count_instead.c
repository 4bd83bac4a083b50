#include "gate/count_instead.h"

#include "base/log.h"
#include "capture/backend.h"
#include "perf_event/events.h"
#include "process/process.h"
#include "profile/metric.h"
#include "spec/workload.h"

#include <errno.h>
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
