/* New functions that are old ones by another name. */
#include "compare/causes_fixture.h"

void suite_compare_causes_rename(void);

static void
check_renamed(const struct stack_case *stacks, const char *name, const char *former)
{
	for (int backwards = 0; backwards < 2; backwards++) {
		const struct causes_case of = {.stacks = stacks, .backwards = backwards};
		struct causes_found found;

		causes_compare(&found, &of);
		causes_of(&found, name);
		if (former) {
			CU_ASSERT_EQUAL(found.causes.moved, DOMAIN_NAMES);
			CU_ASSERT_STRING_EQUAL(
				found.causes.domain ? found.causes.domain : "", former);
			CU_ASSERT_STRING_EQUAL(causes_name(&found, found.causes.from), former);
			CU_ASSERT_TRUE(found.causes.from_gone);
		} else {
			CU_ASSERT_NOT_EQUAL(found.causes.moved, DOMAIN_NAMES);
		}
		causes_release(&found);
	}
}

static void
a_function_of_another_name_is_found(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;a;old", 1000, 0},
		{"app;main;a;fresh", 0, 1010},
		{"app;main;a;old;g", 500, 0},
		{"app;main;a;fresh;g", 0, 500},
		{"app;main;b;x", 1000, 1000},
		{"app;main;rest", 7500, 7500},
		{NULL, 0, 0},
	};

	check_renamed(stacks, "fresh", "old");
}

/* The function costs the same on a machine that is now half as fast again as it was. */
static void
a_renamed_function_is_found_whatever_the_speed(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;a;old", 1000, 0},
		{"app;main;a;fresh", 0, 1000},
		{"app;main;b;x", 1000, 1000},
		{"app;main;rest", 8000, 8000},
		{NULL, 0, 0},
	};
	static const double speeds[] = {1.5, 1 / 1.5};

	for (size_t i = 0; i < 2; i++) {
		const struct causes_case of = {.stacks = stacks, .speed = speeds[i]};
		struct causes_found found;

		causes_compare(&found, &of);
		causes_of(&found, "fresh");
		CU_ASSERT_EQUAL(found.causes.moved, DOMAIN_NAMES);
		causes_release(&found);
	}
}

/* Two have gone and two come; whom they call and who calls them tells which is which. */
static void
its_neighbours_tell_which_of_several(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;a;old1", 1000, 0},
		{"app;main;a;old1;g", 500, 0},
		{"app;main;b;old2", 1000, 0},
		{"app;main;b;old2;h", 500, 0},
		{"app;main;a;new1", 0, 1000},
		{"app;main;a;new1;g", 0, 500},
		{"app;main;b;new2", 0, 1000},
		{"app;main;b;new2;h", 0, 500},
		{"app;main;rest", 7000, 7000},
		{NULL, 0, 0},
	};

	check_renamed(stacks, "new1", "old1");
	check_renamed(stacks, "new2", "old2");
}

/* A whole module renamed: neighbours on both ends are new and gone as well. */
static void
its_neighbours_may_be_renamed_too(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;x_run;x_parse;x_lex", 900, 0},
		{"app;main;x_run;x_parse", 700, 0},
		{"app;main;x_run", 300, 0},
		{"app;main;y_run;y_parse;y_lex", 0, 900},
		{"app;main;y_run;y_parse", 0, 700},
		{"app;main;y_run", 0, 300},
		{"app;main;rest", 8100, 8100},
		{NULL, 0, 0},
	};

	check_renamed(stacks, "y_parse", "x_parse");
	check_renamed(stacks, "y_lex", "x_lex");
	check_renamed(stacks, "y_run", "x_run");
}

static void
a_recursive_function_is_found(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;a;old;old", 600, 0},
		{"app;main;a;old;old;old", 400, 0},
		{"app;main;a;fresh;fresh", 0, 500},
		{"app;main;a;fresh;fresh;fresh", 0, 500},
		{"app;main;rest", 9000, 9000},
		{NULL, 0, 0},
	};

	check_renamed(stacks, "fresh", "old");
}

