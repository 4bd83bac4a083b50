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

/* What the change does not reach is not waited for. */
static void
a_pass_that_excludes_less_than_its_threshold_says_why(void)
{
	struct sample sample;
	struct report_view view;

	sample_init(&sample, false);
	struct verdict *verdict = &sample.judgements[0].verdict;
	struct effect *whole = &verdict->findings[1].effect;

	verdict->status = STATUS_PASS;
	whole->low = -0.1;
	whole->high = 0.04;
	report_view_init(&view, &sample.report);
	CU_ASSERT_PTR_NULL(strstr(view.workloads[0].power, "below its own"));
	report_view_release(&view);
	whole->high = 0.2;
	report_view_init(&view, &sample.report);
	UNIT_CONTAINS(view.workloads[0].power, "whole program at most 20.0 % slower");
	UNIT_CONTAINS(view.workloads[0].power, "threshold 5 %, what changed is below its own)");
	report_view_release(&view);
	sample_release(&sample);
}

static void
another_machine_class_of_several_baselines_is_said_once(void)
{
	struct sample sample;
	struct report_view view;
	struct baseline_info third;

	sample_init(&sample, false);
	for (size_t i = 0; i < 2; i++)
		sample.specs[i].gate.other_machine = POLICY_WARN;
	strcpy(sample.baseline.info.machine_class, "class-a");
	report_view_init(&view, &sample.report);
	/* It is the finding of the only one. */
	CU_ASSERT_STRING_EQUAL(view.other_machines, "");
	report_view_release(&view);

	sample.judgements[0].input.baseline_is_of_other_machine = true;
	report_view_init(&view, &sample.report);
	CU_ASSERT_STRING_EQUAL(view.other_machines,
		"2 of 2 baselines are of another machine class, class-a (this machine is "
		"x86_64-sample-cpu-9000-cpu-clock): none of their findings fails.");
	report_view_release(&view);

	third = sample.baseline.info;
	strcpy(third.machine_class, "class-b");
	sample.judgements[3].input.before = &sample.baseline.profile;
	sample.judgements[3].input.before_info = &third;
	report_view_init(&view, &sample.report);
	UNIT_CONTAINS(
		view.other_machines, "2 of 3 baselines are of another machine class, class-a");
	report_view_release(&view);
	sample.judgements[3].input.baseline_is_of_other_machine = true;
	sample.specs[3].gate.other_machine = POLICY_WARN;
	report_view_init(&view, &sample.report);
	UNIT_CONTAINS(view.other_machines, "3 of 3 baselines are of other machine classes (this");
	report_view_release(&view);

	/* Compared all the same, or not at all: that is no reason for warnings. */
	for (size_t i = 0; i < 4; i++)
		sample.specs[i].gate.other_machine = POLICY_PASS;
	report_view_init(&view, &sample.report);
	CU_ASSERT_STRING_EQUAL(view.other_machines, "");
	report_view_release(&view);
	sample_release(&sample);
}

/* The headline of the first workload, whose verdict has these findings. */
static void
check_headline(struct sample *sample, struct finding *findings, size_t n, const char *headline)
{
	struct verdict *verdict = &sample->judgements[0].verdict;
	struct report_view view;

	verdict->findings = findings;
	verdict->nall = verdict->nfindings = n;
	report_view_init(&view, &sample->report);
	UNIT_STR_EQ(view.workloads[0].headline, headline);
	report_view_release(&view);
}

static void
a_finding_of_the_program_is_read_before_one_of_its_baseline(void)
{
	struct sample sample;

	sample_init(&sample, false);
	struct verdict *verdict = &sample.judgements[0].verdict;
	const struct verdict kept = *verdict;
	/* The sixth is a warning of a baseline, the first a function's failure. */
	struct finding of_baseline = kept.findings[5];
	struct finding of_function = kept.findings[0];
	const char *estimate = "parse_value +13.4 % (95 % CI 9.8 to 17.1)";

	of_baseline.subject = "machine class";
	of_baseline.reason = "It is another.";
	of_function.status = STATUS_WARN;
	check_headline(&sample, (struct finding[]){of_baseline, of_function}, 2, estimate);
	of_baseline.status = STATUS_FAIL;
	check_headline(&sample, (struct finding[]){of_baseline, of_function}, 2,
		"machine class: It is another.");
	check_headline(&sample, &of_baseline, 1, "machine class: It is another.");
	/* The only reason for a warning: what was compared is said with it. */
	verdict->limited = "the baseline is of another machine class";
	check_headline(&sample, &of_baseline, 1, "machine class: It is another.");
	of_baseline.status = STATUS_WARN;
	check_headline(&sample, &of_baseline, 1,
		"the baseline is of another machine class; whole program +2.8 % "
		"(95 % CI 1.9 to 3.7), threshold 5 %");
	*verdict = kept;
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
		{"a_pass_that_excludes_less_than_its_threshold_says_why",
			a_pass_that_excludes_less_than_its_threshold_says_why},
		{"another_machine_class_of_several_baselines_is_said_once",
			another_machine_class_of_several_baselines_is_said_once},
		{"a_finding_of_the_program_is_read_before_one_of_its_baseline",
			a_finding_of_the_program_is_read_before_one_of_its_baseline},
		{NULL, NULL},
	};

	unit_suite("output/report_view", cases);
}
