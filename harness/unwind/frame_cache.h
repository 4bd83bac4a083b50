/*
 * What an unwinder remembers: the row of each place in code that it has met.
 *
 * A sampled program comes by the same few thousand return addresses over and over, and so do all
 * processes that run it, wherever it is mapped. Looking a row up takes two binary searches; finding
 * it here takes one line of memory.
 */
#ifndef UNWIND_FRAME_CACHE_H
#define UNWIND_FRAME_CACHE_H

#include "unwind/unwind_table_internal.h"

#include <stdbool.h>
#include <stdint.h>

/* How to step out of code at one place. */
struct cached_frame {
	uint64_t file_offset;
	struct unwind_table *table;       /* of the file; NULL: nothing is kept here */
	const struct unwind_saves *saves; /* NULL: there is no row */
	int32_t cfa_value;
	uint8_t cfa_kind;
	uint8_t cfa_reg;
	uint8_t return_column;
	bool signal;
};

/*
 * The same of a leaf, which can be anywhere in a function: samples rarely meet the same place
 * again, but the same row. frame.file_offset is where that begins to hold.
 */
struct cached_leaf {
	struct cached_frame frame;
	uint64_t end; /* behind the last byte that it holds for */
};

struct frame_cache {
	struct cached_frame *frames;
	struct cached_leaf *leaves;
};

void frame_cache_init(struct frame_cache *cache);
void frame_cache_release(struct frame_cache *cache);

/* Fills in the frame of a place, which takes that of another. */
void frame_cache_fill(struct cached_frame *frame, struct unwind_table *table, uint64_t file_offset);
void frame_cache_fill_leaf(
	struct cached_leaf *leaf, struct unwind_table *table, uint64_t file_offset);

#define FRAME_CACHE_BITS 15
/* Rows of leaves are kept by stretches of so many bytes. */
#define FRAME_CACHE_LEAF_BITS 12
#define FRAME_CACHE_LEAF_BYTES 64

/* The frame of a place; valid until the next call. */
static inline const struct cached_frame *
frame_cache_find(struct frame_cache *cache, struct unwind_table *table, uint64_t file_offset)
{
	uint64_t hash = (file_offset + ((uintptr_t)table << 16)) * UINT64_C(0x9e3779b97f4a7c15);
	struct cached_frame *frame = &cache->frames[hash >> (64 - FRAME_CACHE_BITS)];

	if (frame->file_offset != file_offset || frame->table != table)
		frame_cache_fill(frame, table, file_offset);
	return frame;
}

/* The frame of a leaf; its file_offset is that of any place with the same row. */
static inline const struct cached_frame *
frame_cache_find_leaf(struct frame_cache *cache, struct unwind_table *table, uint64_t file_offset)
{
	uint64_t hash = (file_offset / FRAME_CACHE_LEAF_BYTES + ((uintptr_t)table << 16)) *
			UINT64_C(0x9e3779b97f4a7c15);
	struct cached_leaf *leaf = &cache->leaves[hash >> (64 - FRAME_CACHE_LEAF_BITS)];

	if (leaf->frame.table != table || file_offset < leaf->frame.file_offset ||
		file_offset >= leaf->end)
		frame_cache_fill_leaf(leaf, table, file_offset);
	return &leaf->frame;
}

#endif
