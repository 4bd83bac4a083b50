/*
 * A profile read from the function that was running to its callers, for a flame graph of who calls
 * what is hot: all stacks that end in a function are merged, whatever they began with.
 */
#ifndef FLAMEGRAPH_REVERSE_H
#define FLAMEGRAPH_REVERSE_H

#include "profile/profile.h"

#include <stddef.h>

/* No picture is higher; and a deep recursion reversed in full would be the square of its depth. */
#define FLAMEGRAPH_REVERSE_LEVELS 400

/* Reverses every stack, up to so many frames from its end. The weights of the runs stay the same.
 */
void flamegraph_reverse(struct profile *profile);

#endif
