/*
 * Times off the CPU from stacks of bcc's tools: what both of their formats become.
 */
#ifndef INGEST_OFFCPUTIME_H
#define INGEST_OFFCPUTIME_H

#include "profile/profile.h"

/*
 * Adds the stacks of the first column of `from`, whose weights are microseconds and whose first
 * frame is the name of the thread, as a column of times, each with the reason of its wait at the
 * leaf.
 */
void offcputime_add(struct profile *profile, const struct profile *from);

#endif
