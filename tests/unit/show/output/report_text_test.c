#include "format/name_fit.h"
#include "output/output.h"
#include "sample.h"

void suite_output_report_text(void);

static void
written(struct buf *out, bool hostile)
{
	struct sample sample;

	*out = (struct buf){0};
	sample_init(&sample, hostile);
	output_write(&output_text, &sample.report, out);
	sample_release(&sample);
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
a_workloads_own_report_fits_them_too(void)
{
	struct report_view view;
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, true);
	report_view_init(&view, &sample.report);
	for (size_t i = 0; i < SAMPLE_WORKLOADS; i++)
		CU_ASSERT_TRUE(output_workload_text.write(&view, &view.workloads[i], &out));
	report_view_release(&view);
	check_widths(&out, 100);
	CU_ASSERT_TRUE(sample_is_plain(&out));
	UNIT_CONTAINS(buf_text(&out), "Changes against the baseline");
	sample_release(&sample);
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
suite_output_report_text(void)
{
	static const struct unit_case cases[] = {
		{"lines_fit_100_columns_with_any_name", lines_fit_100_columns_with_any_name},
		{"a_workloads_own_report_fits_them_too", a_workloads_own_report_fits_them_too},
		{"no_name_reaches_the_terminal_raw", no_name_reaches_the_terminal_raw},
		{NULL, NULL},
	};

	unit_suite("output/report_text", cases);
}
