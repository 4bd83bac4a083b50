/*
 * Whether a workload does the same work from its beginning to its end: a start-up that is a large
 * part of a run hides what is to be judged.
 */
#ifndef PIPELINE_STEADINESS_H
#define PIPELINE_STEADINESS_H

#include "base/buf.h"
#include "profile/profile.h"
#include "profile/sample_times.h"

#include <stdbool.h>

/*
 * From the samples of one run, of which `skipped_s` of the beginning were not measured: appends a
 * sentence that says what is not steady, and by which setting it can be left out; nothing where the
 * start-up has less than 5 % of the weight, and other work at the end less than 10 %.
 */
void steadiness_put(const struct profile *profile, const struct sample_times *times,
	double skipped_s, struct buf *out);

#endif
