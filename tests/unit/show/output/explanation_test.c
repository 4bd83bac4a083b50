#include "output/explanation.h"

#include "sample.h"

#include <cjson/cJSON.h>

void suite_output_explanation(void);

#define HUGE_NAME 100000
#define HUGE_FINDINGS 1000
#define HUGE_NAMES 10 /* of these findings */

static const struct report_hunk hunks[] = {
	{HUNK_OWN, false, "parse_value", "lib/cJSON.c", 130,
		"-\tvalue = next(1);\n+\tvalue = next(depth);\n"},
	{HUNK_OTHER, true, NULL, "lib/other.c", 7, "+\tx = 1;\n"},
};

static void
give_changes(struct sample *sample)
{
	sample->lines.changed_path = "lib/cJSON.c";
	sample->lines.changed_line = 131;
	sample->lines.changes = (struct report_changes){
		.kept = true,
		.hunks = hunks,
		.nhunks = 2,
		.hunks_left_out = 3,
		.code = "-imul    eax, edx\n+div     ecx\n",
		.code_left_out = 1,
	};
}

/* Explains a finding; 0, or -1 with the error in `out`. */
static int
explain(struct sample *sample, const char *wanted, bool json, struct buf *out)
{
	struct report_view view;
	struct explanation explanation;
	struct err err = {0};

	buf_clear(out);
	report_view_init(&view, &sample->report);
	const int result = explanation_init(&explanation, &view, wanted, &err);

	if (result < 0)
		buf_puts(out, err.text);
	else if (json)
		explanation_put_json(&explanation, out);
	else
		explanation_put_text(&explanation, out);
	explanation_release(&explanation);
	report_view_release(&view);
	return result;
}

static void
the_text_is_the_same_as_before(void)
{
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, false);
	give_changes(&sample);
	CU_ASSERT_EQUAL(explain(&sample, NULL, false, &out), 0);
	sample_check_golden("explain.txt", &out);
	CU_ASSERT_EQUAL(explain(&sample, NULL, true, &out), 0);
	sample_check_golden("explain.json", &out);
	buf_release(&out);
	sample_release(&sample);
}

static void
a_finding_is_chosen_by_number_or_name(void)
{
	static const struct {
		const char *wanted;
		const char *begins;
	} cases[] = {
		{"1", "FAIL: cjson_parse: parse_value +13.4 %"},
		{"parse_value", "FAIL: cjson_parse: parse_value +13.4 %"},
		{"2", "WARN: cjson_parse: whole program +2.8 %"},
		{"whole program", "WARN: cjson_parse: whole program +2.8 %"},
		{"3", "ERROR: "},
		{"gone", "ERROR: "},
		{"walk", "UNDECIDED: deep: walk +3.0 %"},
		{"print_value", "PASS: cjson_parse: print_value -0.4 %"},
	};
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, false);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CU_ASSERT_EQUAL(explain(&sample, cases[i].wanted, false, &out), 0);
		UNIT_CONTAINS(buf_text(&out), cases[i].begins);
	}
	UNIT_CONTAINS(buf_text(&out), "A finding that is not listed");
	CU_ASSERT_EQUAL(explain(&sample, "0", false, &out), -1);
	CU_ASSERT_EQUAL(explain(&sample, "99", false, &out), -1);
	CU_ASSERT_EQUAL(explain(&sample, "nothing", false, &out), -1);
	UNIT_CONTAINS(buf_text(&out), "1: parse_value");
	buf_release(&out);
	sample_release(&sample);
}

static void
what_is_not_known_is_said_with_its_reason(void)
{
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, false);
	explain(&sample, NULL, false, &out);
	UNIT_CONTAINS(buf_text(&out), "the report was written by an earlier version");
	sample.lines.changes = (struct report_changes){.kept = true,
		.no_hunks = "no commit is known",
		.code = "",
		.no_code = "no disassembler"};
	explain(&sample, NULL, false, &out);
	UNIT_CONTAINS(buf_text(&out), "Not known: no commit is known.");
	UNIT_CONTAINS(buf_text(&out), "Not known: no disassembler.");
	sample.lines.changes.no_code = NULL;
	explain(&sample, NULL, false, &out);
	UNIT_CONTAINS(buf_text(&out), "No instruction differs, addresses apart.");
	sample.workloads[0].nlines = 0;
	explain(&sample, NULL, false, &out);
	UNIT_CONTAINS(buf_text(&out), "Not known: the report keeps the lines of");
	sample.findings[0].frame = 0;
	sample.findings[0].causes = NULL;
	explain(&sample, NULL, false, &out);
	UNIT_CONTAINS(buf_text(&out), "Not known: causes are searched for");
	UNIT_CONTAINS(buf_text(&out), "None: the finding is about no single function.");
	buf_release(&out);
	sample_release(&sample);
}

