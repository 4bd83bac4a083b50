/*
 * The input that one workload was judged by, as kept with a report.
 */
#ifndef REPLAY_RECORD_INPUT_H
#define REPLAY_RECORD_INPUT_H

#include "gate/judgement.h"
#include "profile/profile.h"
#include "replay/codec.h"

/* For a gate. */
#define RECORD_WORKLOADS_MAX 100000

struct record_input {
	struct gate_input input; /* points to what is below */

	struct workload workload;
	struct gate_policy policy;
	struct profile candidate;
	struct profile before;
	struct baseline_info before_info;
	struct code_states code;                /* by frame of the comparison; may be empty */
	struct instruction_counts instructions; /* likewise */
};

/* Fills in the input of `judgement`, borrowed from it. */
void record_input_fill(struct record_input *record, const struct judgement *judgement);

/*
 * Writes or reads it. When reading, `record` must be zero before; its contents belong to the arena,
 * except the profiles, which record_input_release() releases whether or not reading found a
 * problem.
 */
void record_input(struct codec *codec, struct record_input *record);
void record_input_release(struct record_input *record);

/* Parts of it. */
void record_workload(struct codec *codec, struct workload *workload);
void record_policy(struct codec *codec, struct gate_policy *policy);
/* Also used for the report. */
void record_machine(struct codec *codec, struct machine *machine);

#endif
