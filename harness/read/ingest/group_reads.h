/*
 * The members of a group of events that is read together, '{a,b}:S': the leader's samples have the
 * values of all. These are totals, so that a sample weighs what was counted since the one before.
 *
 * Source: perf_event_open(2), PERF_FORMAT_GROUP; deliver_sample_group() of
 * tools/perf/util/session.c.
 */
#ifndef INGEST_GROUP_READS_H
#define INGEST_GROUP_READS_H

#include "base/key_map.h"
#include "ingest/event_choice.h"
#include "perfdata/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zeros: no member is read. */
struct group_reads {
	struct key_map ids; /* of the members that are read */
	uint64_t *last;     /* by number: the value of the sample before */
};

/* Reads the chosen events that have no samples of their own. */
void group_reads_init(struct group_reads *reads, const struct perfdata_reader *reader,
	const struct event_choice *choice);
void group_reads_release(struct group_reads *reads);

static inline bool
group_reads_are_any(const struct group_reads *reads)
{
	return reads->ids.count > 0;
}

/* Takes each sample, in the order of time; returns what it weighs, 0: nothing was counted. */
uint64_t group_reads_take(struct group_reads *reads, const struct record_sample *sample);

#endif
