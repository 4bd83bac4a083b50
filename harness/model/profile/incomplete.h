/* How much of a profile is missing: samples that did not arrive, and stacks without an end. */
#ifndef PROFILE_INCOMPLETE_H
#define PROFILE_INCOMPLETE_H

#include "base/buf.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* With fewer samples than this share of those expected, a profile does not show the program. */
#define INCOMPLETE_SPARSE 0.5

/*
 * Whether all runs together have fewer than INCOMPLETE_SPARSE of the samples that their CPU time
 * should have given. If so, appends a sentence with both numbers, the reason and the remedy. A
 * frequent reason is a program of many short processes, most of which end before their first
 * sample. Of a file, which does not state the CPU time, it is possible that they have fewer.
 */
bool incomplete_put_sparse(const struct profile *profile, struct buf *out);

/* The incomplete stacks of a run that were cut short: at most all, even if its counts disagree. */
uint64_t incomplete_truncated(const struct run *run);

/* The stacks of all runs that were measured. */
struct incomplete_stacks {
	uint64_t samples;
	uint64_t truncated; /* cut short; incomplete_limits_frames() says by what */
	uint64_t broken;    /* incomplete for another reason */
};

struct incomplete_stacks incomplete_count_stacks(const struct profile *profile);

/*
 * Whether stacks are truncated where they have more frames than the kernel records, rather than
 * more bytes than were copied.
 */
bool incomplete_limits_frames(const struct profile *profile);

/*
 * Appends how many stacks are incomplete and why, and how to fix it: "312 of 5000 stacks are
 * incomplete (6.2 %): 300 because the copied part of the stack (8 KiB) was too short: raise
 * `stack:`; 12 broken". Appends nothing where all stacks are complete.
 */
void incomplete_put_stacks(const struct profile *profile, struct buf *out);

/*
 * The share of the weight, over all columns, below a mark of incomplete stacks (FRAME_BROKEN or
 * FRAME_TRUNCATED): for profiles without counts of stacks. 0 without weight.
 */
double incomplete_marked_share(const struct profile *profile, const char *mark);

#endif
