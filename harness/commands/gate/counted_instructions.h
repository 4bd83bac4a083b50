/*
 * The instructions of each function, counted in one run of each build of a workload
 * (counted_run.h): they tell whether a slower function does more work.
 */
#ifndef GATE_COUNTED_INSTRUCTIONS_H
#define GATE_COUNTED_INSTRUCTIONS_H

#include "base/err.h"
#include "compare/comparison.h"
#include "gate/judgement.h"
#include "measurement/measurement.h"

#include <stdbool.h>

struct counted_instructions;

/*
 * Whether they are to be counted. Never without a comparison, for the same program, for a metric
 * that instructions cannot stand in for, by `decide: none`, or without pairs or stored counts.
 * Otherwise: by `auto` where nothing fails and a test is undecided; by `instructions` where a test
 * is undecided, or a finding that has causes warns or fails.
 */
bool counted_instructions_wanted(const struct judgement *judgement);
/*
 * Runs both sides of a measurement that are still set up, each once. The captures are made in
 * `scratch_dir` and removed. NULL, with an error, where that is not possible.
 */
struct counted_instructions *counted_instructions_take(
	const struct measurement *measurement, const char *scratch_dir, struct err *err);
/*
 * Runs the candidate alone, once, and compares it with the stored counts `counts`, as far as the
 * counts of two machines can be compared (count_scope_select()).
 */
struct counted_instructions *counted_instructions_take_candidate(
	const struct measurement *measurement, const struct baseline *counts,
	const char *scratch_dir, struct err *err);
/*
 * The seconds of CPU time that one such run may take. `counts`: the stored counts that it is
 * compared with; NULL: it is one of a pair.
 */
double counted_instructions_limit_s(const struct workload *workload, const struct baseline *counts);
/* `instructions` may be NULL. */
void counted_instructions_free(struct counted_instructions *instructions);

/* The counts by frame of the comparison; to be released. */
void counted_instructions_by_frame(const struct counted_instructions *instructions,
	const struct comparison *comparison, struct instruction_counts *counts);

#endif
