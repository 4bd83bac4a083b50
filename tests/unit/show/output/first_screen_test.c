#include "output/first_screen.h"

#include "first_screen_gates.h"
#include "sample.h"

#include <stdlib.h>

void suite_output_first_screen(void);

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

/* Findings stay lines of their own, ahead of it. */
static void
benchmarks_of_a_suite_that_pass_share_a_line(void)
{
	static const char *const benchmarks[] = {
		"b/1", "b/2", "b/<3>", "b/4", "b/5", "b/warns", "c/1", "d"};
	struct gate gate;
	struct buf out = {0};

	gate_init(&gate, SCENE_PASS, SCENE_WARN);
	for (enum scene scene = SCENE_PASS; scene <= SCENE_WARN; scene++)
		gate.benches[scene].workload.name = benchmarks[scene];
	first_screen_write(&gate.report, "reports/latest", &out);
	check_lines(&out);
	const char *passes = strstr(buf_text(&out),
		"PASS  b/*      5 benchmarks pass, 1 of them the same program, not measured\n");
	const char *warns = strstr(buf_text(&out), "WARN  b/warns  ");

	CU_ASSERT(passes && warns && warns < passes);
	CU_ASSERT_PTR_NULL(strstr(buf_text(&out), "b/<3>"));
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
		{"benchmarks_of_a_suite_that_pass_share_a_line",
			benchmarks_of_a_suite_that_pass_share_a_line},
		{NULL, NULL},
	};

	unit_suite("output/first_screen", cases);
}
