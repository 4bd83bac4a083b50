/* The log of a gate while it runs: verdicts as soon as they are known, and why runs are added. */
#ifndef GATE_GATE_LOG_H
#define GATE_GATE_LOG_H

#include "gate/more_runs.h"
#include "gate/verdict.h"
#include "measurement/measurement.h"

/* Logs "fail          zstd_compress: ZSTD_compressBlock_fast +18.3 %". */
void gate_log_verdict(const struct measurement *m, const struct verdict *verdict);
/*
 * Logs "zstd_compress: ZSTD_compressBlock_fast looks 18.3 % slower; taking 10 new runs to confirm".
 * To be called before the runs that `request` was granted are added to m->runs.
 */
void gate_log_more_runs(const struct measurement *m, const struct run_request *request, int stage);

#endif
