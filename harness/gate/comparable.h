/*
 * Whether the baseline of a workload is one that its candidate can be compared with.
 */
#ifndef GATE_COMPARABLE_H
#define GATE_COMPARABLE_H

#include "gate/judgement.h"

/* In what the other side, which must be there, differs; false where it is not known of both. */
bool baseline_has_other_workload(const struct gate_input *input);
bool baseline_has_other_program(const struct gate_input *input);
bool baseline_has_other_event(const struct gate_input *input);

/* Whether the policy lets the candidate be compared with the baseline at all. */
bool baseline_is_comparable(const struct gate_input *input);
/* Why findings may only warn; NULL if they may fail. */
const char *baseline_limits(const struct gate_input *input);

#endif
