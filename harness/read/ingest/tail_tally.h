/*
 * The numbers of a tail (tail.h), as it is read: of its operations, and of their times.
 */
#ifndef INGEST_TAIL_TALLY_H
#define INGEST_TAIL_TALLY_H

#include "base/err.h"
#include "ingest/tail.h"
#include "ingest/timeline.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/* All zeros: none yet. */
struct tail_tally {
	double *times; /* of each operation, slow or not, in ns */
	size_t count;
	size_t capacity;
	size_t nslow;
	double on_ns;  /* on the CPU, in slow ones */
	double off_ns; /* ... and off it */
};

void tail_tally_operation(struct tail_tally *tally, struct tail_mark mark);
void tail_tally_time(struct tail_tally *tally, struct timeline_entry entry);
void tail_tally_release(struct tail_tally *tally);

/* An error if there was no operation, or none was slow unless that `may_be_empty`. */
int tail_tally_check(struct tail_tally *tally, const struct tail *tail, const char *path,
	bool may_be_empty, struct err *err);

/* Sets profile->operations. */
void tail_tally_describe(
	struct tail_tally *tally, const struct tail *tail, struct profile *profile);

#endif
