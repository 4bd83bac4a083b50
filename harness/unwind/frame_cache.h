/*
 * What an unwinder remembers: the row of each place in code that it has met.
 *
 * A sampled program comes by the same few thousand return addresses over and over, and so do all
 * processes that run it, wherever it is mapped. Looking a row up takes two binary searches; finding
 * it here takes one line of memory.
 */
#ifndef UNWIND_FRAME_CACHE_H
#define UNWIND_FRAME_CACHE_H

#include "unwind/table_rows.h"

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

struct frame_cache {
	struct cached_frame *frames;
};

void frame_cache_init(struct frame_cache *cache);
void frame_cache_release(struct frame_cache *cache);

/* Fills in the frame of a place, which takes that of another. */
void frame_cache_fill(struct cached_frame *frame, struct unwind_table *table, uint64_t file_offset);

#define FRAME_CACHE_BITS 15

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

#endif