static void
a_function_with_other_callers_is_another(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;a;old", 1000, 0},
		{"app;main;a;k", 1000, 1000},
		{"app;main;b;fresh", 0, 1000},
		{"app;main;b;k", 1000, 1000},
		{"app;main;rest", 7000, 7000},
		{NULL, 0, 0},
	};

	check_renamed(stacks, "fresh", NULL);
}

static void
a_function_with_other_callees_is_another(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;a;old", 200, 0},
		{"app;main;a;old;g", 1000, 0},
		{"app;main;a;fresh", 0, 200},
		{"app;main;a;fresh;h", 0, 1000},
		{"app;main;a;g", 1000, 1000},
		{"app;main;a;h", 1000, 1000},
		{"app;main;rest", 6800, 6800},
		{NULL, 0, 0},
	};

	check_renamed(stacks, "fresh", NULL);
}

static void
a_function_of_another_cost_is_another(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;a;old", 400, 0},
		{"app;main;a;fresh", 0, 1000},
		{"app;main;rest", 9000, 9000},
		{NULL, 0, 0},
	};
	static const struct stack_case less[] = {
		{"app;main;a;old", 2500, 0},
		{"app;main;a;fresh", 0, 1000},
		{"app;main;rest", 9000, 9000},
		{NULL, 0, 0},
	};

	check_renamed(stacks, "fresh", NULL);
	check_renamed(less, "fresh", NULL);
}

/* Renamed, and half slower: that it was renamed does not hide it. */
static void
a_renamed_function_that_grew_shows_it(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;a;old", 1000, 0},
		{"app;main;a;fresh", 0, 1500},
		{"app;main;rest", 9000, 9000},
		{NULL, 0, 0},
	};
	struct causes_found found;

	causes_in(&found, stacks, "fresh");
	CU_ASSERT_EQUAL(found.causes.moved, DOMAIN_NAMES);
	UNIT_NEAR(found.causes.domain_effect.change, 0.5, 1e-9);
	CU_ASSERT(found.causes.domain_effect.p < 1e-6);
	CU_ASSERT(found.causes.domain_most > 500 * CAUSES_COST);
	causes_release(&found);
}

static void
a_function_that_was_there_before_was_not_renamed(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;a;old", 1000, 0},
		{"app;main;a;f", 1000, 2000},
		{"app;main;rest", 8000, 8000},
		{NULL, 0, 0},
	};

	check_renamed(stacks, "f", NULL);
}

/* Its stacks have no process before it: it is the first name that there is. */
static void
the_first_function_of_a_profile_may_be_renamed(void)
{
	static const struct stack_case stacks[] = {
		{"old", 1000, 0},
		{"old;g", 500, 0},
		{"fresh", 0, 1000},
		{"fresh;g", 0, 500},
		{"rest", 8000, 8000},
		{NULL, 0, 0},
	};

	check_renamed(stacks, "fresh", "old");
}

void
suite_compare_causes_rename(void)
{
	static const struct unit_case cases[] = {
		{"a_function_of_another_name_is_found", a_function_of_another_name_is_found},
		{"a_renamed_function_is_found_whatever_the_speed",
			a_renamed_function_is_found_whatever_the_speed},
		{"its_neighbours_tell_which_of_several", its_neighbours_tell_which_of_several},
		{"its_neighbours_may_be_renamed_too", its_neighbours_may_be_renamed_too},
		{"a_recursive_function_is_found", a_recursive_function_is_found},
		{"a_function_with_other_callers_is_another",
			a_function_with_other_callers_is_another},
		{"a_function_with_other_callees_is_another",
			a_function_with_other_callees_is_another},
		{"a_function_of_another_cost_is_another", a_function_of_another_cost_is_another},
		{"a_renamed_function_that_grew_shows_it", a_renamed_function_that_grew_shows_it},
		{"a_function_that_was_there_before_was_not_renamed",
			a_function_that_was_there_before_was_not_renamed},
		{"the_first_function_of_a_profile_may_be_renamed",
			the_first_function_of_a_profile_may_be_renamed},
		{NULL, NULL},
	};

	unit_suite("compare/causes_rename", cases);
}
