/* Makes two profiles that were recorded separately comparable, for `profile_run diff`. */
#ifndef CLI_MATCH_SIDES_H
#define CLI_MATCH_SIDES_H

#include "profile/profile.h"

/*
 * A sum of runs beside a sum, one name for the profiled program, inlined functions as calls where
 * the other build only calls them. Afterwards the profiles may only be appended to others.
 */
void match_sides(struct profile *before, struct profile *after);

#endif
