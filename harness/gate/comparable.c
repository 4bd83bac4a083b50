#include "gate/comparable.h"

#include <string.h>

static bool
differs(const char *a, const char *b)
{
	return a && b && a[0] && b[0] && strcmp(a, b) != 0;
}

bool
baseline_has_other_workload(const struct gate_input *input)
{
	return differs(input->before_info->workload_hash, input->workload->hash);
}

bool
baseline_has_other_program(const struct gate_input *input)
{
	return differs(input->before_info->program_hash, input->program_hash);
}

bool
baseline_has_other_event(const struct gate_input *input)
{
	const struct profile *candidate = input->candidate;

	return candidate && differs(input->before_info->event,
				    strtab_str(&candidate->strings, candidate->event));
}

bool
baseline_is_comparable(const struct gate_input *input)
{
	const struct gate_policy *policy = input_policy(input);

	if (!input->before)
		return false;
	if (input->baseline_is_of_other_machine && policy->other_machine == POLICY_FAIL)
		return false;
	return !(baseline_has_other_workload(input) && policy->changed_workload == POLICY_FAIL);
}

const char *
baseline_limits(const struct gate_input *input)
{
	const struct gate_policy *policy = input_policy(input);

	if (!input->before)
		return NULL;
	if (input->baseline_is_of_other_machine && policy->other_machine == POLICY_WARN)
		return "the baseline is of another machine class";
	if (baseline_has_other_event(input))
		return "the baseline was sampled with another event";
	if (baseline_has_other_workload(input) && policy->changed_workload == POLICY_WARN)
		return "the workload has changed since the baseline was taken";
	return NULL;
}
