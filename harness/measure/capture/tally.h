/*
 * The cost of a run, its other counts, and the number of samples to expect from it.
 */
#ifndef CAPTURE_TALLY_H
#define CAPTURE_TALLY_H

#include "base/err.h"
#include "capture/backend.h"
#include "machine/disturb.h"
#include "perf_event/event_counters.h"
#include "process/child.h"
#include "profile/profile.h"

#include <stdint.h>
#include <sys/resource.h>

struct sampler;

/* Where the numbers come from; all borrowed. */
struct tally {
	const struct capture_request *request;
	const struct event_counters *counters;
	const struct sampler *sampler; /* used if request->perfdata_path */
	const struct rusage *usage;    /* of all executions; NULL: an attached process, or all
					  processes */
	int64_t cpu_ns;                /* known from elsewhere; -1: from the counters, or `usage` */
	const struct disturb *disturb; /* ended; NULL: not observed */
	uint64_t harness_ns;           /* CPU time of our own until the run's end */
	unsigned executions;           /* of the program; 0: we did not start it */
};

/*
 * Fills in CPU time, cost, switches, migrations, period and expected samples, from the counters,
 * and from `usage` where one was refused; and what disturbed the run.
 */
void tally_run(const struct tally *tally, struct run *run);

/* Adds the kernel's counts of an execution that has ended, the `nth` of the run from 1. */
void tally_child(const struct child *child, unsigned nth, struct run *run);

/*
 * Fills in the numbers of a run of one execution whose events were all counted: `cost` in the
 * backend's unit. `harness_start_ns` is this process's CPU time before the run.
 */
void tally_counted(
	const struct child *child, double cost, uint64_t harness_start_ns, struct run *run);

/*
 * Sets an error if records were lost, without which a run means nothing: "5 WHAT were lost".
 * `remedy` is for runs that copy stacks.
 */
int tally_refuse_losses(const struct capture_request *request, const struct run *run,
	const char *what, const char *remedy, struct err *err);

#endif
