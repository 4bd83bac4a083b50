/*
 * The parts of a perf.data reader: the header (reader_header.c), the walk over the records
 * (reader_index.c) and the records that perf puts between the kernel's (reader_user.c). Internal to
 * reader and condenser.
 */
#ifndef PERFDATA_READER_PARTS_H
#define PERFDATA_READER_PARTS_H

#include "base/arena.h"
#include "base/err.h"
#include "perfdata/decompress.h"
#include "perfdata/event_table.h"
#include "perfdata/features.h"
#include "perfdata/format.h"
#include "perfdata/record_store.h"
#include "perfdata/shared.h"
#include "perfdata/timeline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perfdata_reader {
	const struct file_view *view;
	const char *path;
	struct arena arena;
	struct file_section data; /* the records */
	bool is_pipe;             /* nothing but records; the header is in them */
	bool truncated;
	bool events_changed; /* since the events were indexed */
	struct event_table events;
	struct perf_features features;
	struct file_bytes *others; /* records of perf's own that say something about the events */
	size_t nothers;
	size_t others_capacity;
	struct decompressor *decompressor; /* NULL while nothing was compressed */
	struct record_store expanded;
	struct record_origins origins; /* of both stores */
	struct record_store aligned;   /* copies of records that do not start on a word */
	struct shared_samples *shared; /* NULL while there were none */
	/*
	 * The records that were found and not read yet, the first `nready` of them in order of
	 * time: none that is still to be found comes before the last of these.
	 */
	struct moment *moments;
	size_t nmoments;
	size_t moments_capacity;
	size_t nready;
	size_t next;
	uint64_t found;     /* offset up to which records were looked for */
	uint64_t last_ns;   /* of the record found last */
	uint64_t newest_ns; /* of the records found */
	uint64_t round_ns;  /* the same at the end of the round before this one */
	uint64_t ready_ns;  /* ... and of the one before: all records up to then were found */
	size_t released;    /* bytes of the file whose memory was given back in this pass over it */
};

/* How many records ahead of the one that is looked at are fetched into the processor's caches. */
#define FETCHED_RECORDS 4

/* Reads the header and, but for a pipe, events and feature sections. */
int reader_read_header(struct perfdata_reader *reader, struct err *err);

/*
 * Finds records and orders them by time: all of them, or of a large file those of its start and
 * some more at every call, as far as ends of rounds allow. At the end of the file there are no
 * more.
 */
int reader_index(struct perfdata_reader *reader, struct err *err);
/* Whether all records were found. */
bool reader_is_whole(const struct perfdata_reader *reader);
/*
 * Gives the memory of the file up to some way behind `offset` back, from time to time. What is
 * looked at again is read again.
 */
void reader_release_behind(struct perfdata_reader *reader, size_t offset);
/* A record that the index found; one of a shared stack is a sample. */
struct raw_record reader_raw(const char *record);
/* Where in the file it came from. */
uint64_t reader_offset(const struct perfdata_reader *reader, const char *record);

/*
 * Takes a record of perf's own at `record`, `size` bytes with its header. *follow is how many bytes
 * of data follow it that its size does not count.
 */
int reader_take_user(struct perfdata_reader *reader, const char *record, size_t size,
	uint64_t *follow, struct err *err);
/* Makes the events ready for what records say of them. */
int reader_index_events(struct perfdata_reader *reader, struct err *err);

#endif
