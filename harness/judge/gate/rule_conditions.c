/* Conditions for comparing costs: a measurement, and a baseline that fits it. */
#include "gate/rules.h"
#include "profile/counters.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static bool
differs(const char *a, const char *b)
{
	return a && b && a[0] && b[0] && strcmp(a, b) != 0;
}

/* Whether the side before, which must be there, differs; false if not known of both. */
static bool
baseline_has_other_workload(const struct gate_input *input)
{
	return differs(input->before_info->workload_hash, input->workload->hash);
}

static bool
baseline_has_other_program(const struct gate_input *input)
{
	return differs(input->before_info->program_hash, input->program_hash);
}

static bool
baseline_has_other_event(const struct gate_input *input)
{
	const struct profile *candidate = input->candidate;

	return candidate && differs(input->before_info->event,
				    strtab_str(&candidate->strings, candidate->event));
}

/* Whether a side's counted instructions are known to be those of the program, without its loader.
 */
static bool
leaves_loader_out(const struct profile *side)
{
	return side && side->nruns > 0 &&
	       !isnan(counter_value(&side->runs[side->nruns - 1], COUNTER_LOADER));
}

static bool
baseline_has_other_loader(const struct gate_input *input)
{
	return input->mode == GATE_STORED && input->candidate &&
	       leaves_loader_out(input->candidate) != leaves_loader_out(input->before);
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
		return input->mode == GATE_STORED ? "the baseline was sampled with another event"
						  : "the sides were sampled with different events";
	if (baseline_has_other_loader(input))
		return "the dynamic loader is counted on one side only";
	if (baseline_has_other_workload(input) && policy->changed_workload == POLICY_WARN)
		return "the workload has changed since the baseline was recorded";
	return NULL;
}

/* Why nothing was measured. */
static const char *
describe_same(struct judgement *judgement)
{
	const struct gate_input *input = &judgement->input;

	if (input->unreached)
		return judgement_text(judgement,
			"The benchmark %s. --all measures it all the same.", input->unreached);
	const char *same = input->mode == GATE_STORED && input->base_note
				   ? judgement_text(judgement, "The program is the baseline's: %s",
					     input->base_note)
				   : "Both builds are the same program";

	if (input->stale_files)
		return judgement_text(judgement,
			"%s. The build did not change the program although these files changed: %s.",
			same, input->stale_files);
	if (input->candidate && input->candidate->nruns > 0)
		return judgement_text(judgement, "%s: one run was taken, for its picture.", same);
	return judgement_text(judgement,
		"%s: there is nothing to measure. --measure-anyway measures it all the same.",
		same);
}

static void
add_measurement(struct judgement *judgement)
{
	const struct gate_input *input = &judgement->input;

	if (!input->error && !input->not_measured && input->candidate &&
		input->candidate->nruns > 0)
		return;
	if (!input->error && input->not_judged)
		return;
	if (!input->error && input->not_measured) {
		judgement_add_condition(judgement, FINDING_MEASUREMENT, "runs", CONDITION_MET,
			describe_same(judgement));
		return;
	}
	judgement_add_condition(judgement, FINDING_MEASUREMENT, "runs",
		input->skipped ? CONDITION_NOT_HERE : CONDITION_NOT_MET,
		input->error ? judgement_text(judgement, "%s", input->error)
			     : "There is no run to judge.");
}

const struct gate_rule rule_measurement = {
	.rule = FINDING_MEASUREMENT,
	.summary = "the workload was measured",
	.add = add_measurement,
};

/* A condition of the baseline, whose status `action` decides. */
static void
add_condition(struct judgement *judgement, const char *subject, enum policy_action action,
	const char *reason)
{
	judgement_add_condition(judgement, FINDING_BASELINE, subject, CONDITION_BY_POLICY, reason)
		->action = action;
}

static const char *
machine_class_of(const struct judgement *judgement)
{
	return judgement->input.machine_class ? judgement->input.machine_class : "";
}

