/* What must hold before costs are compared: a measurement, and a baseline that goes with it. */
#include "gate/rules.h"

#include <string.h>

static bool
differs(const char *a, const char *b)
{
	return a && b && a[0] && b[0] && strcmp(a, b) != 0;
}

static bool
workload_changed(const struct judgement *judgement)
{
	return differs(
		judgement->input.baseline->info.workload_hash, judgement->input.workload->hash);
}

static bool
program_changed(const struct judgement *judgement)
{
	return differs(judgement->input.baseline->info.program_hash, judgement->input.program_hash);
}

static bool
event_differs(const struct judgement *judgement)
{
	const struct profile *candidate = judgement->input.candidate;

	return candidate && differs(judgement->input.baseline->info.event,
				    strtab_str(&candidate->strings, candidate->event));
}

bool
baseline_is_comparable(const struct judgement *judgement)
{
	const struct gate_policy *policy = judgement_policy(judgement);

	if (!judgement->input.baseline)
		return false;
	if (judgement->input.baseline_is_of_other_machine && policy->other_machine == POLICY_FAIL)
		return false;
	return !(workload_changed(judgement) && policy->changed_workload == POLICY_FAIL);
}

const char *
baseline_limits(const struct judgement *judgement)
{
	const struct gate_policy *policy = judgement_policy(judgement);

	if (!judgement->input.baseline)
		return NULL;
	if (judgement->input.baseline_is_of_other_machine && policy->other_machine == POLICY_WARN)
		return "the baseline is of another machine class";
	if (event_differs(judgement))
		return "the baseline was sampled with another event";
	if (workload_changed(judgement) && policy->changed_workload == POLICY_WARN)
		return "the workload has changed since the baseline was taken";
	return NULL;
}

static void
apply_measurement(const struct judgement *judgement, struct verdict_builder *builder)
{
	struct finding finding = finding_of(FINDING_MEASUREMENT, "runs");

	if (!judgement->input.error && judgement->input.candidate &&
		judgement->input.candidate->nruns > 0)
		return;
	finding.status = STATUS_ERROR;
	finding.reason = judgement->input.error
				 ? verdict_text(builder, "%s", judgement->input.error)
				 : "There is no run to judge.";
	verdict_add(builder, &finding);
}

const struct gate_rule rule_measurement = {
	.name = "measurement",
	.summary = "the workload was measured",
	.apply = apply_measurement,
};

enum status
status_of_action(enum policy_action action)
{
	switch (action) {
	case POLICY_PASS:
		return STATUS_PASS;
	case POLICY_WARN:
		return STATUS_WARN;
	case POLICY_FAIL:
		return STATUS_ERROR;
	}
	return STATUS_ERROR;
}

static void
add_condition(struct verdict_builder *builder, enum policy_action action, const char *subject,
	const char *reason)
{
	struct finding finding = finding_of(FINDING_BASELINE, subject);

	finding.status = status_of_action(action);
	finding.reason = reason;
	verdict_add(builder, &finding);
}

static void
apply_baseline(const struct judgement *judgement, struct verdict_builder *builder)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	const struct baseline *baseline = judgement->input.baseline;
	const char *name = judgement->input.workload->name;
	const char *class = judgement->input.machine_class ? judgement->input.machine_class : "";

	if (judgement->input.error)
		return;
	if (!baseline) {
		add_condition(builder, policy->missing_baseline, "baseline",
			verdict_text(builder,
				"There is no baseline of machine class %s to compare with: take one with "
				"'profile_run baseline update %s' and commit it.",
				class, name));
		return;
	}
	if (judgement->input.baseline_is_of_other_machine)
		add_condition(builder, policy->other_machine, "machine class",
			verdict_text(builder,
				"The baseline is of machine class %s and this is %s: %s; take one here "
				"with 'profile_run baseline update %s'.",
				baseline->info.machine_class, class,
				policy->other_machine == POLICY_FAIL   ? "they are not compared"
				: policy->other_machine == POLICY_WARN ? "findings warn at most"
								       : "compared all the same",
				name));
	if (event_differs(judgement))
		add_condition(builder, POLICY_WARN, "event",
			verdict_text(builder,
				"The baseline was sampled with %s, these runs with %s: findings warn at "
				"most.",
				baseline->info.event,
				strtab_str(&judgement->input.candidate->strings,
					judgement->input.candidate->event)));
	if (workload_changed(judgement))
		add_condition(builder, policy->changed_workload, "workload",
			verdict_text(builder,
				"The workload does other work than when its baseline was taken (hash %.12s, "
				"now %.12s): take a new one with 'profile_run baseline update %s'.",
				baseline->info.workload_hash, judgement->input.workload->hash,
				name));
	if (judgement->input.mode == GATE_PAIRED && !program_changed(judgement) &&
		baseline->info.program_hash[0])
		add_condition(builder, POLICY_PASS, "program",
			verdict_text(builder,
				"Both builds are the same program, byte for byte (hash %.12s).",
				judgement->input.program_hash));
	if (judgement->input.mode == GATE_STORED && program_changed(judgement))
		add_condition(builder, policy->changed_program, "program",
			verdict_text(builder,
				"The program is not the one of the baseline (hash %.12s, now %.12s).",
				baseline->info.program_hash, judgement->input.program_hash));
}

const struct gate_rule rule_baseline = {
	.name = "baseline",
	.summary = "there is a baseline, of this machine class and this workload",
	.apply = apply_baseline,
};
