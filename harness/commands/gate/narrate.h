/*
 * The log of a gate while it runs: each verdict as soon as it is known, and why more runs are
 * taken.
 */
#ifndef PIPELINE_NARRATE_H
#define PIPELINE_NARRATE_H

#include "gate/verdict.h"
#include "measurement/measurement.h"

/* "fail          zstd_compress: ZSTD_compressBlock_fast +18.3 %" */
void narrate_verdict(const struct measurement *m, const struct verdict *verdict);

/*
 * "zstd_compress: ZSTD_compressBlock_fast looks 18.3 % slower; taking 10 new runs to confirm".
 * Before the runs that `request` was granted are added to m->runs.
 */
void narrate_more_runs(const struct measurement *m, const struct run_request *request, int stage);

#endif
