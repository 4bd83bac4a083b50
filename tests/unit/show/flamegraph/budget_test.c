#include "flamegraph/budget.h"

#include "base/buf.h"
#include "profile/folded.h"
#include "unit.h"

void suite_flamegraph_budget(void);

/* What is tried first of a profile with one function, whose name has so many bytes. */
static struct flamegraph_budget
first(size_t name_bytes, const struct flamegraph_options *options)
{
	struct profile profile;
	struct buf text = {0};
	struct err err = {0};

	for (size_t i = 0; i < name_bytes; i++)
		buf_putc(&text, 'a');
	buf_puts(&text, " 1\n");
	profile_init(&profile);
	CU_ASSERT_EQUAL(folded_read(&profile, "x", buf_text(&text), text.len, &err), 0);
	struct flamegraph_budget budget = flamegraph_budget_first(&profile, options, 12000, 100);

	profile_release(&profile);
	buf_release(&text);
	return budget;
}

static void
names_are_cut_before_boxes_are_left_out(void)
{
	const struct flamegraph_options options = {.width_px = 1200};
	struct flamegraph_budget budget = first(FLAMEGRAPH_NAME_BYTES_MAX + 1, &options);

	CU_ASSERT_EQUAL(budget.boxes, 12000);
	CU_ASSERT(budget.name_bytes > 65536);
	CU_ASSERT_FALSE(flamegraph_budget_cut(&budget, FLAMEGRAPH_MAX_BYTES));
	CU_ASSERT_TRUE(flamegraph_budget_cut(&budget, FLAMEGRAPH_MAX_BYTES + 1));
	CU_ASSERT_EQUAL(budget.boxes, 12000);
	CU_ASSERT_EQUAL(budget.name_bytes, FLAMEGRAPH_NAME_BYTES_MAX);
	budget.fitting = 6000;
	CU_ASSERT_TRUE(flamegraph_budget_cut(&budget, 2 * FLAMEGRAPH_MAX_BYTES));
	CU_ASSERT_EQUAL(budget.boxes, 6000);
}

static void
as_many_boxes_stay_as_fit(void)
{
	const struct flamegraph_options options = {.width_px = 1200};
	struct flamegraph_budget budget = first(8, &options);

	budget.fitting = 9000;
	CU_ASSERT_TRUE(flamegraph_budget_cut(&budget, 2 * FLAMEGRAPH_MAX_BYTES));
	CU_ASSERT_EQUAL(budget.boxes, 9000);
	/* It is a guess: where it does not shrink the picture, at least a fiftieth is left out. */
	CU_ASSERT_TRUE(flamegraph_budget_cut(&budget, FLAMEGRAPH_MAX_BYTES + 1));
	CU_ASSERT_EQUAL(budget.boxes, 8820);
	budget.fitting = 0;
	CU_ASSERT_TRUE(flamegraph_budget_cut(&budget, FLAMEGRAPH_MAX_BYTES + 1));
	CU_ASSERT_EQUAL(budget.boxes, 500);
}

static void
a_little_more_is_left_out_than_is_too_much(void)
{
	CU_ASSERT_EQUAL(flamegraph_budget_surplus(1200000), 0);
	CU_ASSERT_EQUAL(flamegraph_budget_surplus(1200001), 24001);
	CU_ASSERT_EQUAL(flamegraph_budget_surplus(1500000), 324000);
}

static void
there_is_a_least(void)
{
	const struct flamegraph_options options = {.width_px = 1200};
	struct flamegraph_budget budget = first(8, &options);
	int steps = 0;

	budget.fitting = budget.boxes;
	CU_ASSERT_EQUAL(budget.name_bytes, FLAMEGRAPH_NAME_BYTES_MAX);
	while (flamegraph_budget_cut(&budget, FLAMEGRAPH_MAX_BYTES + 1))
		steps++;
	CU_ASSERT(steps > 5 && steps < 200);
	CU_ASSERT_TRUE(flamegraph_budget_is_least(&budget));
	CU_ASSERT_EQUAL(budget.boxes, 500);
}

static void
boxes_that_were_asked_for_stay(void)
{
	const struct flamegraph_options options = {.max_frames = 70};
	struct flamegraph_budget budget = first(FLAMEGRAPH_NAME_BYTES_MAX + 1, &options);

	CU_ASSERT_EQUAL(budget.boxes, 70);
	CU_ASSERT_FALSE(flamegraph_budget_is_least(&budget));
	CU_ASSERT_TRUE(flamegraph_budget_cut(&budget, 5 * FLAMEGRAPH_MAX_BYTES));
	CU_ASSERT_FALSE(flamegraph_budget_cut(&budget, 5 * FLAMEGRAPH_MAX_BYTES));
	CU_ASSERT_EQUAL(budget.boxes, 70);
}

static void
a_page_has_no_room_for_long_names(void)
{
	const struct flamegraph_options options = {.max_frames = 70, .embedded = true};
	struct flamegraph_budget budget = first(FLAMEGRAPH_NAME_BYTES_MAX + 1, &options);

	CU_ASSERT_EQUAL(budget.name_bytes, FLAMEGRAPH_NAME_BYTES_MAX);
}

void
suite_flamegraph_budget(void)
{
	static const struct unit_case cases[] = {
		{"names_are_cut_before_boxes_are_left_out",
			names_are_cut_before_boxes_are_left_out},
		{"as_many_boxes_stay_as_fit", as_many_boxes_stay_as_fit},
		{"a_little_more_is_left_out_than_is_too_much",
			a_little_more_is_left_out_than_is_too_much},
		{"there_is_a_least", there_is_a_least},
		{"boxes_that_were_asked_for_stay", boxes_that_were_asked_for_stay},
		{"a_page_has_no_room_for_long_names", a_page_has_no_room_for_long_names},
		{NULL, NULL},
	};

	unit_suite("flamegraph/budget", cases);
}
