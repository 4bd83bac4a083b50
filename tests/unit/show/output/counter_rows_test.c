#include "output/counter_rows.h"

#include "unit.h"

#include <math.h>

void suite_output_counter_rows(void);

struct bench {
	struct profile before;
	struct profile after;
	struct judgement judgement;
};

/* Three runs a side, which spread by `spread`; `first` and `second` are the means. */
static void
init(struct bench *bench, enum counter_id id, double first, double second, double spread)
{
	struct profile *sides[] = {&bench->before, &bench->after};

	*bench = (struct bench){.judgement = {.compared = true}};
	for (int side = 0; side < 2; side++) {
		profile_init(sides[side]);
		for (int i = -1; i <= 1; i++) {
			size_t run = profile_add_run(sides[side]);

			counter_set(&sides[side]->runs[run], id,
				(side > 0 ? second : first) + spread * i);
		}
	}
	bench->judgement.input.before = &bench->before;
	bench->judgement.input.candidate = &bench->after;
}

static void
expect(struct bench *bench, const char *text)
{
	struct buf out = {0};

	counter_rows_put(&bench->judgement, &out);
	UNIT_STR_EQ(buf_text(&out), text);
	buf_release(&out);
	profile_release(&bench->before);
	profile_release(&bench->after);
}

static void
a_counter_that_differs_by_more_than_its_runs_is_said(void)
{
	struct bench bench;

	init(&bench, COUNTER_MAX_RSS, 2 << 20, 3 << 20, 1000);
	expect(&bench, "max_rss 2.00 MiB -> 3.00 MiB (+50.0 %)");
	init(&bench, COUNTER_MAX_RSS, 2 << 20, 3 << 20, 1 << 20);
	expect(&bench, "");
	/* Little, though certain. */
	init(&bench, COUNTER_MAX_RSS, 1e6, 1.005e6, 1);
	expect(&bench, "");
}

static void
any_difference_of_what_is_exact_is_said(void)
{
	struct bench bench;

	init(&bench, COUNTER_WRITE_CALLS, 1000, 1001, 0);
	expect(&bench, "write_calls 1,000 -> 1,001 (+0.1 %)");
	init(&bench, COUNTER_WRITE_CALLS, 0, 7, 0);
	expect(&bench, "write_calls 0 -> 7");
	init(&bench, COUNTER_WRITE_CALLS, 7, 7, 0);
	expect(&bench, "");
}

static void
a_side_without_runs_is_not_known(void)
{
	struct counter_row rows[NCOUNTERS];
	struct bench bench;

	init(&bench, COUNTER_MAX_RSS, 1e6, 2e6, 0);
	bench.judgement.compared = false;
	CU_ASSERT_EQUAL_FATAL(counter_rows(&bench.judgement, rows), 1);
	CU_ASSERT_PTR_EQUAL(rows[0].kind, &counter_kinds[COUNTER_MAX_RSS]);
	CU_ASSERT(isnan(rows[0].before) && isnan(rows[0].change) && !rows[0].differs);
	UNIT_NEAR(rows[0].after, 2e6, 0);
	expect(&bench, "");
}

void
suite_output_counter_rows(void)
{
	static const struct unit_case cases[] = {
		{"a_counter_that_differs_by_more_than_its_runs_is_said",
			a_counter_that_differs_by_more_than_its_runs_is_said},
		{"any_difference_of_what_is_exact_is_said",
			any_difference_of_what_is_exact_is_said},
		{"a_side_without_runs_is_not_known", a_side_without_runs_is_not_known},
		{NULL, NULL},
	};

	unit_suite("output/counter_rows", cases);
}
