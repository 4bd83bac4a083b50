#include "output/name.h"
#include "output/outputs.h"
#include "sample.h"

void suite_output_text(void);

static void
written(struct buf *out, bool hostile)
{
	struct sample sample;

	buf_init(out);
	sample_init(&sample, hostile);
	output_text.write(&sample.report, out);
	sample_release(&sample);
}

static void
the_report_reads_as_agreed(void)
{
	struct buf out;

	written(&out, false);
	sample_check_golden("report.txt", &out);
	buf_release(&out);
}

static void
the_verdict_comes_first(void)
{
	struct buf out;

	written(&out, false);
	CU_ASSERT_EQUAL(strncmp(buf_text(&out), "FAIL: ", 6), 0);
	buf_release(&out);
}

static void
check_widths(const struct buf *out, size_t limit)
{
	for (const char *at = buf_text(out); *at;) {
		size_t len = strcspn(at, "\n");

		CU_ASSERT(name_columns(at, len) <= limit);
		at += len + (at[len] == '\n');
	}
}

static void
lines_fit_100_columns_with_any_name(void)
{
	struct buf out;

	written(&out, true);
	check_widths(&out, 100);
	buf_release(&out);
	written(&out, false);
	check_widths(&out, 100);
	buf_release(&out);
}

static void
no_name_reaches_the_terminal_raw(void)
{
	struct buf out;

	written(&out, true);
	CU_ASSERT_TRUE(sample_is_plain(&out));
	CU_ASSERT_TRUE(sample_is_utf8(&out));
	buf_release(&out);
}

void
suite_output_text(void)
{
	static const struct unit_case cases[] = {
		{"the_report_reads_as_agreed", the_report_reads_as_agreed},
		{"the_verdict_comes_first", the_verdict_comes_first},
		{"lines_fit_100_columns_with_any_name", lines_fit_100_columns_with_any_name},
		{"no_name_reaches_the_terminal_raw", no_name_reaches_the_terminal_raw},
		{NULL, NULL},
	};

	unit_suite("output/text", cases);
}
