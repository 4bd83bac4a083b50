/*
 * Gates for tests of the first screen: one workload for every outcome that there is, and what all
 * their screens have in common.
 */
#ifndef OUTPUT_FIRST_SCREEN_GATES_H
#define OUTPUT_FIRST_SCREEN_GATES_H

#include "format/name_fit.h"
#include "gate/judge_bench.h"
#include "output/report_view.h"
#include "sample.h"

#define COLUMNS 100

/* Every outcome of a workload that there is. */
enum scene {
	SCENE_PASS,
	SCENE_SAME,
	SCENE_FASTER,
	SCENE_WAIVED,
	SCENE_BY_POLICY,
	SCENE_WARN,
	SCENE_ONLY_WARNS,
	SCENE_OTHER_MACHINE,
	SCENE_NO_BASELINE,
	SCENE_NOT_JUDGED,
	SCENE_NEW_WORKLOAD,
	SCENE_BASE_FAILS,
	SCENE_FAIL,
	SCENE_PAIRS,
	SCENE_CONFIRMED,
	SCENE_EXPIRED,
	SCENE_EXCEEDED,
	SCENE_NEW,
	SCENE_FROM_LITTLE,
	SCENE_TRADE,
	SCENE_GONE,
	SCENE_BUDGET,
	SCENE_COARSE,
	SCENE_UNDECIDED,
	SCENE_SAME_PROGRAM,
	SCENE_ERROR,
	SCENE_SKIPPED,
	SCENES,
};

static const char *const names[SCENES] = {"pass", "same", "faster", "waived", "by_policy", "warn",
	"only_warns", "other_machine", "no_baseline", "not_judged", "new_workload", "base_fails",
	"fail", "pairs", "confirmed", "expired", "exceeded", "new", "from_little", "trade", "gone",
	"budget", "coarse", "undecided", "same_program", "error", "skipped"};

struct gate {
	struct bench benches[SCENES];
	struct report_workload workloads[SCENES];
	struct machine machine;
	struct report report;
};

static inline struct waiver
waiver_of_parse(double most, int64_t expires)
{
	return (struct waiver){
		.kind = RULE_EACH,
		.pattern = "parse",
		.workload = "*",
		.max_effect = most,
		.reason = "a new check",
		.owner = "ann",
		.expires = expires,
		.last_day = "2026-12-31",
		.file = "waivers.yaml",
		.line = 1,
	};
}

static inline const struct sampled *
functions_of(enum scene scene)
{
	static const struct sampled grown[] = {
		{"parse", 3000, 4500}, {"print", 3500, 3500}, {"read", 3500, 3500}, {NULL, 0, 0}};
	static const struct sampled long_name[] = {
		{"parse_extended_headers", 3000, 4500}, {"print", 7000, 7000}, {NULL, 0, 0}};
	static const struct sampled same[] = {
		{"parse", 3000, 3000}, {"print", 3500, 3500}, {"read", 3500, 3500}, {NULL, 0, 0}};
	static const struct sampled faster[] = {
		{"parse", 3000, 1000}, {"print", 3500, 3500}, {"read", 3500, 3500}, {NULL, 0, 0}};
	static const struct sampled few[] = {
		{"parse", 60, 60}, {"print", 70, 70}, {"read", 70, 70}, {NULL, 0, 0}};
	static const struct sampled added[] = {
		{"walk", 0, 3000}, {"print", 3500, 3500}, {"read", 3500, 3500}, {NULL, 0, 0}};
	static const struct sampled risen[] = {
		{"walk", 40, 3000}, {"print", 3500, 3500}, {"read", 3500, 3500}, {NULL, 0, 0}};
	static const struct sampled traded[] = {
		{"parse", 1000, 2000}, {"print", 6000, 1500}, {"read", 3000, 3000}, {NULL, 0, 0}};
	static const struct sampled removed[] = {
		{"walk", 3000, 0}, {"print", 3500, 3500}, {"read", 3500, 3500}, {NULL, 0, 0}};

	switch (scene) {
	case SCENE_PASS:
	case SCENE_SAME:
	case SCENE_OTHER_MACHINE:
	case SCENE_NO_BASELINE:
	case SCENE_NOT_JUDGED:
	case SCENE_NEW_WORKLOAD:
	case SCENE_BASE_FAILS:
	case SCENE_BUDGET:
	case SCENE_ERROR:
	case SCENE_SKIPPED:
		return same;
	case SCENE_FASTER:
		return faster;
	case SCENE_COARSE:
		return few;
	case SCENE_UNDECIDED:
		return long_name;
	case SCENE_NEW:
		return added;
	case SCENE_FROM_LITTLE:
		return risen;
	case SCENE_TRADE:
		return traded;
	case SCENE_GONE:
		return removed;
	case SCENE_WAIVED:
	case SCENE_BY_POLICY:
	case SCENE_WARN:
	case SCENE_ONLY_WARNS:
	case SCENE_FAIL:
	case SCENE_PAIRS:
	case SCENE_CONFIRMED:
	case SCENE_EXPIRED:
	case SCENE_EXCEEDED:
	case SCENE_SAME_PROGRAM:
	case SCENES:
		break;
	}
	return grown;
}

