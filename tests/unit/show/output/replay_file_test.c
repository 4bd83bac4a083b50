#include "output/replay_file.h"

#include "output/output.h"
#include "replay/record_file.h"
#include "sample.h"

/* The file that a report keeps of one workload of the sample, unpacked. */
static void
keep(const struct report *report, size_t workload, struct record_contents *record)
{
	struct report_view view;
	struct buf file = {0};
	struct err err = {0};

	report_view_init(&view, report);
	CU_ASSERT(output_replay.write(&view, &view.workloads[workload], &file));
	report_view_release(&view);
	CU_ASSERT_EQUAL(record_unpack(&record_replay, "f", file.data, file.len, record, &err), 0);
	buf_release(&file);
}

static void
read_back(struct replay_file *file, const struct report *report, size_t workload)
{
	struct record_contents record;
	struct err err = {0};

	keep(report, workload, &record);
	CU_ASSERT_EQUAL_FATAL(replay_file_decode(file, "f", &record, &err), 0);
	buf_release(&record.bytes);
}

/* Everything that a policy can have, in the sample's first workload. */
static const struct gate_rule_spec RULES[] = {
	{.pattern = "parse_*",
		.threshold = {0.05, 0.1},
		.max_share = 0.4,
		.max_cost = NAN,
		.file = "workloads/cjson_parse.yaml",
		.line = 12,
		.kind = RULE_SUBTREE,
		.of = QUANTITY_TOTAL},
	{.pattern = "[unknown]", .threshold = {NAN, NAN}, .max_share = NAN, .file = "c.yaml"},
};
static const struct waiver WAIVERS[] = {
	{.pattern = "walk",
		.workload = "*",
		.reason = "checks that were missing",
		.owner = "someone@example.org",
		.max_effect = 0.12,
		.expires = 1800000000,
		.file = "waivers.yaml",
		.kind = RULE_EACH,
		.line = 3,
		.last_day = "2027-01-14"},
};

static void
the_policy_comes_back(void)
{
	struct sample sample;
	struct replay_file file;
	struct gate_policy policy = {
		.total = {0.02, 0.05},
		.functions = {NAN, 0.1},
		.min_share = 0.01,
		.floor = 0.005,
		.min_cost = 3e6,
		.rules = RULES,
		.nrules = 2,
		.alpha = 0.05,
		.strict = true,
		.confirm = true,
		.decide = DECIDE_INSTRUCTIONS,
		.regression = POLICY_FAIL,
		.gone_functions = POLICY_WARN,
		.self_check = POLICY_FAIL,
		.waivers_list = WAIVERS,
		.nwaivers = 1,
	};

	sample_init(&sample, NULL);
	sample.judgements[0].input.policy = &policy;
	read_back(&file, &sample.report, 0);
	const struct gate_policy *found = file.judged.input.policy;

	UNIT_NEAR(file.entry.plan.count_seconds, 8, 0);

	CU_ASSERT(found->total.warn == 0.02 && isnan(found->functions.warn));
	CU_ASSERT(found->min_cost == 3e6 && found->strict && found->confirm);
	CU_ASSERT(found->decide == DECIDE_INSTRUCTIONS && found->regression == POLICY_FAIL);
	CU_ASSERT(found->gone_functions == POLICY_WARN && found->self_check == POLICY_FAIL);
	CU_ASSERT_EQUAL_FATAL(found->nrules, 2);
	UNIT_STR_EQ(found->rules[0].pattern, "parse_*");
	CU_ASSERT(found->rules[0].kind == RULE_SUBTREE && found->rules[0].of == QUANTITY_TOTAL);
	CU_ASSERT(found->rules[0].line == 12 && isnan(found->rules[0].max_cost));
	UNIT_STR_EQ(found->rules[1].file, "c.yaml");
	CU_ASSERT_EQUAL_FATAL(found->nwaivers, 1);
	UNIT_STR_EQ(found->waivers_list[0].owner, "someone@example.org");
	UNIT_STR_EQ(found->waivers_list[0].last_day, "2027-01-14");
	CU_ASSERT(found->waivers_list[0].expires == 1800000000);
	replay_file_release(&file);
	sample_release(&sample);
}

