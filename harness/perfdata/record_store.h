/*
 * Memory for records that cannot be read where they lie in the file: they were compressed, or do
 * not start on a word. Where in the file they came from is kept, for messages.
 */
#ifndef PERFDATA_RECORD_STORE_H
#define PERFDATA_RECORD_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A block's size: many records of any size fit in. */
#define RECORD_BLOCK_BYTES ((size_t)1 << 20)

struct record_block {
	char *bytes; /* RECORD_BLOCK_BYTES, aligned for words */
	size_t len;
};

/* Where a stretch of records came from. */
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

struct record_store {
	struct record_block *blocks;
	size_t nblocks;
	size_t blocks_capacity;
	struct record_origins *origins; /* borrowed: stores may share them */
};

void record_store_init(struct record_store *store, struct record_origins *origins);
void record_store_release(struct record_store *store);

/*
 * The block being filled, with room for `bytes` (at most half a block) more. If a new one had to be
 * begun, the last `carry` bytes of the old one were moved over to its start.
 */
struct record_block *record_store_room(struct record_store *store, size_t bytes, size_t carry);
/* What is put into the block being filled, from its end on, comes from `file_offset`. */
void record_store_mark(struct record_store *store, uint64_t file_offset, bool copied);
/* A copy of a record; the store's. */
const char *record_store_copy(
	struct record_store *store, const char *record, size_t bytes, uint64_t file_offset);

/* To be called when all records are there. */
void record_origins_sort(struct record_origins *origins);
/* Where in the file a record of one of the stores came from. */
uint64_t record_origins_find(const struct record_origins *origins, const char *record);
void record_origins_release(struct record_origins *origins);

#endif
