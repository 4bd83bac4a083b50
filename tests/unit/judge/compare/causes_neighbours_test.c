/* The callers and callees that share the growth. */
#include "compare/causes_fixture.h"

void suite_compare_causes_neighbours(void);

static void
check(const struct causes_found *found, const struct cause_neighbour *neighbour, const char *name,
	double before, double after)
{
	CU_ASSERT_STRING_EQUAL(causes_name(found, neighbour->frame), name);
	UNIT_NEAR(neighbour->before_cost, before * CAUSES_COST, 1);
	UNIT_NEAR(neighbour->after_cost, after * CAUSES_COST, 1);
}

static void
callers_and_callees_are_parts_of_the_growth(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;run;f", 1000, 1500},
		{"app;main;run;f;g", 500, 700},
		{"app;main;run;f;h;deep", 500, 800},
		{"app;main;run;f;k", 500, 500},
		{"app;main;run;l", 500, 400},
		{"app;main;b;f", 500, 500},
		{"app;main;rest", 6500, 6500},
		{NULL, 0, 0},
	};
	struct causes_found found;

	causes_in(&found, stacks, "f");
	CU_ASSERT_EQUAL(found.causes.ncallers, 1);
	check(&found, &found.causes.callers[0], "run", 1000, 1500);
	CU_ASSERT_EQUAL(found.causes.ncallees, 2);
	check(&found, &found.causes.callees[0], "h", 500, 800);
	check(&found, &found.causes.callees[1], "g", 500, 700);
	UNIT_NEAR(found.causes.before_calls, 3000 * CAUSES_COST, 1);
	UNIT_NEAR(found.causes.after_calls, 4000 * CAUSES_COST, 1);
	causes_release(&found);
}

static void
a_recursive_function_is_no_neighbour_of_itself(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;f;f", 1000, 1500},
		{"app;main;f;g;f", 1000, 1500},
		{"app;main;rest", 8000, 8000},
		{NULL, 0, 0},
	};
	struct causes_found found;

	causes_in(&found, stacks, "f");
	CU_ASSERT_EQUAL(found.causes.ncallers, 1);
	check(&found, &found.causes.callers[0], "main", 2000, 3000);
	CU_ASSERT_EQUAL(found.causes.ncallees, 0);
	causes_release(&found);
}

static void
a_process_and_a_mark_are_no_callers(void)
{
	static const struct stack_case stacks[] = {
		{"app;f", 1000, 1500},
		{"app;[broken];f", 500, 700},
		{"app;rest", 8500, 8500},
		{NULL, 0, 0},
	};
	struct causes_found found;

	causes_in(&found, stacks, "f");
	CU_ASSERT_EQUAL(found.causes.ncallers, 0);
	causes_release(&found);
}

/* A finding that rests on some of the runs has other costs: its parts add up to these. */
static void
parts_are_scaled_to_the_finding(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;run;f", 1000, 1500},
		{"app;main;b;f", 500, 700},
		{"app;main;run;f;g", 500, 1000},
		{"app;main;rest", 8000, 8000},
		{NULL, 0, 0},
	};
	struct causes_found found;

	causes_in(&found, stacks, "f");
	causes_scale(&found.causes, 750 * CAUSES_COST, 1650 * CAUSES_COST);
	UNIT_NEAR(found.causes.growth, 900 * CAUSES_COST, 1);
	CU_ASSERT_EQUAL_FATAL(found.causes.nstacks, 2);
	UNIT_NEAR(found.causes.stacks[0].before_cost + found.causes.stacks[1].before_cost,
		750 * CAUSES_COST, 1);
	UNIT_NEAR(found.causes.stacks[0].after_cost + found.causes.stacks[1].after_cost,
		1650 * CAUSES_COST, 1);
	check(&found, &found.causes.callers[0], "run", 500, 1125);
	check(&found, &found.causes.callees[0], "g", 250, 750);
	UNIT_NEAR(found.causes.after_calls - found.causes.before_calls, 1400 * CAUSES_COST, 1);
	causes_release(&found);
}

static void
small_growths_and_chance_are_left_out(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;run;f", 1000, 2000},
		{"app;main;run;f;small", 1000, 1050},
		{"app;main;run;f;chance;x", 4000, 4030},
		{"app;main;rest", 5000, 5000},
		{NULL, 0, 0},
	};
	struct causes_found found;

	causes_in(&found, stacks, "f");
	CU_ASSERT_EQUAL(found.causes.ncallees, 0);
	causes_release(&found);
}

static void
new_neighbours_grew_from_nothing(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;run;f", 1000, 1500},
		{"app;main;run;f;fresh", 0, 400},
		{"app;main;rest", 8000, 8000},
		{NULL, 0, 0},
	};
	struct causes_found found;

	causes_in(&found, stacks, "f");
	CU_ASSERT_EQUAL(found.causes.ncallees, 1);
	check(&found, &found.causes.callees[0], "fresh", 0, 400);
	causes_release(&found);
}

/* Ten callees that grew by two each, from 310 on: the largest ones, ties by name. */
static void
only_the_first_few_are_kept(void)
{
	struct stack_case stacks[13] = {{0}};
	char names[10][32];

	for (size_t i = 0; i < 10; i++) {
		snprintf(names[i], sizeof(names[i]), "app;main;f;c%zu", (i * 7) % 10);
		size_t step = (i * 7) % 10 / 2;

		stacks[i] = (struct stack_case){names[i], 200, 300 + 100 * (double)step};
	}
	stacks[10] = (struct stack_case){"app;main;f", 1000, 1300};
	stacks[11] = (struct stack_case){"app;main;rest", 7000, 7000};
	for (int backwards = 0; backwards < 2; backwards++) {
		const struct causes_case of = {.stacks = stacks, .backwards = backwards};
		struct causes_found found;

		causes_compare(&found, &of);
		causes_of(&found, "f");
		CU_ASSERT_EQUAL_FATAL(found.causes.ncallees, CAUSES_NEIGHBOURS);
		check(&found, &found.causes.callees[0], "c8", 200, 700);
		check(&found, &found.causes.callees[1], "c9", 200, 700);
		check(&found, &found.causes.callees[4], "c4", 200, 500);
		causes_release(&found);
	}
}

void
suite_compare_causes_neighbours(void)
{
	static const struct unit_case cases[] = {
		{"callers_and_callees_are_parts_of_the_growth",
			callers_and_callees_are_parts_of_the_growth},
		{"a_recursive_function_is_no_neighbour_of_itself",
			a_recursive_function_is_no_neighbour_of_itself},
		{"a_process_and_a_mark_are_no_callers", a_process_and_a_mark_are_no_callers},
		{"parts_are_scaled_to_the_finding", parts_are_scaled_to_the_finding},
		{"small_growths_and_chance_are_left_out", small_growths_and_chance_are_left_out},
		{"new_neighbours_grew_from_nothing", new_neighbours_grew_from_nothing},
		{"only_the_first_few_are_kept", only_the_first_few_are_kept},
		{NULL, NULL},
	};

	unit_suite("compare/causes_neighbours", cases);
}
