/*
 * Counts what is allocated and freed, by stack.
 */
#ifndef SHIM_ALLOC_COUNT_H
#define SHIM_ALLOC_COUNT_H

#include "shim/walk.h"

#include <stddef.h>
#include <stdint.h>

/* A block that was taken out of the count (count_take()); all zeros: it was not in it. */
struct counted_block {
	uint64_t entry;
};

/* Counts a block of `size` requested bytes at `address`, which is not 0. */
void count_add(const void *address, size_t size, const struct walk_start *start);
/* Ends a block, before it is given back and its address can come from another malloc. */
struct counted_block count_take(const void *address);
/* Counts it again: the block was not given back after all. */
void count_restore(const void *address, struct counted_block block);

#endif
