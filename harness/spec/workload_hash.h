/*
 * The hash of what a workload measures, by which a baseline knows that it was taken of the same
 * work.
 */
#ifndef SPEC_WORKLOAD_HASH_H
#define SPEC_WORKLOAD_HASH_H

#include "base/hash.h"
#include "spec/workload.h"

/*
 * SHA-256 over run, env (in the order of names), stdin, cwd, setup and the metric, event,
 * callgraph, stack (if it is set: stacks that are cut elsewhere give other total costs) and pin of
 * the capture. What only says how long or how often is measured, how the program is built and what
 * the gate asks is not part of it.
 */
void workload_hash(const struct workload *workload, char text[HASH_TEXT_SIZE]);

#endif
