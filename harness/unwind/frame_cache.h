/*
 * What an unwinder remembers: the row of each address it has met, by space.
 *
 * A sampled program comes by the same few thousand return addresses over and over. Looking one up
 * takes three binary searches; finding it here takes one line of memory.
 */
#ifndef UNWIND_FRAME_CACHE_H
#define UNWIND_FRAME_CACHE_H

#include "unwind/table_rows.h"
#include "unwind/unwinder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How to step out of code at one address. */
struct cached_frame {
	uint64_t address;
	const struct unwind_saves *saves; /* NULL: there is no row */
	uint32_t space;
	uint32_t table; /* its number; 0: there is none */
	int32_t cfa_value;
	uint8_t cfa_kind;
	uint8_t cfa_reg;
	uint8_t return_column;
	bool signal : 1;
	bool mapped : 1; /* the address is in code */
	bool used : 1;
};

/* Tables are numbered in the order they are met. */
struct numbered_table {
	struct unwind_table *table; /* borrowed; NULL for number 0 */
	uint64_t steps;             /* out of its code */
	uint64_t alike;             /* of these, those that the frame pointer takes as well */
};

struct frame_cache {
	struct cached_frame *frames;
	struct numbered_table *tables;
	size_t ntables;
	size_t capacity;
	uint32_t *slots; /* hash of a table's address; its number, 0 is empty */
	size_t nslots;
};

void frame_cache_init(struct frame_cache *cache);
void frame_cache_release(struct frame_cache *cache);

/* The number of a table that was met; 0 if it was not. */
uint32_t frame_cache_table(const struct frame_cache *cache, const struct unwind_table *table);

/* Fills in the frame of `address`, which is in place of another. */
void frame_cache_fill(struct frame_cache *cache, struct cached_frame *frame,
	const struct unwind_space *space, uint64_t address);

#define FRAME_CACHE_BITS 15

/* The frame of `address`; valid until the next call. */
static inline const struct cached_frame *
frame_cache_find(struct frame_cache *cache, const struct unwind_space *space, uint64_t address)
{
	uint64_t hash = (address + ((uint64_t)space->id << 40)) * UINT64_C(0x9e3779b97f4a7c15);
	struct cached_frame *frame = &cache->frames[hash >> (64 - FRAME_CACHE_BITS)];

	if (frame->address != address || frame->space != space->id || !frame->used)
		frame_cache_fill(cache, frame, space, address);
	return frame;
}

#endif
