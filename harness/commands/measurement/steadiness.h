/*
 * Whether a run is steady: does the same work from its beginning to its end. A start-up that is a
 * large part of a run hides the changes that are to be judged.
 */
#ifndef MEASUREMENT_STEADINESS_H
#define MEASUREMENT_STEADINESS_H

#include "base/buf.h"
#include "profile/profile.h"
#include "profile/sample_times.h"

/*
 * From the samples of one run, whose first `skipped_s` seconds were not measured: appends a
 * sentence that says what is not steady, and by which setting it can be left out. Appends nothing
 * where the start-up has less than 5 % of the weight, and other work at the end less than 10 %.
 */
void steadiness_put(const struct profile *profile, const struct sample_times *times,
	double skipped_s, struct buf *out);

#endif
