/*
 * The parts of the reader of perf.data files, for reader.c and condense.c. This header declares, in
 * this order:
 *
 *     bytes           here
 *     events          event_table.c
 *     features        perf_features.c
 *     stores          record_store.c
 *     decompression   decompressor.c
 *     shared stacks   shared_samples.c
 *     index           reader_index.c
 */
#ifndef PERFDATA_READER_INTERNAL_H
#define PERFDATA_READER_INTERNAL_H

#include "base/allowance.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file_view.h"
#include "perfdata/format.h"
#include "perfdata/records.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zstd.h>

/*
 * Bytes: those of a file that is being read, unaligned. Every read is checked.
 */

struct file_bytes {
	const char *at; /* borrowed from the file */
	size_t left;
};

/* Copies the next `count` bytes, or passes over them if `to` is NULL. */
static inline bool
file_bytes_take(struct file_bytes *bytes, void *to, size_t count)
{
	if (count > bytes->left)
		return false;
	if (to && count > 0)
		memcpy(to, bytes->at, count);
	bytes->at += count;
	bytes->left -= count;
	return true;
}

/* The rest as a terminated string; NULL if it is not terminated. */
static inline const char *
file_bytes_text(const struct file_bytes *bytes)
{
	return bytes->left > 0 && memchr(bytes->at, '\0', bytes->left) ? bytes->at : NULL;
}

/* Whether the section lies within `len` bytes. */
static inline bool
file_section_fits(struct file_section section, size_t len)
{
	return section.offset <= len && section.size <= len - section.offset;
}

/*
 * Events: those of a perf.data file, with their attributes, how their records are laid out, and
 * which event a record belongs to.
 */

/*
 * The name that perf would show without a name from the user: "cpu-clock", "cycles"; "type 4 config
 * 0x1c2" for others.
 */
void perfdata_event_name(const struct perf_event_attr *attr, char *name, size_t size);

struct event_id {
	uint64_t id;
	size_t event;
};

struct event_entry {
	struct perfdata_event event;
	struct record_layout layout;
};

struct event_table {
	struct event_entry *entries;
	size_t count;
	size_t capacity;
	struct event_id *ids; /* by id */
	size_t nids;
	bool by_id; /* records say which event they belong to */
};

void event_table_release(struct event_table *table);

/*
 * Adds an event: `attr_bytes` of its attributes, of which the first ones are known here, and the
 * bytes of its ids, neither aligned. Copies of the ids are the arena's.
 */
void event_table_add(struct event_table *table, struct arena *arena, const char *attr,
	size_t attr_bytes, struct file_bytes ids);

/* To be called after events were added. Events whose samples cannot be distinguished are an error.
 */
int event_table_index(struct event_table *table, const char *path, struct err *err);

/* The event that has `id`, or NULL. */
struct event_entry *event_table_find(struct event_table *table, uint64_t id);
/*
 * The index of the event that a record belongs to. False if the record names none that is known:
 * the index is then that of the first, whose layout is as good as any.
 */
bool event_table_of(const struct event_table *table, const struct raw_record *raw, size_t *event);

/*
 * Features: sections of a perf.data file that have perf's notes on the machine, the command, the
 * events' names and the build-ids of files. In a file a table of sections stands after the records,
 * in a pipe each comes as a record.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt.
 */

struct build_id_entry {
	const char *path;
	const unsigned char *id; /* in the file */
	size_t len;
	const char *record; /* the whole entry, in the file */
	size_t record_bytes;
};

struct perf_features {
	struct file_bytes sections[FEATURES_MAX]; /* by feature; at NULL: not there */
	struct perfdata_texts texts;              /* the arena's */
	struct clock_feature clock;               /* version 0: not there */
	struct build_id_entry *build_ids;         /* owned; by path, once read */
	size_t nbuild_ids;
	size_t nsorted; /* of them, by path */
	size_t build_ids_capacity;
};

/* Finds the sections whose bits are set; their table starts at `table`. */
void perf_features_find(struct perf_features *features, const struct file_view *view,
	uint64_t table, const uint64_t bits[FEATURE_WORDS]);
/* Adds the build-id of a record; one that cannot be read is left out. */
void perf_features_add_build_id(
	struct perf_features *features, const char *record, size_t record_bytes);
/* Sorts the build-ids by path. */
void perf_features_sort_build_ids(struct perf_features *features);
/*
 * Reads the sections found, and sets the names of `events` where they are given: by ids or, without
 * ids, by their order. A feature that cannot be read is left out: none is needed.
 */
void perf_features_read(
	struct perf_features *features, struct event_table *events, struct arena *arena);
void perf_features_release(struct perf_features *features);

/*
 * Stores: memory for records that cannot be read where they lie in the file, as they were
 * compressed, or do not start on a word. Where in the file they came from is kept, for messages.
 */

/* A block's size: many records of any size fit in. */
#define RECORD_BLOCK_BYTES ((size_t)1 << 20)

struct record_block {
	char *bytes; /* RECORD_BLOCK_BYTES, aligned for words */
	size_t len;
};

/* Where a run of records came from. */
struct record_origin {
	const char *records; /* its start in the store, up to that of the next */
	uint64_t file_offset;
	bool copied; /* one to one; else all of it came from the one record at `file_offset` */
};

struct record_origins {
	struct record_origin *list; /* owned; by address, once record_origins_sort() was called */
	size_t count;
	size_t capacity;
};