static void
looks_and_what_was_flagged_come_back(void)
{
	struct sample sample;
	struct replay_file file;

	sample_init(&sample, NULL);
	read_back(&file, &sample.report, 1);
	const struct gate_input *input = &file.judged.input;

	UNIT_NEAR(file.entry.count_s, 4.5, 0);
	UNIT_NEAR(file.entry.count_limit_s, 3000, 0);
	CU_ASSERT(input->looks.count == 3 && input->looks.most == 20 && input->looks.last);
	CU_ASSERT_EQUAL(input->screen.nworkloads, 2);
	CU_ASSERT_EQUAL_FATAL(input->screen.nsubjects, 2);
	UNIT_STR_EQ(input->screen.subjects[0].name, "parse_value");
	CU_ASSERT_EQUAL(input->screen.subjects[1].rule, FINDING_TOTAL);
	CU_ASSERT_EQUAL(input->screen.subjects[1].of, QUANTITY_TOTAL);
	replay_file_release(&file);
	sample_release(&sample);
}

static void
both_sides_and_the_report_come_back(void)
{
	struct sample sample;
	struct replay_file file;

	sample_init(&sample, NULL);
	struct workload workload = *sample.judgements[0].input.workload;

	workload.capture.max_runs = 40;
	sample.judgements[0].input.workload = &workload;
	read_back(&file, &sample.report, 0);
	const struct gate_input *input = &file.judged.input;

	UNIT_STR_EQ(input->workload->name, "cjson_parse");
	CU_ASSERT_EQUAL(input->workload->capture.max_runs, 40);
	CU_ASSERT(file.index == 0 && file.count == SAMPLE_WORKLOADS);
	UNIT_NEED(input->candidate);
	UNIT_NEED(input->before);
	CU_ASSERT_EQUAL(input->candidate->nruns, SAMPLE_RUNS);
	UNIT_STR_EQ(input->before_info->machine.cpu_model, "Other CPU 1");
	CU_ASSERT(input->before_info->created == 1795136400);
	UNIT_STR_EQ(file.report.command, sample.report.command);
	UNIT_STR_EQ(file.report.against_notes, sample.report.against_notes);
	UNIT_STR_EQ(file.report.machine->os, "Debian GNU/Linux 12");
	CU_ASSERT(file.report.duration_s == sample.report.duration_s);
	CU_ASSERT(file.entry.measure_s == sample.report.workloads[0].measure_s);
	replay_file_release(&file);
	sample_release(&sample);
}

static void
a_workload_without_measurement_is_kept_with_its_error(void)
{
	struct sample sample;
	struct replay_file file;

	sample_init(&sample, NULL);
	read_back(&file, &sample.report, 2);
	CU_ASSERT_PTR_NULL(file.judged.input.candidate);
	UNIT_NEED(file.judged.input.error);
	UNIT_STR_EQ(file.judged.input.error, sample.judgements[2].input.error);
	replay_file_release(&file);
	sample_release(&sample);
}

/* Whatever was written, no folder is made from it but one in the report. */
static void
a_name_that_leaves_its_folder_is_refused(void)
{
	struct sample sample;
	struct replay_file file;
	struct record_contents record;
	struct err err = {0};

	sample_init(&sample, NULL);
	sample.specs[0].name = "../etc";
	keep(&sample.report, 0, &record);
	CU_ASSERT_EQUAL(replay_file_decode(&file, "f", &record, &err), -1);
	UNIT_CONTAINS(err.text, "a workload without a name");
	buf_release(&record.bytes);
	sample_release(&sample);
}

static void
truncated_and_changed_contents_do_no_harm(void)
{
	struct sample sample;
	struct record_contents record;
	unsigned whole = 0;

	sample_init(&sample, NULL);
	keep(&sample.report, 0, &record);
	for (size_t i = 0; i < record.bytes.len; i++) {
		struct replay_file file;
		struct err err = {0};
		char *bytes = malloc(record.bytes.len);
		struct record_contents copy = {.format = RECORD_FORMAT};

		UNIT_NEED(bytes);
		memcpy(bytes, record.bytes.data, record.bytes.len);
		copy.bytes = (struct buf){.data = bytes, .len = i};
		/* Two cuts are where the files of earlier builds end. */
		if (replay_file_decode(&file, "f", &copy, &err) == 0) {
			CU_ASSERT_EQUAL(file.entry.plan.count_seconds > 0, whole == 1);
			CU_ASSERT_PTR_NULL(file.entry.lines[0].changed_path);
			CU_ASSERT(whole++ < 2);
			replay_file_release(&file);
		} else {
			CU_ASSERT_EQUAL(err.kind, ERR_INPUT);
		}
		bytes[i] = (char)(bytes[i] + 1);
		copy.bytes.len = record.bytes.len;
		if (replay_file_decode(&file, "f", &copy, &err) == 0)
			replay_file_release(&file);
		free(bytes);
	}
	buf_release(&record.bytes);
	sample_release(&sample);
}

