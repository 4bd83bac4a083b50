#include "output/rows.h"

#include "sample.h"
#include "unit.h"

#include <math.h>

void suite_output_rows(void);

/* The row of this name; an empty one, and a failed case, where there is none. */
static void
init_rows(struct rows *rows, const struct sample *sample, size_t workload)
{
	const struct judgement *judgement = &sample->judgements[workload];

	rows_init(rows, judgement->compared ? &judgement->comparison : NULL,
		judgement->input.candidate, &judgement->verdict);
}

static const struct row *
find(const struct rows *rows, const char *name)
{
	static const struct row none;

	for (size_t i = 0; i < rows->nrows; i++) {
		if (strcmp(rows->rows[i].name, name) == 0)
			return &rows->rows[i];
	}
	CU_FAIL("no such row");
	return &none;
}

static void
a_row_knows_its_severest_finding(void)
{
	struct sample sample;
	struct rows rows;

	sample_init(&sample, false);
	sample.findings[2].subject = "parse_value";
	init_rows(&rows, &sample, 0);
	const struct row *row = find(&rows, "parse_value");

	CU_ASSERT_PTR_EQUAL(row->finding, &sample.findings[0]);
	CU_ASSERT_PTR_NULL(find(&rows, "main")->finding);
	rows_release(&rows);
	sample_release(&sample);
}

static void
marks_of_incomplete_stacks_have_no_row(void)
{
	struct sample sample;
	struct rows rows;

	sample_init(&sample, false);
	sample_add(&sample.candidate, 0, "cjson;[broken];parse_value", 10);
	init_rows(&rows, &sample, 1);
	CU_ASSERT_EQUAL(rows.nrows, 8);
	for (size_t i = 0; i < rows.nrows; i++)
		CU_ASSERT_STRING_NOT_EQUAL(rows.rows[i].name, "[broken]");
	rows_release(&rows);
	sample_release(&sample);
}

static void
the_largest_share_comes_first_suffix_included(void)
{
	struct sample sample;
	struct rows rows;

	sample_init(&sample, false);
	init_rows(&rows, &sample, 0);
	CU_ASSERT_EQUAL_FATAL(rows.nrows, 8);
	UNIT_STR_EQ(rows.rows[0].name, "parse_value");
	UNIT_STR_EQ(rows.rows[2].name, "sys_read_[k]");
	UNIT_STR_EQ(rows.rows[7].name, "read");
	rows_release(&rows);
	sample_release(&sample);
}

static void
a_measured_workload_without_baseline_has_rows(void)
{
	struct sample sample;
	struct rows rows;

	sample_init(&sample, false);
	init_rows(&rows, &sample, 3);
	const struct row *row = find(&rows, "print_value");

	UNIT_NEAR(row->self->after_share, 750.0 / 2835, 1e-12);
	UNIT_NEAR(row->self->after_cost, 250e6, 1);
	CU_ASSERT_TRUE(isnan(row->self->before_share));
	CU_ASSERT_FALSE(row->self->tested);
	rows_release(&rows);
	sample_release(&sample);
}

static void
costs_before_are_at_the_speed_of_after(void)
{
	struct sample sample;
	struct rows rows;

	sample_init(&sample, false);
	sample.judgements[0].comparison.whole.relative = false;
	init_rows(&rows, &sample, 0);
	frame_id frame = find(&rows, "print_value")->frame;

	UNIT_NEAR(rows_run_cost(&rows, frame, QUANTITY_SELF, 0), 250e6 * 1.031, 1);
	UNIT_NEAR(rows_run_cost(&rows, frame, QUANTITY_SELF, SAMPLE_RUNS), 250e6, 1);
	/* The whole is judged by plain costs here. */
	UNIT_NEAR(rows_run_cost(&rows, 0, QUANTITY_TOTAL, 0), 900e6, 1);
	rows_release(&rows);
	sample_release(&sample);
}

static void
sides_that_were_not_measured_have_no_rows(void)
{
	struct sample sample;
	struct rows rows;

	sample_init(&sample, false);
	init_rows(&rows, &sample, 2);
	CU_ASSERT_EQUAL(rows.nrows, 0);
	rows_release(&rows);
	sample_release(&sample);
}