static inline void
set_waiver(struct gate_policy *policy, enum scene scene)
{
	static struct waiver waivers[3];
	struct waiver *waiver = &waivers[scene == SCENE_WAIVED    ? 0
					 : scene == SCENE_EXPIRED ? 1
								  : 2];

	*waiver = waiver_of_parse(
		scene == SCENE_EXCEEDED ? 0.2 : 0.9, scene == SCENE_EXPIRED ? 1 : 1798761600);
	policy->waivers_list = waiver;
	policy->nwaivers = 1;
}

/* Without a base to compare with. */
static inline void
set_alone(struct gate_input *input, enum scene scene)
{
	input->before = NULL;
	input->before_info = NULL;
	input->mode =
		scene == SCENE_NO_BASELINE || scene == SCENE_NOT_JUDGED ? GATE_STORED : GATE_PAIRED;
	input->against = input->mode == GATE_PAIRED ? "main (0123456789ab)" : NULL;
	if (scene == SCENE_NOT_JUDGED)
		input->not_judged = "Not judged: no baseline, and HEAD is main. Run 'A'.";
	if (scene == SCENE_NEW_WORKLOAD || scene == SCENE_BASE_FAILS) {
		input->base_is_new = scene == SCENE_NEW_WORKLOAD;
		input->base_subject =
			input->base_is_new ? "new workload" : "the base main (0123456789ab)";
		input->base_problem = input->base_is_new
					      ? "nothing to compare with, for the base main has no "
						"'workloads/new.yaml'."
					      : "'./work' was killed by SIGILL.";
	}
}

static inline void
set_pairs(struct bench *bench)
{
	struct profile *sides[] = {&bench->baseline.profile, &bench->candidate};

	bench->judgement.input.mode = GATE_PAIRED;
	bench->judgement.input.against = "main (0123456789ab)";
	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < sides[side]->nruns; i++)
			sides[side]->runs[i].pair = (uint32_t)i + 1;
}

static inline void
set_budget(struct gate_policy *policy)
{
	static const struct gate_rule_spec budget = {.kind = RULE_FUNCTION,
		.pattern = "read",
		.threshold = {.warn = NAN, .fail = NAN},
		.max_share = 0.1,
		.max_cost = NAN};

	policy->rules = &budget;
	policy->nrules = 1;
}

static inline void
set_unmeasured(struct gate_input *input, bool skipped)
{
	input->candidate = NULL;
	input->skipped = skipped;
	input->error = skipped ? "redis-server is not installed: apt-get install redis-server"
			       : "'build of error' exited with status 3\n  note: its last output:\n"
				 "    | no rule\n  note: the command was: make app\n";
}

static inline void
set_scene(struct bench *bench, enum scene scene)
{
	struct gate_input *input = &bench->judgement.input;
	struct gate_policy *policy = &bench->workload.gate;

	policy->total = (struct threshold){.warn = NAN, .fail = NAN};
	policy->base_fails = POLICY_WARN;
	bench->baseline.info.created = 1795136400;
	strcpy(bench->baseline.info.commit, "4f81922abcde0123");
	bench->baseline.info.nsessions = 2;
	input->now = 1795222800;
	switch (scene) {
	case SCENE_WAIVED:
	case SCENE_EXPIRED:
	case SCENE_EXCEEDED:
		set_waiver(policy, scene);
		break;
	case SCENE_BY_POLICY:
		policy->regression = POLICY_PASS;
		break;
	case SCENE_WARN:
		policy->functions = (struct threshold){.warn = 0.1, .fail = 0.9};
		break;
	case SCENE_ONLY_WARNS:
		policy->regression = POLICY_WARN;
		break;
	case SCENE_OTHER_MACHINE:
		input->baseline_is_of_other_machine = true;
		policy->other_machine = POLICY_WARN;
		break;
	case SCENE_NO_BASELINE:
	case SCENE_NOT_JUDGED:
	case SCENE_NEW_WORKLOAD:
	case SCENE_BASE_FAILS:
		set_alone(input, scene);
		break;
	case SCENE_SAME:
		input->candidate = NULL;
		input->not_measured = true;
		input->mode = GATE_PAIRED;
		input->against = "main (0123456789ab)";
		break;
	case SCENE_PAIRS:
		set_pairs(bench);
		break;
	case SCENE_CONFIRMED:
		for (size_t i = 2; i < bench->candidate.nruns; i++)
			bench->candidate.runs[i].stage = COMPARISON_CONFIRM;
		break;
	case SCENE_BUDGET:
		set_budget(policy);
		break;
	case SCENE_UNDECIDED:
		input->may_confirm = true;
		break;
	case SCENE_SAME_PROGRAM:
		input->program = PROGRAM_SAME;
		break;
	case SCENE_ERROR:
		input->mode = GATE_PAIRED;
		input->against = "main (0123456789ab)";
		set_unmeasured(input, false);
		break;
	case SCENE_SKIPPED:
		set_unmeasured(input, true);
		break;
	case SCENE_PASS:
	case SCENE_FASTER:
	case SCENE_FAIL:
	case SCENE_NEW:
	case SCENE_FROM_LITTLE:
	case SCENE_TRADE:
	case SCENE_GONE:
	case SCENE_COARSE:
	case SCENES:
		break;
	}
}

