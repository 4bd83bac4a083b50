/*
 * The two trees of a sandwich: the callers of some functions, and their callees.
 */
#ifndef FLAMEGRAPH_SANDWICH_H
#define FLAMEGRAPH_SANDWICH_H

#include "profile/profile.h"

#include <stdbool.h>

/*
 * Both have the frames and texts of the profile they were made of, which must stay, and trees of
 * their own whose root stands for the functions: of callers from the nearest to the outermost, with
 * one column of weights.
 */
struct sandwich {
	struct profile callers;
	struct profile callees;
};

void sandwich_init(struct sandwich *sandwich, const struct profile *profile, const bool *focus);
void sandwich_release(struct sandwich *sandwich);

#endif
