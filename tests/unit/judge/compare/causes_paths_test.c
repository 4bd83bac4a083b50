/* The stacks that carry a growth. */
#include "compare/causes_fixture.h"

void suite_compare_causes_paths(void);

static void
check_stack(
	struct causes_found *found, size_t index, const char *stack, double before, double after)
{
	CU_ASSERT_FATAL(index < found->causes.nstacks);
	CU_ASSERT_STRING_EQUAL(causes_stack(found, index), stack);
	UNIT_NEAR(found->causes.stacks[index].before_cost, before * CAUSES_COST, 1);
	UNIT_NEAR(found->causes.stacks[index].after_cost, after * CAUSES_COST, 1);
}

static const struct stack_case three_ways[] = {
	{"app;main;run;a;f", 1000, 1500},
	{"app;main;run;b;f", 500, 500},
	{"app;main;c;f", 200, 300},
	{"app;main;rest", 6000, 6000},
	{"app;main;other", 2300, 2300},
	{NULL, 0, 0},
};

static void
stacks_that_grew_come_most_growth_first(void)
{
	struct causes_found found;

	causes_in(&found, three_ways, "f");
	CU_ASSERT_EQUAL(found.causes.nstacks, 2);
	check_stack(&found, 0, "main;run;a;f", 1000, 1500);
	check_stack(&found, 1, "main;c;f", 200, 300);
	UNIT_NEAR(found.causes.growth, 600 * CAUSES_COST, 1);
	causes_release(&found);
}

/* By a twentieth of what the first one grew by, at least. */
static void
stacks_that_hardly_grew_are_left_out(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;run;a;f", 1000, 2000},
		{"app;main;run;b;f", 500, 551},
		{"app;main;c;f", 200, 249},
		{"app;main;rest", 8000, 8000},
		{NULL, 0, 0},
	};
	struct causes_found found;

	causes_in(&found, stacks, "f");
	CU_ASSERT_EQUAL(found.causes.nstacks, 2);
	check_stack(&found, 1, "main;run;b;f", 500, 551);
	causes_release(&found);
}

static void
recursion_stands_once_on_a_path(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;f;g;f", 500, 600},
		{"app;main;f;g;f;g;f", 500, 700},
		{"app;main;f;f;f", 100, 200},
		{"app;main;g;f;x;g;h;f", 300, 350},
		{"app;main;rest", 8600, 8600},
		{NULL, 0, 0},
	};
	struct causes_found found;

	causes_in(&found, stacks, "f");
	CU_ASSERT_EQUAL(found.causes.nstacks, 2);
	check_stack(&found, 0, "main;f", 1100, 1500);
	check_stack(&found, 1, "main;g;h;f", 300, 350);
	causes_release(&found);
}

/* The path back up is restored: what follows a detour in the walk is not off the way. */
static void
a_detour_leaves_the_paths_beside_it_alone(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;a;b;c;a;x;f", 100, 200},
		{"app;main;a;b;c;d;f", 100, 210},
		{"app;main;a;b;c;a;b;f", 100, 220},
		{"app;main;a;b;c;e;b;x;f", 100, 230},
		{"app;main;a;b;c;e;f", 100, 240},
		{"app;main;rest", 8600, 8600},
		{NULL, 0, 0},
	};

	/* Whichever of them the walk comes to first. */
	for (int backwards = 0; backwards < 2; backwards++) {
		const struct causes_case of = {.stacks = stacks, .backwards = backwards};
		struct causes_found found;

		causes_compare(&found, &of);
		causes_of(&found, "f");
		CU_ASSERT_EQUAL_FATAL(found.causes.nstacks, 5);
		check_stack(&found, 0, "main;a;b;c;e;f", 100, 240);
		check_stack(&found, 1, "main;a;b;x;f", 100, 230);
		check_stack(&found, 2, "main;a;b;f", 100, 220);
		check_stack(&found, 3, "main;a;b;c;d;f", 100, 210);
		check_stack(&found, 4, "main;a;x;f", 100, 200);
		causes_release(&found);
	}
}

