/*
 * Maps from ranges of addresses to items: for example from the addresses of a process to the files
 * that are mapped there. Ranges do not overlap: a new range replaces the addresses of older ones
 * that it covers, and the rest of an older range keeps its item.
 *
 * Looking up, adding and removing take time in the logarithm of the number of ranges. Copying a map
 * takes constant time: a map is a search tree (a treap: R. Seidel and C. Aragon, "Randomized search
 * trees", Algorithmica 16, 1996), and copies share their nodes. A node that another map may share
 * is copied before it is changed.
 */
#ifndef BASE_RANGE_MAP_H
#define BASE_RANGE_MAP_H

#include "base/arena.h"
#include "base/random.h"

#include <stdbool.h>
#include <stdint.h>

struct range_node;

struct range {
	uint64_t start;
	uint64_t end; /* behind the last address */
	/* For the user of the map: */
	void *item;
	uint64_t number;
	unsigned bits; /* see range_map_bits() */
};

/* The nodes of all maps that are copies of one another. All zeros is an empty pool. */
struct range_pool {
	struct arena arena;
	struct range_node *unused;
	uint64_t last_edit;
	struct random random;
};

/* All zeros is an empty map. Copy it by range_map_share() only. */
struct range_map {
	struct range_node *root;
	uint64_t edit; /* nodes with this number are not shared with another map */
};

/* Frees the nodes of all maps. */
void range_pool_release(struct range_pool *pool);

/* A copy; from now on a change of one does not change the other. */
struct range_map range_map_share(struct range_pool *pool, struct range_map *map);
/* Adds a range that is not empty over whatever was there. */
void range_map_put(struct range_pool *pool, struct range_map *map, const struct range *range);
/* Removes the addresses from `start` to before `end` from all ranges. */
void range_map_cut(struct range_pool *pool, struct range_map *map, uint64_t start, uint64_t end);

/* The range that holds `address`; NULL if none does. Valid until the map is changed. */
const struct range *range_map_find(const struct range_map *map, uint64_t address);
/* The first range that begins above `address`; NULL if there is none. Valid likewise. */
const struct range *range_map_next(const struct range_map *map, uint64_t address);
/* The bits of all ranges, or'ed. */
unsigned range_map_bits(const struct range_map *map);

/*
 * Notes: what a user finds out about each range when a map is first looked at. Copies share the
 * notes of the ranges that they share; a changed map keeps those of ranges that were not cut.
 *
 * range_map_annotate() calls `make` for each range without a note, by address. It returns the note:
 * not NULL, valid as long as the pool. It may also set *mark; range_map_mark() gives the mark of
 * the last range, by address, that has one. Reading notes and marks changes nothing, so threads may
 * share a map.
 */
typedef void *(*range_note_maker)(void *context, const struct range *range, const void **mark);
void range_map_annotate(const struct range_map *map, range_note_maker make, void *context);
/* Whether `is_true` of every range without a note. */
typedef bool (*range_predicate)(const void *context, const struct range *range);
bool range_map_all_bare(const struct range_map *map, range_predicate is_true, const void *context);
/* The note of the range that holds `address`; NULL if none does. */
void *range_map_note(const struct range_map *map, uint64_t address);
/* The last mark; NULL if there is none. */
const void *range_map_mark(const struct range_map *map);

#endif
