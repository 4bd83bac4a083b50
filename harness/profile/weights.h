/*
 * The kind of weights of a profile: the one place that distinguishes samples from counts.
 */
#ifndef PROFILE_WEIGHTS_H
#define PROFILE_WEIGHTS_H

#include "profile/profile.h"

#include <stdbool.h>

/* Whether weights are numbers of samples: the default unless the profile says otherwise. */
bool weights_are_samples(const struct profile *profile);

/*
 * Whether every single event was counted, so that the same program on the same input has the same
 * weights. Samples of the same event are no such counts.
 */
bool weights_are_counted(const struct profile *profile);

/* Whether they are numbers of system calls: of samples whose leaf is a call's name. */
bool weights_are_syscalls(const struct profile *profile);

/* Their name: "samples", "instructions", "calls". */
const char *weights_noun(const struct profile *profile);

/* The unit of costs: "ns"; of the weights, where no run has a cost. */
const char *weights_cost_unit(const struct profile *profile);

#endif
