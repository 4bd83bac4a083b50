#include "profile/line_weights.h"

#include "unit.h"

void suite_profile_line_weights(void);

static const struct line_place first = {"a.c", 10, "/bin/app", 0x100};
static const struct line_place same_line = {"a.c", 10, "/bin/app", 0x108};
static const struct line_place second = {"a.c", 11, "/bin/app", 0x110};
static const struct line_place no_code = {"a.c", 11, NULL, 0};

/* main > f (second) > f (second) > f (first): as an interpreter's stacks recur. */
static void
recursion_counts_once_in_total(void)
{
	struct line_weights weights;

	line_weights_init(&weights, "f");
	line_weights_begin(&weights, 5);
	line_weights_add(&weights, &first, 5, true);
	line_weights_add(&weights, &second, 5, false);
	line_weights_add(&weights, &second, 5, false);
	line_weights_begin(&weights, 3);
	CU_ASSERT_EQUAL(weights.whole, 8);
	CU_ASSERT_EQUAL(weights.total, 5);
	CU_ASSERT_EQUAL(weights.self, 5);
	CU_ASSERT_EQUAL_FATAL(weights.nlines, 2);
	CU_ASSERT_EQUAL(weights.lines[0].self, 5);
	CU_ASSERT_EQUAL(weights.lines[0].total, 5);
	CU_ASSERT_EQUAL(weights.lines[1].self, 0);
	CU_ASSERT_EQUAL(weights.lines[1].total, 5);
	line_weights_release(&weights);
}

static void
a_line_sums_its_instructions(void)
{
	struct line_weights weights;

	line_weights_init(&weights, "f");
	for (int i = 0; i < 3; i++) {
		line_weights_begin(&weights, 1);
		line_weights_add(&weights, i < 2 ? &first : &same_line, 1, true);
	}
	line_weights_begin(&weights, 1);
	line_weights_add(&weights, &no_code, 1, true);
	CU_ASSERT_EQUAL_FATAL(weights.nlines, 2);
	CU_ASSERT_EQUAL(weights.lines[0].self, 3);
	UNIT_STR_EQ(line_weights_file(&weights, weights.lines[0].file), "a.c");
	CU_ASSERT_PTR_NULL(line_weights_file(&weights, 0));
	CU_ASSERT_EQUAL_FATAL(weights.ncodes, 2);
	CU_ASSERT_EQUAL(weights.codes[0].offset, 0x100);
	CU_ASSERT_EQUAL(weights.codes[0].self, 2);
	CU_ASSERT_EQUAL(weights.codes[1].self, 1);
	CU_ASSERT_EQUAL(weights.codes[1].line, 0);
	UNIT_STR_EQ(line_weights_module(&weights, weights.codes[1].module), "/bin/app");
	line_weights_release(&weights);
}

/* The same instruction, inlined from two lines. */
static void
an_address_may_be_of_several_lines(void)
{
	const struct line_place other = {"b.h", 3, first.module, first.offset};
	struct line_weights weights;

	line_weights_init(&weights, "f");
	line_weights_begin(&weights, 1);
	line_weights_add(&weights, &first, 1, true);
	line_weights_begin(&weights, 1);
	line_weights_add(&weights, &other, 1, true);
	CU_ASSERT_EQUAL(weights.nlines, 2);
	CU_ASSERT_EQUAL_FATAL(weights.ncodes, 2);
	CU_ASSERT_EQUAL(weights.codes[0].line, 0);
	CU_ASSERT_EQUAL(weights.codes[1].line, 1);
	line_weights_release(&weights);
}

static const struct unit_case cases[] = {
	{"recursion_counts_once_in_total", recursion_counts_once_in_total},
	{"a_line_sums_its_instructions", a_line_sums_its_instructions},
	{"an_address_may_be_of_several_lines", an_address_may_be_of_several_lines},
	{NULL, NULL},
};

void
suite_profile_line_weights(void)
{
	unit_suite("profile/line_weights", cases);
}
