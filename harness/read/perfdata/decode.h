/*
 * Decodes single records of a perf.data file. Which fields a record has, and where, follows from
 * its event's attributes; a struct record_layout works that out once.
 *
 * Source: linux/perf_event.h, the comments at enum perf_event_type.
 */
#ifndef PERFDATA_DECODE_H
#define PERFDATA_DECODE_H

#include "perfdata/records.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Positions count in words of 8 bytes; -1: the field is not there. */
struct record_layout {
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t branch_type;
	unsigned nuser_regs;
	/*
	 * Whether mappings may have a build-id in the place of device and inode. Where another
	 * profiler of the same time asks for it, Linux (6.18 and before) says so of records without
	 * one, too.
	 */
	bool build_ids;
	int sample_time; /* in a sample, from its first word after the header */
	int sample_id;
	int sample_period;
	int trailer_words; /* what sample_id_all adds to all other records */
	int trailer_time;  /* from the trailer's start */
	int trailer_id;
};

void record_layout_init(struct record_layout *layout, const struct perf_event_attr *attr);

/* A record as it lies in memory: its header has been checked and stands before `words`. */
struct raw_record {
	uint32_t type;
	uint16_t misc;
	const uint64_t *words; /* after the header */
	size_t nwords;
};

/* Its time, or 0 where it has none. */
uint64_t raw_record_time(const struct raw_record *raw, const struct record_layout *layout);
/* Its event's id; false where it has none. */
bool raw_record_id(const struct raw_record *raw, const struct record_layout *layout, uint64_t *id);
/* A sample's period; false where it does not state one. */
bool raw_record_period(
	const struct raw_record *raw, const struct record_layout *layout, uint64_t *period);

/*
 * Fills in `record` but for `event` and `file_offset`. Returns NULL, or what is wrong with the
 * record: a phrase for a message.
 */
const char *decode_record(
	const struct raw_record *raw, const struct record_layout *layout, struct record *record);

/* Where parts of a sample lie, in words after its header; what is not there is empty. */
struct sample_parts {
	size_t chain; /* its count and the chain */
	size_t chain_end;
	size_t user; /* the user's registers and the copy of the stack */
	size_t user_end;
};

/* decode_record() of a sample, whose `record` has been emptied; says where its parts lie. */
const char *decode_sample(const struct raw_record *raw, const struct record_layout *layout,
	struct record *record, struct sample_parts *parts);

#endif