static void
inlined_code_counts_for_its_function(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;f", 500, 500},
		{"app;main;f;x_[i]", 500, 600},
		{"app;main;f;x_[i];y_[i]", 100, 200},
		{"app;main;f;z", 900, 2000},
		{"app;main;rest", 8000, 8000},
		{NULL, 0, 0},
	};
	struct causes_found found;

	causes_in(&found, stacks, "f");
	CU_ASSERT_EQUAL(found.causes.nstacks, 1);
	check_stack(&found, 0, "main;f", 1100, 1300);
	causes_release(&found);
}

static void
a_caller_that_one_side_inlines_is_the_same_caller(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;a;f", 1000, 0},
		{"app;main;a_[i];f", 0, 1100},
		{"app;main;b;f", 500, 540},
		{"app;main;rest", 8500, 8500},
		{NULL, 0, 0},
	};
	struct causes_found found;

	causes_in(&found, stacks, "f");
	CU_ASSERT_EQUAL(found.causes.nstacks, 2);
	check_stack(&found, 0, "main;a;f", 1000, 1100);
	check_stack(&found, 1, "main;b;f", 500, 540);
	causes_release(&found);
}

static void
a_kernel_function_is_not_the_one_of_that_name(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;read;f", 1000, 1100},
		{"app;main;read_[k];f", 1000, 1200},
		{"app;main;rest", 8000, 8000},
		{NULL, 0, 0},
	};
	struct causes_found found;

	causes_in(&found, stacks, "f");
	CU_ASSERT_EQUAL(found.causes.nstacks, 2);
	check_stack(&found, 0, "main;read_[k];f", 1000, 1200);
	causes_release(&found);
}

/* Thirty stacks, some of which grew alike. */
static void
the_order_of_nodes_does_not_matter(void)
{
	struct stack_case stacks[32] = {{0}};
	char names[30][40];
	struct causes_found found[2];

	for (size_t i = 0; i < 30; i++) {
		snprintf(names[i], sizeof(names[i]), "app;main;c%zu;d%zu;f", i % 4, i % 7);
		stacks[i] = (struct stack_case){names[i], 100, 110 + (double)(i % 3)};
	}
	stacks[30] = (struct stack_case){"app;main;rest", 8000, 8000};
	for (size_t side = 0; side < 2; side++) {
		const struct causes_case of = {.stacks = stacks, .backwards = side == 1};

		causes_compare(&found[side], &of);
		causes_of(&found[side], "f");
		CU_ASSERT_EQUAL(found[side].causes.nstacks, CAUSES_STACKS);
	}
	for (size_t i = 0; i < CAUSES_STACKS; i++) {
		CU_ASSERT_STRING_EQUAL(causes_stack(&found[0], i), causes_stack(&found[1], i));
		CU_ASSERT_EQUAL(
			found[0].causes.stacks[i].after_cost, found[1].causes.stacks[i].after_cost);
	}
	CU_ASSERT_EQUAL(found[0].causes.growth, found[1].causes.growth);
	causes_release(&found[0]);
	causes_release(&found[1]);
}

static void
costs_before_are_at_the_speed_after(void)
{
	const struct causes_case of = {.stacks = three_ways, .speed = 1.5};
	struct causes_found found;

	causes_compare(&found, &of);
	causes_of(&found, "f");
	CU_ASSERT_EQUAL(found.causes.nstacks, 2);
	check_stack(&found, 0, "main;run;a;f", 1500, 2250);
	UNIT_NEAR(found.causes.growth, 900 * CAUSES_COST, 1);
	causes_release(&found);
}

