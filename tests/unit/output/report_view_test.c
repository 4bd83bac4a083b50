#include "output/report_view.h"

#include "sample.h"

void suite_output_report_view(void);

static void
findings_are_listed_or_counted(void)
{
	struct sample sample;
	struct report_view view;

	sample_init(&sample, false);
	report_view_init(&view, &sample.report);
	const struct workload_view *workload = &view.workloads[0];
	size_t listed = 0;

	CU_ASSERT_EQUAL(workload->nfindings, sample.judgements[0].verdict.nfindings);
	for (size_t i = 0; i < workload->nfindings; i++)
		listed += workload->findings[i].is_listed;
	CU_ASSERT_EQUAL(listed, workload->nlisted);
	CU_ASSERT_EQUAL(listed + workload->npassed, workload->nfindings);
	CU_ASSERT_STRING_EQUAL(workload->findings[0].of, " (self)");
	CU_ASSERT_STRING_EQUAL(workload->findings[1].of, "");
	CU_ASSERT_PTR_EQUAL(workload->whole, &sample.judgements[0].verdict.findings[1].effect);
	report_view_release(&view);
	sample_release(&sample);
}

static void
a_failed_measurement_is_an_error_with_a_text_of_its_own(void)
{
	struct sample sample;
	struct report_view view;

	sample_init(&sample, false);
	report_view_init(&view, &sample.report);
	const struct workload_view *workload = &view.workloads[2];

	CU_ASSERT_EQUAL(workload->status, STATUS_ERROR);
	CU_ASSERT_STRING_EQUAL(workload->headline, "\"bin/gone\": exit code 3");
	CU_ASSERT_EQUAL(workload->nlisted, 0);
	CU_ASSERT_PTR_NULL(workload->after.profile);
	CU_ASSERT_STRING_EQUAL(workload->after.stacks, "");
	CU_ASSERT_EQUAL(workload->rows.nrows, 0);
	CU_ASSERT_STRING_EQUAL(workload->rerun, "workloads/gone.yaml");
	report_view_release(&view);
	sample_release(&sample);
}

static void
both_sides_are_compared_where_both_are_known(void)
{
	struct sample sample;
	struct report_view view;

	sample_init(&sample, false);
	report_view_init(&view, &sample.report);
	CU_ASSERT_STRING_EQUAL(view.workloads[1].differing, "Commit, Workload hash, Processor");
	CU_ASSERT_PTR_NULL(strstr(view.workloads[1].differing, "Taken"));
	CU_ASSERT_STRING_EQUAL(view.workloads[3].differing, "");
	CU_ASSERT_STRING_EQUAL(view.workloads[1].before.prefix, "In the baseline, ");
	CU_ASSERT_STRING_EQUAL(view.workloads[1].before.heading, "baseline");
	report_view_release(&view);
	sample_release(&sample);
}

void
suite_output_report_view(void)
{
	static const struct unit_case cases[] = {
		{"findings_are_listed_or_counted", findings_are_listed_or_counted},
		{"a_failed_measurement_is_an_error_with_a_text_of_its_own",
			a_failed_measurement_is_an_error_with_a_text_of_its_own},
		{"both_sides_are_compared_where_both_are_known",
			both_sides_are_compared_where_both_are_known},
		{NULL, NULL},
	};

	unit_suite("output/report_view", cases);
}
