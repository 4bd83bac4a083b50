#include "output/first_screen.h"

#include "first_screen_gates.h"

void suite_output_first_screen_total(void);

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
suite_output_first_screen_total(void)
{
	static const struct unit_case cases[] = {
		{"commands_are_quoted_for_a_shell", commands_are_quoted_for_a_shell},
		{"a_command_that_cannot_be_shown_is_said_to_be_in_the_report",
			a_command_that_cannot_be_shown_is_said_to_be_in_the_report},
		{"a_failure_can_always_be_accepted", a_failure_can_always_be_accepted},
		{"without_a_report_it_says_how_to_get_one",
			without_a_report_it_says_how_to_get_one},
		{NULL, NULL},
	};

	unit_suite("output/first_screen_total", cases);
}
