/*
 * What a run cost, and how many samples that should have given.
 */
#ifndef CAPTURE_TALLY_H
#define CAPTURE_TALLY_H

#include "capture/backend.h"
#include "capture/sampler.h"
#include "machine/disturb.h"
#include "perf_event/counters.h"

#include <stdint.h>
#include <sys/resource.h>

/* Where the numbers come from; all borrowed. */
struct tally {
	const struct capture_request *request;
	const struct counters *counters;
	const struct sampler *sampler; /* used if request->perfdata_path */
	const struct rusage *usage;    /* of the program; NULL: not ours, or not only it */
	int64_t cpu_ns;                /* known from elsewhere; -1: the counters and `usage` tell */
	const struct disturb *disturb; /* ended; NULL: nobody looked */
	uint64_t harness_ns;           /* CPU time of our own until the run's end */
};

/*
 * Fills in CPU time, cost, switches, migrations, period and expected samples, from the counters,
 * and from `usage` where one was refused; and what disturbed the run.
 */
void tally_run(const struct tally *tally, struct run *run);

/* User and system time together. */
uint64_t tally_usage_ns(const struct rusage *usage);

#endif
