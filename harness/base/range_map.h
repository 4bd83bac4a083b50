/*
 * Maps from ranges of addresses to things: what is mapped where in a process, say. Ranges do not
 * overlap: a new one replaces whatever was there, and what remains of an old one on either side
 * keeps its thing.
 *
 * Looking up, adding and removing take time in the logarithm of the number of ranges, and a map is
 * copied in no time, since copies share what they have in common: it is a search tree (a treap: R.
 * Seidel and C. Aragon, "Randomized search trees", Algorithmica 16, 1996) whose nodes are copied
 * before they are changed, if they may be another map's, too.
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
	/* The user's: */
	void *item;
	uint64_t number;
	unsigned bits; /* see range_map_bits() */
};

/* The nodes of maps that are copied from one another; all zeros is an empty one. */
struct range_pool {
	struct arena arena;
	struct range_node *unused;
	uint64_t last_edit;
	struct random random;
};

/* All zeros is an empty map. Copy it by range_map_share() only. */
struct range_map {
	struct range_node *root;
	uint64_t edit; /* nodes of this number are this map's alone */
};

/* Frees the nodes of all maps. */
void range_pool_release(struct range_pool *pool);

/* A copy; from now on a change of one does not change the other. */
struct range_map range_map_share(struct range_pool *pool, struct range_map *map);
/* Adds a range that is not empty over whatever was there. */
void range_map_put(struct range_pool *pool, struct range_map *map, const struct range *range);
/* Removes what is between these addresses. */
void range_map_cut(struct range_pool *pool, struct range_map *map, uint64_t start, uint64_t end);

/* The range that holds `address`; NULL if none does. Valid until the map is changed. */
const struct range *range_map_find(const struct range_map *map, uint64_t address);
/* The first range that begins behind `address`; likewise. */
const struct range *range_map_next(const struct range_map *map, uint64_t address);
/* The bits of all ranges, or'ed. */
unsigned range_map_bits(const struct range_map *map);

/*
 * Notes: what a user finds out about each range when a map is first looked at. A range that is in
 * many copies has one note, and ranges of a changed map keep theirs unless they were cut.
 *
 * range_map_annotate() calls `make` for each range without a note, by address, and keeps what it
 * returns: not NULL, valid as long as the pool. *mark is what it may give the last such range of a
 * map to be known by. Both are read by functions that change nothing, so that threads may look at a
 * shared map.
 */
typedef void *(*range_note_maker)(void *context, const struct range *range, const void **mark);
void range_map_annotate(const struct range_map *map, range_note_maker make, void *context);
/* Whether `holds` holds of each range without a note. */
typedef bool (*range_predicate)(const void *context, const struct range *range);
bool range_map_all_bare(const struct range_map *map, range_predicate holds, const void *context);
/* The note of the range that holds `address`; NULL if none does. */
void *range_map_note(const struct range_map *map, uint64_t address);
/* The last mark; NULL if there is none. */
const void *range_map_mark(const struct range_map *map);

#endif
