#include "output/first_screen.h"

#include "format/name_fit.h"
#include "gate/judge_bench.h"
#include "output/report_view.h"
#include "sample.h"

#include <stdlib.h>

void suite_output_first_screen(void);

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

static struct waiver
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

static const struct sampled *
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

static void
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
static void
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

static void
set_pairs(struct bench *bench)
{
	struct profile *sides[] = {&bench->baseline.profile, &bench->candidate};

	bench->judgement.input.mode = GATE_PAIRED;
	bench->judgement.input.against = "main (0123456789ab)";
	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < sides[side]->nruns; i++)
			sides[side]->runs[i].pair = (uint32_t)i + 1;
}

static void
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

static void
set_unmeasured(struct gate_input *input, bool skipped)
{
	input->candidate = NULL;
	input->skipped = skipped;
	input->error = skipped ? "redis-server is not installed: apt-get install redis-server"
			       : "'build of error' exited with status 3\n  note: its last output:\n"
				 "    | no rule\n  note: the command was: make app\n";
}

static void
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
static const char *
command_of(enum scene first, enum scene last)
{
	const bool paired =
		first == last && (first == SCENE_PAIRS || first == SCENE_SAME ||
					 first == SCENE_NEW_WORKLOAD || first == SCENE_BASE_FAILS);

	return paired ? "profile_run gate --against main" : "profile_run gate";
}

static int
exit_code_of(enum status status)
{
	return status == STATUS_FAIL           ? 1
	       : status == STATUS_ERROR        ? 2
	       : status == STATUS_INCONCLUSIVE ? 3
					       : 0;
}

static void
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

static void
gate_release(struct gate *gate)
{
	for (size_t i = 0; i < SCENES; i++)
		if (gate->benches[i].workload.name)
			bench_release(&gate->benches[i]);
}

/* How many lines there are; none is wider than the screen, none holds what a terminal obeys. */
static size_t
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
static size_t
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

static bool
line_is_repeated(const struct buf *out)
{
	for (const char *at = buf_text(out); *at;) {
		const size_t len = strcspn(at, "\n") + 1;
		char *line = mem_dup(at, len);
		const bool again = strstr(at + len, line) != NULL;

		free(line);
		if (again)
			return true;
		at += len;
	}
	return false;
}

static void
each_outcome_reads_as_agreed(void)
{
	struct gate gate;
	struct buf out = {0};

	gate_init(&gate, SCENE_PASS, SCENE_SKIPPED);
	first_screen_write(&gate.report, "reports/latest", &out);
	CU_ASSERT(check_lines(&out) <= lines_allowed(&gate.report));
	sample_check_golden("first_screen.kinds.txt", &out);
	gate_release(&gate);
	buf_release(&out);
}

static void
a_gate_of_one_outcome_ends_with_what_can_be_done(void)
{
	struct buf out = {0};

	for (enum scene scene = SCENE_PASS; scene < SCENES; scene++) {
		struct buf one = {0};
		struct gate gate;

		gate_init(&gate, scene, scene);
		first_screen_write(&gate.report, "reports/latest", &one);
		CU_ASSERT(check_lines(&one) <= lines_allowed(&gate.report));
		CU_ASSERT_FALSE(line_is_repeated(&one));
		buf_printf(&out, "%s\n", buf_text(&one));
		gate_release(&gate);
		buf_release(&one);
	}
	sample_check_golden("first_screen.each.txt", &out);
	buf_release(&out);
}

static void
the_sample_reads_as_agreed(void)
{
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, false);
	first_screen_write(&sample.report, "reports/latest", &out);
	CU_ASSERT(check_lines(&out) <= lines_allowed(&sample.report));
	sample_check_golden("first_screen.txt", &out);
	sample_release(&sample);
	buf_release(&out);
}

static void
names_cannot_break_it(void)
{
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, true);
	for (size_t i = 0; i < SAMPLE_WORKLOADS; i++)
		sample.specs[i].name = sample_hostile[i];
	first_screen_write(&sample.report, sample_hostile[2], &out);
	CU_ASSERT(check_lines(&out) <= lines_allowed(&sample.report));
	sample_check_golden("first_screen.hostile.txt", &out);
	sample_release(&sample);
	buf_release(&out);
}

static void
numbers_stay_where_a_name_is_cut(void)
{
	struct sample sample;
	struct buf out = {0};
	char name[301];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	sample_init(&sample, false);
	for (size_t i = 0; i < 9; i++)
		sample.findings[i].subject = name;
	for (size_t i = 0; i < SAMPLE_WORKLOADS; i++)
		sample.specs[i].name = name;
	first_screen_write(&sample.report, "reports/latest", &out);
	check_lines(&out);
	UNIT_CONTAINS(buf_text(&out), "+13.4 % (95 % CI 9.8 to 17.1)");
	UNIT_CONTAINS(buf_text(&out), "481 ms -> 545 ms per run");
	UNIT_CONTAINS(buf_text(&out), "55.6 % of the program");
	sample_release(&sample);
	buf_release(&out);
}