struct counted {
	struct profile before;
	struct profile after;
	struct judgement judgement;
};

/* Three runs a side, which spread by `spread`; `first` and `second` are the means. */
static void
init_counters(
	struct counted *counted, enum counter_id id, double first, double second, double spread)
{
	struct profile *sides[] = {&counted->before, &counted->after};

	*counted = (struct counted){.judgement = {.compared = true}};
	for (int side = 0; side < 2; side++) {
		profile_init(sides[side]);
		for (int i = -1; i <= 1; i++) {
			size_t run = profile_add_run(sides[side]);

			counter_set(&sides[side]->runs[run], id,
				(side > 0 ? second : first) + spread * i);
		}
	}
	counted->judgement.input.before = &counted->before;
	counted->judgement.input.candidate = &counted->after;
}

static void
expect_counters(struct counted *counted, const char *text)
{
	struct buf out = {0};

	counter_rows_put(&counted->judgement, &out);
	UNIT_STR_EQ(buf_text(&out), text);
	buf_release(&out);
	profile_release(&counted->before);
	profile_release(&counted->after);
}

static void
a_counter_that_differs_by_more_than_its_runs_is_said(void)
{
	struct counted counted;

	init_counters(&counted, COUNTER_MAX_RSS, 2 << 20, 3 << 20, 1000);
	expect_counters(&counted, "max_rss 2.00 MiB -> 3.00 MiB (+50.0 %)");
	init_counters(&counted, COUNTER_MAX_RSS, 2 << 20, 3 << 20, 1 << 20);
	expect_counters(&counted, "");
	/* Little, though certain. */
	init_counters(&counted, COUNTER_MAX_RSS, 1e6, 1.005e6, 1);
	expect_counters(&counted, "");
}

static void
any_difference_of_what_is_exact_is_said(void)
{
	struct counted counted;

	init_counters(&counted, COUNTER_WRITE_CALLS, 1000, 1001, 0);
	expect_counters(&counted, "write_calls 1,000 -> 1,001 (+0.1 %)");
	init_counters(&counted, COUNTER_WRITE_CALLS, 0, 7, 0);
	expect_counters(&counted, "write_calls 0 -> 7");
	init_counters(&counted, COUNTER_WRITE_CALLS, 7, 7, 0);
	expect_counters(&counted, "");
}

static void
a_side_without_runs_is_not_known(void)
{
	struct counter_row rows[NCOUNTERS];
	struct counted counted;

	init_counters(&counted, COUNTER_MAX_RSS, 1e6, 2e6, 0);
	counted.judgement.compared = false;
	CU_ASSERT_EQUAL_FATAL(counter_rows(&counted.judgement, rows), 1);
	CU_ASSERT_PTR_EQUAL(rows[0].kind, &counter_kinds[COUNTER_MAX_RSS]);
	CU_ASSERT(isnan(rows[0].before) && isnan(rows[0].change) && !rows[0].differs);
	UNIT_NEAR(rows[0].after, 2e6, 0);
	expect_counters(&counted, "");
}

void
suite_output_rows(void)
{
	static const struct unit_case cases[] = {
		{"a_row_knows_its_severest_finding", a_row_knows_its_severest_finding},
		{"marks_of_incomplete_stacks_have_no_row", marks_of_incomplete_stacks_have_no_row},
		{"the_largest_share_comes_first_suffix_included",
			the_largest_share_comes_first_suffix_included},
		{"a_measured_workload_without_baseline_has_rows",
			a_measured_workload_without_baseline_has_rows},
		{"costs_before_are_at_the_speed_of_after", costs_before_are_at_the_speed_of_after},
		{"sides_that_were_not_measured_have_no_rows",
			sides_that_were_not_measured_have_no_rows},
		{"a_counter_that_differs_by_more_than_its_runs_is_said",
			a_counter_that_differs_by_more_than_its_runs_is_said},
		{"any_difference_of_what_is_exact_is_said",
			any_difference_of_what_is_exact_is_said},
		{"a_side_without_runs_is_not_known", a_side_without_runs_is_not_known},
		{NULL, NULL},
	};

	unit_suite("output/rows", cases);
}