/* What calls main is the same on every path; a program of another language may have no main. */
static void
paths_begin_at_main(void)
{
	static const struct stack_case some[] = {
		{"app;_start;__libc_start_main;main;run;f", 1000, 1500},
		{"app;start_thread;work;f", 1000, 1400},
		{"app;_start;main;main;f", 1000, 1300},
		{"app;f", 1000, 1200},
		{"app;main;rest", 6000, 6000},
		{NULL, 0, 0},
	};
	struct causes_found found;

	causes_in(&found, some, "f");
	CU_ASSERT_EQUAL(found.causes.nstacks, 4);
	check_stack(&found, 3, "f", 1000, 1200);
	check_stack(&found, 0, "main;run;f", 1000, 1500);
	check_stack(&found, 1, "start_thread;work;f", 1000, 1400);
	check_stack(&found, 2, "main;f", 1000, 1300);
	causes_release(&found);
}

static void
a_function_without_a_process_has_a_path(void)
{
	static const struct stack_case stacks[] = {
		{"f", 1000, 1500},
		{"rest", 9000, 9000},
		{NULL, 0, 0},
	};
	/* Whether it is the first in the tree or the last. */
	static const bool backwards[] = {false, true};

	for (size_t i = 0; i < 2; i++) {
		const struct causes_case of = {.stacks = stacks, .backwards = backwards[i]};
		struct causes_found found;

		causes_compare(&found, &of);
		causes_of(&found, "f");
		CU_ASSERT_EQUAL_FATAL(found.causes.nstacks, 1);
		check_stack(&found, 0, "f", 1000, 1500);
		causes_release(&found);
	}
}

/* Every function calls the next one, and each of them f: paths of all lengths. */
static void
deep_stacks_take_no_square_of_their_depth(void)
{
	static const size_t depth = 200000;
	struct buf deep = {0};
	struct buf recursive = {0};
	struct causes_found found;

	buf_puts(&deep, "app;main");
	buf_puts(&recursive, "app;main");
	for (size_t i = 0; i < depth; i++) {
		buf_printf(&deep, ";d%zu", i);
		buf_puts(&recursive, i % 2 ? ";f" : ";g");
	}
	buf_puts(&deep, ";f");
	const struct stack_case stacks[] = {
		{buf_text(&deep), 1000, 1500},
		{buf_text(&recursive), 1000, 1300},
		{"app;main;f", 1000, 1300},
		{"app;main;rest", 8000, 8000},
		{NULL, 0, 0},
	};

	causes_in(&found, stacks, "f");
	CU_ASSERT_EQUAL(found.causes.nstacks, 3);
	CU_ASSERT_EQUAL(found.causes.stacks[0].nframes, depth + 2);
	/* Among two that grew alike, the shorter one. */
	check_stack(&found, 1, "main;f", 1000, 1300);
	check_stack(&found, 2, "main;g;f", 1000, 1300);
	causes_release(&found);
	buf_release(&deep);
	buf_release(&recursive);
}

void
suite_compare_causes_paths(void)
{
	static const struct unit_case cases[] = {
		{"stacks_that_grew_come_most_growth_first",
			stacks_that_grew_come_most_growth_first},
		{"stacks_that_hardly_grew_are_left_out", stacks_that_hardly_grew_are_left_out},
		{"recursion_stands_once_on_a_path", recursion_stands_once_on_a_path},
		{"a_detour_leaves_the_paths_beside_it_alone",
			a_detour_leaves_the_paths_beside_it_alone},
		{"inlined_code_counts_for_its_function", inlined_code_counts_for_its_function},
		{"a_caller_that_one_side_inlines_is_the_same_caller",
			a_caller_that_one_side_inlines_is_the_same_caller},
		{"a_kernel_function_is_not_the_one_of_that_name",
			a_kernel_function_is_not_the_one_of_that_name},
		{"the_order_of_nodes_does_not_matter", the_order_of_nodes_does_not_matter},
		{"costs_before_are_at_the_speed_after", costs_before_are_at_the_speed_after},
		{"paths_begin_at_main", paths_begin_at_main},
		{"a_function_without_a_process_has_a_path",
			a_function_without_a_process_has_a_path},
		{"deep_stacks_take_no_square_of_their_depth",
			deep_stacks_take_no_square_of_their_depth},
		{NULL, NULL},
	};

	unit_suite("compare/causes_paths", cases);
}
