/*
 * A profile in the format of speedscope: a list of frames, and of stacks with their weights.
 *
 * Source: file-format-spec.ts of github.com/jlfwong/speedscope.
 */
#ifndef OUTPUT_SPEEDSCOPE_H
#define OUTPUT_SPEEDSCOPE_H

#include "base/buf.h"
#include "profile/profile.h"

/*
 * Appends it: one sampled profile with each stack once, in the profile's order, and the sum of its
 * runs. The unit is "nanoseconds", "bytes", or else "none". Names have their suffixes.
 */
void speedscope_put(const struct profile *profile, struct buf *out);

#endif
