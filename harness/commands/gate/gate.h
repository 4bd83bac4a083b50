/*
 * One gate from start to end: measure, find the baseline, judge, measure more where undecided,
 * report.
 */
#ifndef PIPELINE_GATE_H
#define PIPELINE_GATE_H

#include "base/buf.h"
#include "base/err.h"
#include "gate/gate_options.h"

/*
 * Runs the gate and writes its report: REPORTS/UTC-TIME/ whole or not at all, and REPORTS/latest
 * pointing to it. *exit_code is 0, 1, 2 or 3; the text of the verdict is appended to `text`. -1 if
 * no report could be made.
 */
int gate_run(const struct gate_options *options, int *exit_code, struct buf *text, struct err *err);

#endif
