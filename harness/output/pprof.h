/*
 * A profile in the format of pprof: profile.proto of github.com/google/pprof, compressed by gzip,
 * as `go tool pprof` and stores of profiles (Pyroscope, Parca) read it.
 */
#ifndef OUTPUT_PPROF_H
#define OUTPUT_PPROF_H

#include "base/buf.h"
#include "profile/profile.h"

/*
 * Appends it: a sample for each stack, leaf first, with the sum of its runs. Samples of a known
 * frequency have two values, their number and their CPU time in ns; all other weights have one, in
 * their unit. A frame is a location with one function, whose name has its suffix. Frames that are
 * inlined are locations of their own.
 */
void pprof_put(const struct profile *profile, struct buf *out);

#endif