static void
source_lines_come_back(void)
{
	struct sample sample;
	struct replay_file file;

	sample_init(&sample, true);
	sample.report.command = sample.report.command_options = "profile_run gate -b 'a;`b`'";
	sample.lines.changed_path = "lib/cJSON.c";
	sample.lines.changed_line = 131;
	read_back(&file, &sample.report, 0);
	CU_ASSERT_EQUAL_FATAL(file.entry.nlines, 1);
	const struct report_lines *lines = &file.entry.lines[0];

	UNIT_STR_EQ(lines->function, sample.lines.function);
	UNIT_STR_EQ(lines->unit, "ns");
	UNIT_STR_EQ(lines->changed_path, "lib/cJSON.c");
	CU_ASSERT_EQUAL(lines->changed_line, 131);
	UNIT_STR_EQ(lines->growth, sample.lines.growth);
	CU_ASSERT(lines->pairs && lines->left_out == 2);
	CU_ASSERT_EQUAL_FATAL(lines->nentries, sample.lines.nentries);
	for (size_t i = 0; i < lines->nentries; i++) {
		CU_ASSERT_EQUAL(lines->entries[i].kind, sample.entries[i].kind);
		CU_ASSERT_EQUAL(lines->entries[i].number, sample.entries[i].number);
		CU_ASSERT_EQUAL(lines->entries[i].found, sample.entries[i].found);
		CU_ASSERT(lines->entries[i].self[1] == sample.entries[i].self[1]);
		CU_ASSERT(lines->entries[i].total[0] == sample.entries[i].total[0]);
		UNIT_STR_EQ(lines->entries[i].text, sample.entries[i].text);
	}
	replay_file_release(&file);
	sample_release(&sample);
}

static void
check_refused(struct sample *sample, const char *problem)
{
	struct record_contents record;
	struct replay_file file;
	struct err err = {0};

	keep(&sample->report, 0, &record);
	CU_ASSERT_EQUAL(replay_file_decode(&file, "f", &record, &err), -1);
	UNIT_CONTAINS(err.text, problem);
	buf_release(&record.bytes);
}

/* A report shows them, to be pasted. */
static void
commands_that_no_report_shows_are_refused(void)
{
	static const char *const commands[] = {"profile_run gate; id", "profile_run gate $(id)",
		"profile_run gate `id`", "profile_run gate 'a", "profile_run gate 'a\nid'",
		"profile_run gate >file", "profile_run gate & id", "profile_run gate \\\nid", "id",
		"profile_run stat -- id", "profile_run gate\nid", "git fetch-pack", NULL};
	struct sample sample;

	sample_init(&sample, false);
	for (size_t i = 0; commands[i]; i++) {
		const char *command = sample.report.command;

		sample.report.command = commands[i];
		check_refused(&sample, "a command that no report shows");
		sample.report.command = command;
		sample.judgements[0].input.update_command = commands[i];
		check_refused(&sample, "a command that no report shows");
		sample.judgements[0].input.update_command = NULL;
	}
	sample_release(&sample);
}

static void
names_that_a_shell_acts_upon_are_refused(void)
{
	static const char *const names[] = {"workloads/$(touch X);.yaml", "`id`.yaml", "a\nb.yaml",
		"a\x1b[31m.yaml", "a|b", "a&b", "a\\b", NULL};
	struct sample sample;

	sample_init(&sample, false);
	const char **path = &sample.specs[0].path;
	const char *good = *path;

	for (size_t i = 0; names[i]; i++) {
		*path = names[i];
		check_refused(&sample, "a name with characters of control or of a shell");
	}
	*path = good;
	sample_release(&sample);
}

static const struct unit_case cases[] = {
	{"commands_that_no_report_shows_are_refused", commands_that_no_report_shows_are_refused},
	{"names_that_a_shell_acts_upon_are_refused", names_that_a_shell_acts_upon_are_refused},
	{"source_lines_come_back", source_lines_come_back},
	{"the_policy_comes_back", the_policy_comes_back},
	{"looks_and_what_was_flagged_come_back", looks_and_what_was_flagged_come_back},
	{"both_sides_and_the_report_come_back", both_sides_and_the_report_come_back},
	{"a_workload_without_measurement_is_kept_with_its_error",
		a_workload_without_measurement_is_kept_with_its_error},
	{"a_name_that_leaves_its_folder_is_refused", a_name_that_leaves_its_folder_is_refused},
	{"truncated_and_changed_contents_do_no_harm", truncated_and_changed_contents_do_no_harm},
	{NULL, NULL},
};

void suite_output_replay_file(void);

void
suite_output_replay_file(void)
{
	unit_suite("output/replay_file", cases);
}
