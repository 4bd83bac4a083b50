/*
 * The locations of a pprof file: what its samples' stacks are made of. A location is a place in the
 * code, that is a function with the functions that the compiler inlined there, and the mapping, the
 * file that the code is of.
 */
#ifndef OUTPUT_PPROF_LOCATIONS_H
#define OUTPUT_PPROF_LOCATIONS_H

#include "base/key_map.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pprof_locations {
	const struct profile *profile;
	uint32_t *of_node;       /* by node: its location; 0: the root's */
	struct key_map keys;     /* (location that it is inlined in, frame) -> location - 1 */
	bool *used;              /* by location - 1 */
	struct key_map mappings; /* (module, build-id) -> mapping - 1 */
	uint32_t *mapping_of;    /* by location - 1: its mapping; 0: not known */
};

/* Finds the locations of all nodes. The profile is borrowed. */
void pprof_locations_init(struct pprof_locations *locations, const struct profile *profile);
void pprof_locations_release(struct pprof_locations *locations);

/*
 * The location that `node`, not the root, is in, marked as used with those around it; *node becomes
 * the node that called it, CTREE_ROOT after the last.
 */
uint32_t pprof_locations_next(struct pprof_locations *locations, node_id *node);

/* The location that `location` is inlined in; 0: it is not. */
uint32_t pprof_locations_outer(const struct pprof_locations *locations, uint32_t location);
/* The innermost function of a location. */
frame_id pprof_locations_frame(const struct pprof_locations *locations, uint32_t location);

#endif
