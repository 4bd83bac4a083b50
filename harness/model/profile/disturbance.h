/*
 * The disturbances of the runs of a profile, in words, with the thresholds for reporting them.
 *
 * Nothing here makes a run invalid. Disturbances make runs differ, which the statistics account
 * for; this names their sources, so that they can be removed. What is counted is the same whatever
 * else the machine does: its runs are never disturbed.
 */
#ifndef PROFILE_DISTURBANCE_H
#define PROFILE_DISTURBANCE_H

#include "base/buf.h"
#include "profile/profile.h"

enum disturbance {
	DISTURBANCE_OTHERS,   /* of the program's CPUs, taken by other processes */
	DISTURBANCE_STEAL,    /* ... by the hypervisor */
	DISTURBANCE_LIMIT,    /* in which the CPU limit of its control group kept it waiting */
	DISTURBANCE_SIBLINGS, /* in which the other threads of its cores were at work */
	DISTURBANCE_OUTSIDE,  /* in which the rest of the machine was */
};

/* The share of a run's time, 0 to 1; NAN where not known. */
double disturbance_share(const struct run *run, enum disturbance kind);

/*
 * Whether a run lost more than `share` of its CPUs' time to other processes, the hypervisor and the
 * limit of its control group. False where nothing is known, and for so little time that it may be
 * rounding.
 */
bool disturbance_is_of_run(const struct run *run, double share);

/* How many runs did; of what was counted none. */
size_t disturbance_count(const struct profile *profile, double share);

/*
 * Whether most of the runs that were watched did. False where nothing is known.
 */
bool disturbance_is_large(const struct profile *profile, double share);

/* Whether runs were watched, and none lost more: load is no reason for how they differ. */
bool disturbance_is_excluded(const struct profile *profile, double share);

/*
 * Appends what disturbed the runs that were measured, without a full stop: "7 of 20 runs were
 * disturbed: other processes took 3 to 12 % of the program's CPU; the hypervisor took up to 4 %;
 * the other thread of its core was up to 60 % busy; the clock went from 2.1 to 3.4 GHz". Nothing
 * where nothing is known or above its threshold.
 */
void disturbance_put(const struct profile *profile, struct buf *out);

#endif
