/*
 * One gate from start to end: gate.c has all of its steps in order.
 */
#ifndef GATE_GATE_H
#define GATE_GATE_H

#include "base/buf.h"
#include "base/err.h"
#include "gate/gate_options.h"
#include "gate/gate_steps.h"

/*
 * Runs the gate and writes its report: REPORTS/UTC-TIME/ whole or not at all, and REPORTS/latest
 * pointing to it. *exit_code is 0, 1, 2 or 3; the text of the verdict is appended to `text`. -1 if
 * no report could be made.
 */
int gate_run(const struct gate_options *options, int *exit_code, struct buf *text, struct err *err);

/*
 * The steps between the options and the report: plans, builds, measures and judges. Captures go to
 * scratch_dir/NAME/, raw if the configuration keeps them so, else condensed. If the gate is
 * interrupted, workloads with enough runs are judged, and gate->interrupted names the signal; if
 * no workload has enough, that is an error.
 */
int gate_measure(struct gate *gate, const char *scratch_dir, struct err *err);

#endif
