/*
 * In a record: by what a workload is judged, and what its baseline says of itself. What is read
 * belongs to the codec's arena.
 */
#ifndef RECORD_RECORD_POLICY_H
#define RECORD_RECORD_POLICY_H

#include "baseline/store.h"
#include "record/codec.h"
#include "spec/workload.h"

void record_policy(struct codec *codec, struct gate_policy *policy);

/*
 * What judging and the reports need of a workload: name, path, hash and how it is captured. Not how
 * it is run, whose environment may hold secrets, and no gate, of which there is the resolved
 * policy.
 */
void record_workload(struct codec *codec, struct workload *workload);

void record_machine(struct codec *codec, struct machine *machine);
void record_baseline_info(struct codec *codec, struct baseline_info *info);

#endif
