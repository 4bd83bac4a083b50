/*
 * The instructions of each function, counted in one run of each build of a workload: they tell
 * whether a slower function does more work.
 */
#ifndef GATE_INSTRUCTIONS_H
#define GATE_INSTRUCTIONS_H

#include "base/err.h"
#include "compare/comparison.h"
#include "gate/judge.h"
#include "measurement/measure.h"

#include <stdbool.h>

struct instructions;

/*
 * Whether they are to be counted: in a gate by time that is paired, or whose baseline has counts,
 * where the policy permits it, something is undecided and nothing fails, or where it says so and
 * something grew.
 */
bool instructions_wanted(const struct judgement *judgement);

/*
 * Runs both sides of a measurement that are still set up, each once, under the backend of the
 * metric `instructions`: ten to a hundred times as slow. The captures are made in `scratch_dir` and
 * removed. NULL, with an error, where that is not possible.
 */
struct instructions *instructions_count(
	const struct measurement *measurement, const char *scratch_dir, struct err *err);
/*
 * The same of the candidate alone, for what can be compared with stored counts
 * (gate/counted_work.h).
 */
struct instructions *instructions_count_stored(const struct measurement *measurement,
	const struct baseline *counts, const char *scratch_dir, struct err *err);
/*
 * The seconds of CPU time that such a run may take, compared with stored counts or (NULL) of a
 * pair.
 */
double instructions_limit_s(const struct workload *workload, const struct baseline *counts);
/* NULL is fine. */
void instructions_free(struct instructions *instructions);

/* By frame of the comparison; to be released. */
void instructions_by_frame(const struct instructions *instructions,
	const struct comparison *comparison, struct instruction_counts *counts);

#endif
