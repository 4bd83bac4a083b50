/*
 * A profile in the processed format of the Firefox Profiler (profiler.firefox.com), version 60:
 * what later versions of it read and upgrade.
 *
 * Source: src/types/profile.ts and docs-developer/CHANGELOG-formats.md of
 * github.com/firefox-devtools/profiler.
 */
#ifndef OUTPUT_FIREFOX_H
#define OUTPUT_FIREFOX_H

#include "base/buf.h"
#include "profile/profile.h"
#include "profile/sample_times.h"

#include <stdbool.h>

/*
 * Appends it: a thread for each one of `times`, with its samples in order of time and their
 * weights; waits have a marker each, too. Times that samples are the weights of are in ms there.
 * A frame's kind is its category, and names have no suffix. False where that is too large: see
 * exported.h.
 */
bool firefox_put(const struct profile *profile, const struct sample_times *times, struct buf *out);

#endif
