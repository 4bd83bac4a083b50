/*
 * The program of a workload as it stands in a build: the commands that make and prepare it, and
 * what tells it from another one.
 */
#ifndef BUILDS_PROGRAM_H
#define BUILDS_PROGRAM_H

#include "base/err.h"
#include "base/hash.h"
#include "spec/workload.h"

/* The workload's build and setup commands; nothing where it has none. */
int program_build(const struct workload *workload, struct err *err);
int program_set_up(const struct workload *workload, struct err *err);
/* Its teardown. A failure is a warning and changes nothing that was measured. */
void program_tear_down(const struct workload *workload);

/*
 * One hash (SHA-256 of SHA-256s) for all the files that the command names: the program and, for
 * `python3 bench.py`, the script.
 */
int program_hash(const struct workload *workload, char text[HASH_TEXT_SIZE], struct err *err);

#endif