static void
commands_are_quoted_for_a_shell(void)
{
	struct gate gate;
	struct buf out = {0};

	gate_init(&gate, SCENE_FAIL, SCENE_FAIL);
	first_screen_write(&gate.report, "my reports/latest", &out);
	UNIT_CONTAINS(buf_text(&out), "profile_run gate 'workloads/it'\\''s $(one).yaml'");
	UNIT_CONTAINS(buf_text(&out), "profile_run waive 'my reports/latest' --finding fail/parse");
	gate_release(&gate);
	buf_release(&out);
}

static void
a_command_that_cannot_be_shown_is_said_to_be_in_the_report(void)
{
	struct gate gate;
	struct buf out = {0};

	gate_init(&gate, SCENE_FAIL, SCENE_FAIL);
	gate.report.command_options = "profile_run gate --config 'a\033[31m.yaml'";
	first_screen_write(&gate.report, "reports/latest", &out);
	UNIT_CONTAINS(
		buf_text(&out), "The command to measure it again is in reports/latest/report.txt");
	gate_release(&gate);
	buf_release(&out);
}

/* Whatever else there is to say at the end. */
static void
a_failure_can_always_be_accepted(void)
{
	static const char *const bases[] = {
		"main (0123456789ab)", "release/a-branch-with-a-very-long-name (0123456789ab)"};
	static const char *const folders[] = {"reports/latest",
		"/builds/a_group_of_ours/a_repository_of_ours/build/reports/latest"};
	static const char *const options[] = {"profile_run gate --against main",
		"profile_run gate --against main --config config/of_a_long_name.yaml --max-runs 40 "
		"--reports /builds/a_group_of_ours/a_repository_of_ours/build/reports"};

	const struct policy_change change = {.file = "config/profile_run.yaml",
		.key = "gate.total.fail",
		.before = "5%",
		.after = "50%"};

	for (unsigned i = 0; i < 16; i++) {
		struct gate gate;
		struct buf out = {0};

		gate_init(&gate, SCENE_PAIRS, SCENE_PAIRS);
		gate.benches[SCENE_PAIRS].judgement.input.against = bases[i & 1];
		gate.report.command_options = options[i >> 1 & 1];
		gate.report.policy = (struct report_policy){.from = i & 4 ? bases[i & 1] : NULL,
			.changes = &change,
			.nchanges = i & 4 ? 1 : 0};
		gate.report.interrupted = i & 8 ? "SIGTERM" : NULL;
		for (size_t k = 0; k < 2; k++) {
			buf_clear(&out);
			first_screen_write(&gate.report, folders[k], &out);
			CU_ASSERT(check_lines(&out) <= lines_allowed(&gate.report));
			CU_ASSERT(strstr(buf_text(&out), "\nAccept: profile_run waive ") ||
				  (k == 1 && strstr(buf_text(&out), "\nThe command that accepts it "
								    "is in report.txt")));
			CU_ASSERT_EQUAL(
				strstr(buf_text(&out), "Policy changed") != NULL, (i & 4) != 0);
		}
		gate_release(&gate);
		buf_release(&out);
	}
}

static void
without_a_report_it_says_how_to_get_one(void)
{
	struct gate gate;
	struct buf out = {0};

	gate_init(&gate, SCENE_FAIL, SCENE_FAIL);
	first_screen_write(&gate.report, NULL, &out);
	UNIT_CONTAINS(buf_text(&out), "--output DIR writes a report.");
	CU_ASSERT_PTR_NULL(strstr(buf_text(&out), "diff.svg"));
	CU_ASSERT_PTR_NULL(strstr(buf_text(&out), "waive"));
	gate_release(&gate);
	buf_release(&out);
}

void
suite_output_first_screen(void)
{
	static const struct unit_case cases[] = {
		{"each_outcome_reads_as_agreed", each_outcome_reads_as_agreed},
		{"a_gate_of_one_outcome_ends_with_what_can_be_done",
			a_gate_of_one_outcome_ends_with_what_can_be_done},
		{"the_sample_reads_as_agreed", the_sample_reads_as_agreed},
		{"names_cannot_break_it", names_cannot_break_it},
		{"numbers_stay_where_a_name_is_cut", numbers_stay_where_a_name_is_cut},
		{"commands_are_quoted_for_a_shell", commands_are_quoted_for_a_shell},
		{"a_command_that_cannot_be_shown_is_said_to_be_in_the_report",
			a_command_that_cannot_be_shown_is_said_to_be_in_the_report},
		{"a_failure_can_always_be_accepted", a_failure_can_always_be_accepted},
		{"without_a_report_it_says_how_to_get_one",
			without_a_report_it_says_how_to_get_one},
		{NULL, NULL},
	};

	unit_suite("output/first_screen", cases);
}
