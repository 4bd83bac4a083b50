/*
 * A profile in the format of speedscope: a list of frames, and of stacks with their weights.
 *
 * Source: file-format-spec.ts of github.com/jlfwong/speedscope.
 */
#ifndef OUTPUT_SPEEDSCOPE_H
#define OUTPUT_SPEEDSCOPE_H

#include "base/buf.h"
#include "profile/profile.h"
#include "profile/sample_times.h"

#include <stdbool.h>

/*
 * Appends it: a sampled profile for each thread of `times`, in order of time; adjacent samples of
 * one stack are one. Where `times` has none, one profile with each stack once, in the profile's
 * order, and the sum of its runs. The unit is "nanoseconds", "bytes", or else "none". Names have
 * their suffixes. False where that is too large: see exported.h.
 */
bool speedscope_put(
	const struct profile *profile, const struct sample_times *times, struct buf *out);

#endif