/* In what the baseline differs from what was measured here. */
static void
add_baseline_differences(struct judgement *judgement)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	const struct baseline_info *info = judgement->input.before_info;

	if (judgement->input.baseline_is_of_other_machine)
		add_condition(judgement, "machine class", policy->other_machine,
			judgement_text(judgement,
				"The baseline is of machine class %s, this machine is %s: %s.%s",
				info->machine_class, machine_class_of(judgement),
				policy->other_machine == POLICY_FAIL   ? "they are not compared"
				: policy->other_machine == POLICY_WARN ? "no finding fails"
								       : "compared all the same",
				judgement_update_advice(judgement, "Record one here")));
	if (baseline_has_other_event(&judgement->input))
		add_condition(judgement, "event", POLICY_WARN,
			judgement_text(judgement,
				"%s sampled with %s, these runs with %s: no finding fails.%s",
				judgement->input.mode == GATE_STORED ? "The baseline was"
								     : "The runs before were",
				info->event,
				strtab_str(&judgement->input.candidate->strings,
					judgement->input.candidate->event),
				judgement_update_advice(judgement, "Record a new baseline")));
	if (baseline_has_other_loader(&judgement->input))
		add_condition(judgement, "loader", POLICY_WARN,
			judgement_text(judgement,
				"%s count the dynamic loader, too, which depends on the environment: "
				"no finding fails.%s",
				leaves_loader_out(judgement->input.before) ? "These runs"
									   : "The baseline's runs",
				judgement_update_advice(judgement, "Record a new baseline")));
	if (baseline_has_other_workload(&judgement->input))
		add_condition(judgement, "workload", policy->changed_workload,
			judgement_text(judgement,
				"The workload has changed since its baseline was recorded (hash %.12s, "
				"now %.12s).%s",
				info->workload_hash, judgement->input.workload->hash,
				judgement_update_advice(judgement, "Record a new one")));
	if (judgement->input.program == PROGRAM_SAME)
		add_condition(judgement, "program", POLICY_PASS,
			judgement->input.mode == GATE_PAIRED
				? "Both builds are the same program: a difference is the machine's."
				: "The program is the same as the baseline's: a difference is the "
				  "machine's.");
	else if (judgement->input.mode == GATE_STORED &&
		 baseline_has_other_program(&judgement->input))
		add_condition(judgement, "program", policy->changed_program,
			judgement_text(judgement,
				"The program differs from the baseline's (hash %.12s, now %.12s).",
				info->program_hash, judgement->input.program_hash));
}

static void
add_baseline(struct judgement *judgement)
{
	const struct gate_policy *policy = judgement_policy(judgement);

	if (judgement->input.error)
		return;
	if (judgement->input.changed_keys)
		add_condition(judgement, "measuring", policy->changed_workload,
			judgement_text(judgement,
				"It is not measured as in the commit whose policy applies: %s.",
				judgement->input.changed_keys));
	if (judgement->input.not_measured)
		return;
	if (judgement->input.workload->counted_instead)
		add_condition(judgement, "metric", POLICY_PASS,
			"CPU time cannot be sampled on this machine: instructions were counted in "
			"its place, and growth is judged by the thresholds of CPU time.");
	if (judgement->input.base_problem)
		add_condition(judgement, judgement->input.base_subject,
			judgement->input.base_is_new ? policy->missing_baseline
						     : policy->base_fails,
			judgement_text(judgement, "%s", judgement->input.base_problem));
	if (judgement->input.base_problem && !judgement->input.before)
		return;
	if (judgement->input.not_judged) {
		add_condition(judgement, "baseline", policy->missing_baseline,
			judgement_text(judgement, "%s%s%s", judgement->input.not_judged,
				judgement->input.orphans ? " " : "",
				judgement->input.orphans ? judgement->input.orphans : ""));
		return;
	}
	if (judgement->input.base_note)
		add_condition(judgement, "baseline", POLICY_PASS,
			judgement_text(judgement, "%c%s.",
				toupper((unsigned char)judgement->input.base_note[0]),
				judgement->input.base_note + 1));
	if (!judgement->input.before) {
		add_condition(judgement, "baseline", policy->missing_baseline,
			judgement_text(judgement, "There is no baseline of machine class %s.%s%s%s",
				machine_class_of(judgement),
				judgement_update_advice(
					judgement, "Record one on the main branch and commit it"),
				judgement->input.orphans ? " " : "",
				judgement->input.orphans ? judgement->input.orphans : ""));
		return;
	}
	add_baseline_differences(judgement);
}

const struct gate_rule rule_baseline = {
	.rule = FINDING_BASELINE,
	.summary = "there is a baseline, of this machine class and this workload",
	.add = add_baseline,
};
