#include "analysis/annotation.h"

#include "annotation_side.h"
#include "base/buf.h"
#include "unit.h"

void suite_analysis_annotation_growth(void);

#define LINES 5

/* The lines of f from its second on, and what other functions have; 0: the line has no weight. */
static void
fill(struct side *side, const double lines[LINES], double others)
{
	side_begin(side, "f.c", 10);
	for (uint32_t i = 0; i < LINES; i++)
		if (lines[i] > 0)
			side_add(side, "f.c", 11 + i, lines[i]);
	line_weights_begin(&side->weights, others);
}

typedef void put_fn(const struct annotation_rows *rows, struct buf *out);

/* For two sides, each of which has 1000 in all. */
static void
expect_text(
	put_fn *put, const double before[LINES], const double after[LINES], const char *expected)
{
	const double *lines[2] = {before, after};
	struct side sides[2];
	struct annotation_rows rows;
	struct buf text = {0};

	for (size_t side = 0; side < 2; side++) {
		double others = 1000;

		for (size_t i = 0; i < LINES; i++)
			others -= lines[side][i];
		fill(&sides[side], lines[side], others);
	}
	const struct annotation annotation = sides_annotation(sides, 2);

	annotation_rows_init(&rows, &annotation);
	put(&rows, &text);
	UNIT_STR_EQ(buf_text(&text), expected);
	buf_release(&text);
	annotation_rows_release(&rows);
	sides_end(sides, 2);
}

static void
a_line_with_all_the_growth_is_named(void)
{
	expect_text(annotation_put_growth, (double[]){100, 100, 100, 0, 0},
		(double[]){100, 220, 90, 0, 0}, "f.c:12 +11.0 % of +11.0 % of the program");
}

static void
lines_are_named_until_they_have_most_of_it(void)
{
	expect_text(annotation_put_growth, (double[]){100, 100, 100, 100, 0},
		(double[]){130, 150, 130, 110, 0},
		"f.c:12 +5.0 %, f.c:11 +3.0 %, f.c:13 +3.0 %, other lines +1.0 % of +12.0 % of the program");
	expect_text(annotation_put_growth, (double[]){100, 100, 100, 100, 0},
		(double[]){150, 150, 100, 100, 0},
		"f.c:11 +5.0 %, f.c:12 +5.0 % of +10.0 % of the program");
}

static void
of_lines_that_grew_alike_three_are_named(void)
{
	expect_text(annotation_put_growth, (double[]){50, 50, 50, 50, 50},
		(double[]){70, 70, 70, 70, 70},
		"f.c:11 +2.0 %, f.c:12 +2.0 %, f.c:13 +2.0 %, other lines +4.0 % of +10.0 % of the program");
}

/* What the finding says that the function costs: its lines are parts of that. */
static void
lines_add_up_to_the_costs_of_the_finding(void)
{
	struct side sides[2];
	struct annotation_rows rows;
	struct buf text = {0};

	for (size_t side = 0; side < 2; side++) {
		side_begin(&sides[side], "f.c", 10);
		side_add(&sides[side], "f.c", 11, 100);
		side_add(&sides[side], "f.c", 12, side ? 280 : 100);
		side_add(&sides[side], "f.c", 13, side ? 120 : 100);
		sides[side].profile.cost_unit =
			strtab_intern_str(&sides[side].profile.strings, "ns");
		profile_add_run(&sides[side].profile);
		sides[side].profile.runs[0].cost_total = 7e9;
	}
	struct annotation annotation = sides_annotation(sides, 2);

	annotation.sides[0].own_cost = 30e6;
	annotation.sides[1].own_cost = 51e6;
	annotation_rows_init(&rows, &annotation);
	annotation_put_growth(&rows, &text);
	UNIT_STR_EQ(buf_text(&text), "f.c:12 +18.6 ms, other lines +2.44 ms of +21.0 ms");
	buf_release(&text);
	annotation_rows_release(&rows);
	sides_end(sides, 2);
}

static void
a_function_that_shrank_has_no_growth(void)
{
	expect_text(annotation_put_growth, (double[]){100, 100, 0, 0, 0},
		(double[]){110, 80, 0, 0, 0}, "");
}

