/*
 * Whether a run is usable, and what disturbed it: the one place that defines the limits.
 */
#ifndef PROFILE_QUALITY_H
#define PROFILE_QUALITY_H

#include "base/buf.h"
#include "profile/profile.h"

#include <stdbool.h>

#define QUALITY_TEXT_MAX 160

/* Fewer samples than this share of those expected from the CPU time is too few. */
#define QUALITY_MIN_DELIVERED 0.80
/* More lost records than this share of the samples is too many. */
#define QUALITY_MAX_LOST 0.01
/* More poor runs than this part of a run set is too many. */
#define QUALITY_MOST_POOR 0.2
/* Fewer samples than this are too few. */
#define QUALITY_MIN_SAMPLES 50

/*
 * True if the run is too poor to be usable, with the reason in `text`: "only 61 % of the expected
 * samples arrived". A run that we did not measure (a folded file) is never called poor.
 */
bool quality_of_run(const struct run *run, char text[QUALITY_TEXT_MAX]);

/* The runs of a profile that are too poor to be usable, or without any weight. */
struct quality_tally {
	size_t nruns;
	size_t npoor;
	char first[QUALITY_TEXT_MAX]; /* why the first poor run is one */
	const char *remedy; /* to append to that: ": measure longer runs (capture.repeat)" */
};

struct quality_tally quality_count_poor(const struct profile *profile);

/* More than QUALITY_MOST_POOR of them. */
bool quality_rejects(const struct quality_tally *tally);

/* Fewer samples than this share of those expected tell nothing of the program. */
#define QUALITY_SPARSE 0.5

/*
 * Whether the runs together have too few of the samples that their CPU time should have given to
 * conclude anything from. Then `out` is given a sentence with both numbers, the reason and the
 * remedy: a program of many short processes has most of its time in such as end before their first
 * sample.
 */
bool quality_put_sparse(const struct profile *profile, struct buf *out);

/* How many incomplete stacks were cut short: at most all of them, even if the counts disagree. */
uint64_t quality_truncated(const struct run *run);

/* The stacks of all runs that were measured. */
struct quality_stacks {
	uint64_t samples;
	uint64_t truncated; /* cut short: quality_limits_frames() */
	uint64_t broken;    /* incomplete for another reason */
};

struct quality_stacks quality_count_stacks(const struct profile *profile);

/*
 * Whether truncated stacks are those with more frames than the kernel records, rather than with
 * more bytes than were copied.
 */
bool quality_limits_frames(const struct profile *profile);

/*
 * Appends how many stacks are incomplete and why, and how to fix it: "312 of 5000 stacks are
 * incomplete (6.2 %): 300 because the copied part of the stack (8 KiB) was too short: raise
 * `stack:`; 12 broken". Nothing where none is known to be.
 */
void quality_put_stacks(const struct profile *profile, struct buf *out);

/*
 * Appends which files choose their code by the CPU: "libcrypto.so.3 chooses code by the CPU
 * (instruction cpuid): counts are ...". Nothing where none is known to.
 */
void quality_put_cpu_choice(const struct profile *profile, struct buf *out);

/*
 * The share of the weight, over all columns, below a mark of incomplete stacks (FRAME_BROKEN or
 * FRAME_TRUNCATED): for profiles without counts of stacks. 0 without weight.
 */
double quality_marked_share(const struct profile *profile, const char *mark);

/*
 * The disturbances of the runs of a profile, in words, with the thresholds for reporting them.
 *
 * Nothing here makes a run invalid. Disturbances make runs differ, which the statistics account
 * for; this names their sources, so that they can be removed. What is counted is the same whatever
 * else the machine does: its runs are never disturbed.
 */

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
