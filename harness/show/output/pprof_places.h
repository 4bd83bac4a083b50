/*
 * The mappings, locations and functions of a pprof file in the making.
 */
#ifndef OUTPUT_PPROF_PLACES_H
#define OUTPUT_PPROF_PLACES_H

#include "output/pprof_locations.h"
#include "output/pprof_message.h"

/*
 * Puts all mappings, the locations that are used, and the functions of these. Functions keep the
 * suffixes of their names, but for _[i] of one in another's location.
 */
void pprof_places_put(struct pprof_message *message, const struct pprof_locations *locations);

#endif