/* The machine takes 0.6 of the time, and the second line twice as many rounds. */
static void
a_slower_line_is_named_on_a_faster_machine(void)
{
	expect_text(annotation_put_shift, (double[]){100, 100, 100, 100, 0},
		(double[]){60, 120, 60, 60, 0},
		"f.c:12 grew from 25.0 % to 40.0 % of the function, which shrank by 10.0 % of the program");
	/* As fast as before, though it has twice as many rounds. */
	expect_text(annotation_put_shift, (double[]){100, 100, 100, 100, 0},
		(double[]){50, 100, 50, 50, 0},
		"f.c:12 grew from 25.0 % to 40.0 % of the function, which shrank by 15.0 % of the program");
}

static void
a_line_is_named_where_others_became_as_much_quicker(void)
{
	expect_text(annotation_put_shift, (double[]){100, 100, 100, 50, 0},
		(double[]){100, 140, 100, 10, 0},
		"f.c:12 grew from 28.6 % to 40.0 % of the function, which did not grow");
}

/* Its part of the function is larger, as that of each other line. */
static void
lines_beside_a_quicker_one_are_not_named(void)
{
	expect_text(annotation_put_shift, (double[]){100, 100, 100, 100, 0},
		(double[]){100, 20, 100, 100, 0}, "");
}

static void
a_new_line_has_grown_from_nothing(void)
{
	expect_text(annotation_put_shift, (double[]){100, 100, 100, 0, 0},
		(double[]){50, 50, 50, 50, 0},
		"f.c:14 grew from 0 % to 25.0 % of the function, which shrank by 10.0 % of the program");
}

/* For lines of 100, whose median is as it was: 5 % of the function more. */
static void
a_twentieth_of_the_function_is_enough(void)
{
	expect_text(annotation_put_shift, (double[]){100, 100, 100, 100, 100},
		(double[]){100, 124, 100, 100, 56}, "");
	expect_text(annotation_put_shift, (double[]){100, 100, 100, 100, 100},
		(double[]){100, 126, 100, 100, 54},
		"f.c:12 grew from 20.0 % to 26.2 % of the function, which shrank by 2.0 % of the program");
}

static void
a_function_that_grew_or_is_on_one_side_has_no_shift(void)
{
	expect_text(annotation_put_shift, (double[]){100, 100, 0, 0, 0},
		(double[]){50, 151, 0, 0, 0}, "");
	expect_text(annotation_put_shift, (double[]){0, 0, 0, 0, 0}, (double[]){1, 2, 0, 0, 0}, "");
	expect_text(annotation_put_shift, (double[]){1, 2, 0, 0, 0}, (double[]){0, 0, 0, 0, 0}, "");
}

void
suite_analysis_annotation_growth(void)
{
	static const struct unit_case cases[] = {
		{"a_line_with_all_the_growth_is_named", a_line_with_all_the_growth_is_named},
		{"lines_are_named_until_they_have_most_of_it",
			lines_are_named_until_they_have_most_of_it},
		{"of_lines_that_grew_alike_three_are_named",
			of_lines_that_grew_alike_three_are_named},
		{"lines_add_up_to_the_costs_of_the_finding",
			lines_add_up_to_the_costs_of_the_finding},
		{"a_function_that_shrank_has_no_growth", a_function_that_shrank_has_no_growth},
		{"a_slower_line_is_named_on_a_faster_machine",
			a_slower_line_is_named_on_a_faster_machine},
		{"a_line_is_named_where_others_became_as_much_quicker",
			a_line_is_named_where_others_became_as_much_quicker},
		{"lines_beside_a_quicker_one_are_not_named",
			lines_beside_a_quicker_one_are_not_named},
		{"a_new_line_has_grown_from_nothing", a_new_line_has_grown_from_nothing},
		{"a_twentieth_of_the_function_is_enough", a_twentieth_of_the_function_is_enough},
		{"a_function_that_grew_or_is_on_one_side_has_no_shift",
			a_function_that_grew_or_is_on_one_side_has_no_shift},
		{NULL, NULL},
	};

	unit_suite("analysis/annotation_growth", cases);
}