/* As of a finding that is judged by the whole program, which grew with it. */
static void
causes_are_searched_if_the_verdict_had_none(void)
{
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, false);
	sample.findings[0].causes = NULL;
	explain(&sample, NULL, false, &out);
	UNIT_CONTAINS(buf_text(&out), "  main;parse_value +");
	UNIT_CONTAINS(buf_text(&out), "  main: ");
	buf_release(&out);
	sample_release(&sample);
}

/* A thousand findings, and names, lines and hunks of 100 kB, of characters that JSON escapes, too.
 */
static void
a_report_of_any_size_fits(void)
{
	static const char *const fillers[] = {
		"\"\\", "x", "\t", "\x01", "\xf0\x9f\x94\xa5", "a b. ", "::<(;"};
	struct sample sample;
	struct buf out = {0};

	for (size_t k = 0; k < sizeof(fillers) / sizeof(fillers[0]); k++) {
		struct finding *findings = mem_zalloc(HUGE_FINDINGS, sizeof(*findings));
		struct report_hunk many[12];
		struct annotation_entry entries[200];
		struct buf name = {0};

		while (name.len < HUGE_NAME)
			buf_puts(&name, fillers[k]);
		sample_init(&sample, true);
		give_changes(&sample);
		for (size_t i = 0; i < HUGE_FINDINGS; i++) {
			findings[i] = sample.findings[i % 2];
			if (i >= HUGE_NAMES)
				continue;
			findings[i].subject = buf_text(&name);
			findings[i].reason = buf_text(&name);
			findings[i].source = buf_text(&name);
		}
		sample.judgements[0].verdict.findings = findings;
		sample.judgements[0].verdict.nfindings = HUGE_FINDINGS;
		sample.judgements[0].verdict.nall = HUGE_FINDINGS;
		for (size_t i = 0; i < 12; i++)
			many[i] = (struct report_hunk){HUNK_OWN, true, buf_text(&name),
				buf_text(&name), 1, buf_text(&name)};
		for (size_t i = 0; i < 200; i++)
			entries[i] = (struct annotation_entry){.kind = ANNOTATION_LINE,
				.number = i,
				.text = buf_text(&name),
				.self = {1, 2},
				.total = {1, 2}};
		sample.lines.entries = entries;
		sample.lines.nentries = 200;
		sample.lines.changed_path = buf_text(&name);
		sample.lines.changes.hunks = many;
		sample.lines.changes.nhunks = 12;
		sample.lines.changes.code = buf_text(&name);
		sample.report.folder = buf_text(&name);
		sample.report.against_notes = buf_text(&name);
		sample.report.command_options = buf_text(&name);
		sample.specs[0].name = buf_text(&name);
		sample.causes.domain = buf_text(&name);
		CU_ASSERT_EQUAL(explain(&sample, "1", false, &out), 0);
		CU_ASSERT(out.len > 2000 && out.len <= EXPLANATION_BYTES_MAX);
		CU_ASSERT_TRUE(sample_is_plain(&out) && sample_is_utf8(&out));
		CU_ASSERT_EQUAL(explain(&sample, "1", true, &out), 0);
		CU_ASSERT(out.len > 2000 && out.len <= EXPLANATION_BYTES_MAX);
		cJSON *document = cJSON_ParseWithLength(buf_text(&out), out.len);

		CU_ASSERT_PTR_NOT_NULL(document);
		cJSON_Delete(document);
		sample_release(&sample);
		buf_release(&name);
		free(findings);
	}
	buf_release(&out);
}

static void
no_name_reaches_the_terminal_raw(void)
{
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, true);
	give_changes(&sample);
	for (unsigned i = 1; i <= 3; i++) {
		char number[] = {(char)('0' + i), '\0'};

		CU_ASSERT_EQUAL(explain(&sample, number, false, &out), 0);
		CU_ASSERT_TRUE(sample_is_plain(&out) && sample_is_utf8(&out));
	}
	buf_release(&out);
	sample_release(&sample);
}

void
suite_output_explanation(void)
{
	static const struct unit_case cases[] = {
		{"the_text_is_the_same_as_before", the_text_is_the_same_as_before},
		{"a_finding_is_chosen_by_number_or_name", a_finding_is_chosen_by_number_or_name},
		{"what_is_not_known_is_said_with_its_reason",
			what_is_not_known_is_said_with_its_reason},
		{"causes_are_searched_if_the_verdict_had_none",
			causes_are_searched_if_the_verdict_had_none},
		{"a_report_of_any_size_fits", a_report_of_any_size_fits},
		{"no_name_reaches_the_terminal_raw", no_name_reaches_the_terminal_raw},
		{NULL, NULL},
	};

	unit_suite("output/explanation", cases);
}
