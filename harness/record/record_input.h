/*
 * All that one workload was judged by, as it is kept with a report.
 */
#ifndef RECORD_RECORD_INPUT_H
#define RECORD_RECORD_INPUT_H

#include "gate/judge.h"
#include "record/codec.h"

/* Of a function, a run of it by itself; NAN where they were not counted. */
struct record_instructions {
	double before;
	double after;
};

struct record_input {
	struct gate_input input; /* points to what is below */

	struct workload workload;
	struct gate_policy policy;
	struct profile candidate;
	struct baseline baseline;
	struct code_states code;                  /* by frame of the comparison; may be empty */
	struct record_instructions *instructions; /* likewise */
	size_t ninstructions;
};

/*
 * What `judgement` was made from. Everything but the instructions is borrowed from it;
 * free(record->instructions).
 */
void record_input_fill(struct record_input *record, const struct judgement *judgement);

/*
 * Writes or reads it. When reading, `record` is zero before; what it holds is the arena's, but for
 * the profiles, which record_input_release() releases whether or not reading found a problem.
 */
void record_input(struct codec *codec, struct record_input *record);
void record_input_release(struct record_input *record);

/* Of the report, too. */
void record_machine(struct codec *codec, struct machine *machine);

#endif