/* A gate is against a baseline, or another build: that of one workload is known. */
static inline const char *
command_of(enum scene first, enum scene last)
{
	const bool paired =
		first == last && (first == SCENE_PAIRS || first == SCENE_SAME ||
					 first == SCENE_NEW_WORKLOAD || first == SCENE_BASE_FAILS);

	return paired ? "profile_run gate --against main" : "profile_run gate";
}

static inline int
exit_code_of(enum status status)
{
	return status == STATUS_FAIL           ? 1
	       : status == STATUS_ERROR        ? 2
	       : status == STATUS_INCONCLUSIVE ? 3
					       : 0;
}

static inline void
gate_init(struct gate *gate, enum scene first, enum scene last)
{
	enum status worst = STATUS_PASS;

	*gate = (struct gate){.machine = {.cpu_model = "CPU", .cpus = 1}};
	for (size_t i = first; i <= last; i++) {
		struct bench *bench = &gate->benches[i];

		bench_init(bench, functions_of((enum scene)i));
		bench->workload.name = names[i];
		bench->judgement.input.update_command =
			i == SCENE_NOT_JUDGED ? "profile_run baseline update not_judged"
					      : "profile_run baseline update no_baseline";
		bench->workload.path = "workloads/it's $(one).yaml";
		bench->workload.summary = "";
		set_scene(bench, (enum scene)i);
		judge(bench);
		if (report_severity(bench->overall) > report_severity(worst))
			worst = bench->overall;
		gate->workloads[i - first] = (struct report_workload){
			.judgement = &bench->judgement, .folder = names[i]};
		if (i == SCENE_NOT_JUDGED)
			gate->workloads[i - first].plan.remedies[0] =
				bench->judgement.input.update_command;
		if (i == SCENE_ERROR)
			gate->workloads[i - first].build_outputs[0] = "build.txt";
	}
	gate->report = (struct report){.tool_version = "0",
		.duration_s = 122,
		.command = command_of(first, last),
		.command_options = command_of(first, last),
		.exit_code = exit_code_of(worst),
		.commit = "",
		.machine = &gate->machine,
		.machine_class = "x86_64-here",
		.event_reason = "",
		.pinning = "",
		.folder = "reports/2026-11-28T07-00-00Z",
		.status = worst,
		.workloads = gate->workloads,
		.nworkloads = last - first + 1};
}

static inline void
gate_release(struct gate *gate)
{
	for (size_t i = 0; i < SCENES; i++)
		if (gate->benches[i].workload.name)
			bench_release(&gate->benches[i]);
}

/* How many lines there are; none is wider than the screen, none holds what a terminal obeys. */
static inline size_t
check_lines(const struct buf *out)
{
	size_t count = 0;

	CU_ASSERT_TRUE(sample_is_plain(out));
	CU_ASSERT_TRUE(sample_is_utf8(out));
	CU_ASSERT_PTR_NULL(strchr(buf_text(out), '\t'));
	for (const char *at = buf_text(out); *at; count++) {
		const size_t len = strcspn(at, "\n");

		CU_ASSERT(name_columns(at, len) <= COLUMNS);
		CU_ASSERT(strncmp(at + strspn(at, " "), "::", 2) != 0);
		at += len + (at[len] == '\n');
	}
	return count;
}

/* 4 lines for all, 4 for a failing finding, 1 for each other workload. */
static inline size_t
lines_allowed(const struct report *report)
{
	size_t allowed = 4;

	for (size_t i = 0; i < report->nworkloads; i++) {
		const struct verdict *verdict = &report->workloads[i].judgement->verdict;
		const size_t failing = verdict_findings_with(verdict, STATUS_FAIL);

		allowed += failing > 0 ? 4 * failing : 1;
	}
	return allowed;
}

#endif
