/*
 * An index of nested address ranges, to find the innermost one at an address.
 */
#ifndef DWARF_SPAN_INDEX_H
#define DWARF_SPAN_INDEX_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

struct span {
	uint64_t low;
	uint64_t high; /* behind the last byte */
	uint32_t item;
};

struct span_list {
	struct span *spans; /* owned */
	size_t count;
	size_t capacity;
};

/* Empty and inverted ranges are left out. */
void span_list_add(struct span_list *list, uint64_t low, uint64_t high, uint32_t item);
void span_list_release(struct span_list *list);

#define SPAN_NONE UINT32_MAX

/* Segments that do not overlap, by start; each reaches to the next one. */
struct span_index {
	uint64_t *starts; /* [count], the arena's */
	uint32_t *items;  /* [count]; SPAN_NONE where nothing is */
	size_t count;
};

/*
 * Cuts the spans of `list` into segments of their innermost: the one that starts last, among those
 * that start together the shorter one, among equal ones that of the larger item. Sorts `list`.
 */
void span_index_build(struct span_index *index, struct span_list *list, struct arena *arena);
/* The item there; SPAN_NONE if none. */
uint32_t span_index_find(const struct span_index *index, uint64_t address);
/* The start of the segment that `address` is in; `address` itself where it is in none. */
uint64_t span_index_start(const struct span_index *index, uint64_t address);

#endif
