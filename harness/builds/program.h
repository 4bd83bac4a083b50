/*
 * From a workload to a run of it: what the gate, `baseline update` and `capture` all do.
 */
#ifndef BUILDS_RUNS_H
#define BUILDS_RUNS_H

#include "base/err.h"
#include "capture/backend.h"
#include "profile/profile.h"
#include "spec/workload.h"

/* The workload's build and setup commands; nothing where it has none. */
int runs_build(const struct workload *workload, struct err *err);
int runs_set_up(const struct workload *workload, struct err *err);
/* Its teardown. A failure is told and changes nothing that was measured. */
void runs_tear_down(const struct workload *workload);

/* The parts of a request that come from the workload: command, environment, timeout. */
void runs_fill_request(const struct workload *workload, struct capture_request *request);

/*
 * Gives a column read back from a capture what the capture itself counted: costs, times, losses.
 */
void runs_merge(struct run *column, const struct run *captured);

/*
 * One hash (SHA-256 of SHA-256s) for all the files that the command names: the program and, for
 * `python3 bench.py`, the script.
 */
int runs_hash_program(const struct workload *workload, char text[65], struct err *err);

#endif
