/*
 * What disturbed the runs of a profile, in words: the one place that says what is worth telling.
 *
 * Nothing here makes a run invalid. What disturbs makes runs differ, which the statistics see by
 * themselves; this says where it comes from, so that somebody can do something about it.
 */
#ifndef PROFILE_DISTURBANCE_H
#define PROFILE_DISTURBANCE_H

#include "base/buf.h"
#include "profile/profile.h"

/* Of the time of the program's CPUs: less of it is not told. */
#define DISTURBANCE_OTHERS 0.03
#define DISTURBANCE_STEAL 0.01
/* ... nor so little time that it may be but the ticks it is counted by. */
#define DISTURBANCE_LEAST_NS 30000000
/* Of the time of the CPUs beside. */
#define DISTURBANCE_SIBLINGS 0.10
#define DISTURBANCE_OUTSIDE 0.50
/* How far the clocks at the end of the runs lie apart: largest over smallest, less one. */
#define DISTURBANCE_CLOCK 0.05

/* Shares of a run's time, 0 to 1; NAN where not known. */
struct disturbance {
	double others;   /* of the program's CPUs, taken by other processes */
	double steal;    /* ... by the hypervisor */
	double siblings; /* in which the other threads of its cores were at work */
	double outside;  /* in which the rest of the machine was */
};

struct disturbance disturbance_of_run(const struct run *run);

/*
 * Appends what disturbed the runs that were measured, without a full stop: "7 of 20 runs were
 * disturbed: other processes took 3 to 12 % of the program's CPU; the hypervisor took up to 4 %;
 * the other thread of its core was up to 60 % busy; the clock went from 2.1 to 3.4 GHz". Nothing
 * where nothing is known, or worth telling.
 */
void disturbance_put(const struct profile *profile, struct buf *out);

#endif
