/*
 * Whether a run is usable: the one place that defines the limits. And how much of a profile is
 * missing or incomplete, in words.
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
 * Whether the run is too poor to be usable, with the reason in `text`: "only 61 % of the expected
 * samples arrived". A run that profile_run did not measure (a folded file) is never called poor.
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

/* Whether more than QUALITY_MOST_POOR of the runs are poor: too many to judge by the others. */
bool quality_rejects(const struct quality_tally *tally);

/* With fewer samples than this share of those expected, a profile does not show the program. */
#define QUALITY_SPARSE 0.5

/*
 * Whether all runs together have fewer than QUALITY_SPARSE of the samples that their CPU time
 * should have given. Then a sentence with both numbers, the reason and the remedy is appended. A
 * frequent reason is a program of many short processes, most of which end before their first
 * sample.
 */
bool quality_put_sparse(const struct profile *profile, struct buf *out);

/* How many of a run's incomplete stacks were cut short: at most all, even if its counts disagree.
 */
uint64_t quality_truncated(const struct run *run);

/* The stacks of all runs that were measured. */
struct quality_stacks {
	uint64_t samples;
	uint64_t truncated; /* cut short: quality_limits_frames() */
	uint64_t broken;    /* incomplete for another reason */
};

struct quality_stacks quality_count_stacks(const struct profile *profile);

/*
 * Whether stacks are truncated where they have more frames than the kernel records, rather than
 * more bytes than were copied.
 */
bool quality_limits_frames(const struct profile *profile);

/*
 * Appends how many stacks are incomplete and why, and how to fix it: "312 of 5000 stacks are
 * incomplete (6.2 %): 300 because the copied part of the stack (8 KiB) was too short: raise
 * `stack:`; 12 broken". Appends nothing where all stacks
 * are complete.
 */
void quality_put_stacks(const struct profile *profile, struct buf *out);

/*
 * Appends which files choose their code by the CPU: "libcrypto.so.3 chooses code by the CPU
 * (instruction cpuid): counts are ...". Appends nothing where no file is known to.
 */
void quality_put_cpu_choice(const struct profile *profile, struct buf *out);

/*
 * The share of the weight, over all columns, below a mark of incomplete stacks (FRAME_BROKEN or
 * FRAME_TRUNCATED): for profiles without counts of stacks. 0 without weight.
 */
double quality_marked_share(const struct profile *profile, const char *mark);

#endif