/* Initially all zeros but for `origins`. */
struct record_store {
	struct record_block *blocks;
	size_t nblocks;
	size_t blocks_capacity;
	struct record_origins *origins; /* borrowed: stores may share them */
};

void record_store_release(struct record_store *store);

/*
 * The block being filled, with room for `bytes` (at most half a block) more. If a new one had to be
 * begun, the last `carry` bytes of the old one were moved over to its start.
 */
struct record_block *record_store_room(struct record_store *store, size_t bytes, size_t carry);
/* Bytes appended to the block being filled from now on come from `file_offset`. */
void record_store_mark(struct record_store *store, uint64_t file_offset, bool copied);
/* A copy of a record; the store's. */
const char *record_store_copy(
	struct record_store *store, const char *record, size_t bytes, uint64_t file_offset);

/* To be called once all records are added. */
void record_origins_sort(struct record_origins *origins);
/* The offset in the file that a record of one of the stores came from. */
uint64_t record_origins_find(const struct record_origins *origins, const char *record);
void record_origins_release(struct record_origins *origins);

/*
 * Decompression: of the records of `perf record -z`. All of a file's are one zstd stream of whole
 * records, cut anywhere.
 */

/* All zeros but for `store` before the first piece of a stream. */
struct decompressor {
	struct record_store *store; /* for the records; borrowed, and used by nobody else */
	ZSTD_DCtx *stream;          /* NULL: nothing was fed yet */
	ZSTD_inBuffer in;
	bool more;     /* the last step filled its output: there may be more without input */
	size_t unread; /* at the end of the store's last block: expanded, not yet handed out */
	uint64_t fed;  /* bytes, altogether */
	struct allowance allowance; /* bytes that they may still become */
	uint64_t file_offset;
};

void decompressor_release(struct decompressor *decompressor);

/* Gives it the next piece of the stream, from the record at `file_offset`; borrowed until read. */
void decompressor_feed(
	struct decompressor *decompressor, const char *bytes, size_t len, uint64_t file_offset);
/*
 * The next record of what was fed: 1 and *record, whose size has been checked; 0 if more must be
 * fed; -1 and `problem`, a phrase for a message, if the stream is broken or expands without end.
 */
int decompressor_next(struct decompressor *decompressor, const char **record, const char **problem);

/*
 * Shared stacks: ordinary samples are made of those whose stack copies are in part those of earlier
 * records (struct shared_stack).
 */

struct shared_block {
	char *bytes;
	size_t len;
	uint64_t last; /* the number of the last sample in it */
};

/* Initially all zeros. */
struct shared_samples {
	struct shared_block *blocks;
	size_t nblocks;
	size_t capacity;
	size_t filling;
	uint64_t count; /* of samples expanded so far */
};

void shared_samples_release(struct shared_samples *samples);

/*
 * The sample that the record `at` stands for; the size in its header has been checked. It may only
 * refer to bytes between `first` and itself. The sample is valid until PERFDATA_KEPT more were
 * expanded. NULL and `problem`, a phrase for a message, if it is broken.
 */
const char *shared_samples_expand(
	struct shared_samples *samples, const char *at, const char *first, const char **problem);

/*
 * Index: the reader's records, found by a walk over the file, those included that perf puts between
 * the kernel's, and sorted by time.
 */

struct moment {
	uint64_t time_ns;
	const char *record; /* borrowed */
};

struct perfdata_reader {
	const struct file_view *view;
	const char *path;
	struct arena arena;
	struct file_section data; /* the records */
	bool is_pipe;             /* nothing but records; the header is in them */
	bool truncated;
	bool events_changed;       /* since the events were indexed */
	struct allowance indexing; /* of events, again and again */
	struct event_table events;
	struct perf_features features;
	struct file_bytes *others; /* records of perf's own that say something about the events */
	size_t nothers;
	size_t others_capacity;
	struct decompressor decompressor;
	struct record_store expanded;
	struct record_origins origins; /* of both stores */
	struct record_store aligned;   /* copies of records that do not start on a word */
	struct shared_samples shared;
	/*
	 * The records that were found and not read yet, the first `nready` of them in order of
	 * time: no record still to be found is older than the last of these.
	 */
	struct moment *moments;
	size_t nmoments;
	size_t moments_capacity;
	size_t nready;
	size_t next;
	uint64_t found;     /* offset up to which the file was searched for records */
	uint64_t last_ns;   /* of the record found last */
	uint64_t newest_ns; /* of the records found */
	uint64_t round_ns;  /* the same at the end of the round before this one */
	uint64_t ready_ns;  /* ... and of the one before: all records up to then were found */
	size_t released;    /* bytes of the file whose memory was given back in this pass over it */
};

/* How many records ahead of the current one are prefetched. */
#define FETCHED_RECORDS 4

/*
 * Finds records and sorts them by time: all of them, or of a large file those of its start and some
 * more at every call, up to an end of a round. Adds none at the end of the file.
 */
int reader_index(struct perfdata_reader *reader, struct err *err);
/* Sorts by time; records of the same time keep their order. */
void reader_sort(struct moment *moments, size_t count);
/* Whether all records were found. */
bool reader_is_whole(const struct perfdata_reader *reader);
/*
 * Releases from time to time the mapped memory of the file up to some distance before `offset`. It
 * is read again if it is needed again.
 */
void reader_release_behind(struct perfdata_reader *reader, size_t offset);
/* A record that the index found; one of a shared stack is a sample. */
struct raw_record reader_raw(const char *record);
/* Where in the file it came from. */
uint64_t reader_offset(const struct perfdata_reader *reader, const char *record);

#endif
