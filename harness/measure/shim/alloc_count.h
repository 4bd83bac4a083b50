/*
 * Counts the blocks of the program by the stack that allocated each, in the file that is left of
 * the process (shim.h).
 */
#ifndef SHIM_ALLOC_COUNT_H
#define SHIM_ALLOC_COUNT_H

#include "shim/walk.h"

#include <stddef.h>
#include <stdint.h>

/* A block that was taken out of the count by count_take(); all zeros: it was not counted. */
struct counted_block {
	uint64_t entry; /* its stack and its size */
};

/* Counts a block of `size` requested bytes at `address`, which is not 0. */
void count_add(const void *address, size_t size, const struct walk_start *start);
/*
 * Takes a block out of the count: before it is given back, after which another thread may be given
 * its address.
 */
struct counted_block count_take(const void *address);
/* Counts the block again: it was not given back after all. */
void count_restore(const void *address, struct counted_block block);

#endif
