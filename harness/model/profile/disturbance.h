/*
 * Disturbances: other load on the machine while a run was measured, as machine/disturb.h has
 * counted it, and the thresholds for reporting it in words.
 *
 * A disturbance never makes a run invalid. It makes runs differ, which the statistics account for;
 * reports name its source, so that it can be removed. Counts are the same whatever else the machine
 * does, so a profile of counts is never disturbed. A run is watched if its CPUs are known.
 */
#ifndef PROFILE_DISTURBANCE_H
#define PROFILE_DISTURBANCE_H

#include "base/buf.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

enum disturbance {
	DISTURBANCE_OTHERS,   /* other processes used the program's CPUs */
	DISTURBANCE_STEAL,    /* the hypervisor took the program's CPUs */
	DISTURBANCE_LIMIT,    /* the CPU limit of its control group kept the program waiting */
	DISTURBANCE_SIBLINGS, /* the other hardware threads of its cores were busy */
	DISTURBANCE_OUTSIDE,  /* the other CPUs of the machine were busy */
};

/* The share of a run's time in which it was disturbed so, 0 to 1; NAN where not known. */
double disturbance_share(const struct run *run, enum disturbance kind);

/*
 * Whether a run lost more than `share` of its CPUs' time: to other processes, the hypervisor and
 * the limit of its control group together. False where nothing is known, and for so little time
 * that it may be rounding.
 */
bool disturbance_is_of_run(const struct run *run, double share);

/* How many runs lost more than `share`; 0 where the profile is of counts. */
size_t disturbance_count(const struct profile *profile, double share);

/* Whether most of the watched runs lost more than `share`. False where no run was watched. */
bool disturbance_is_large(const struct profile *profile, double share);

/*
 * Whether runs were watched and none lost more than `share`: then other load is not the reason that
 * runs differ.
 */
bool disturbance_is_excluded(const struct profile *profile, double share);

/*
 * Appends what disturbed the runs that were measured, without a full stop: "7 of 20 runs were
 * disturbed: other processes took 3 to 12 % of the program's CPU; the hypervisor took up to 4 %;
 * the other thread of its core was up to 60 % busy; the clock went from 2.1 to 3.4 GHz". Appends
 * nothing where nothing is known or above its threshold.
 */
void disturbance_put(const struct profile *profile, struct buf *out);

#endif
