/* Whether a cost only moved, and within what. */
#include "compare/causes_fixture.h"

void suite_compare_causes_moved(void);

static void
check_moved(const struct causes_found *found, enum cause_domain domain, const char *name)
{
	CU_ASSERT_EQUAL(found->causes.moved, domain);
	UNIT_NEED(found->causes.domain);
	CU_ASSERT_STRING_EQUAL(found->causes.domain, name);
	CU_ASSERT_TRUE(found->causes.domain_effect.tested);
}

static void
check_from(const struct causes_found *found, const char *name, bool gone)
{
	CU_ASSERT_STRING_EQUAL(causes_name(found, found->causes.from), name);
	CU_ASSERT_EQUAL(found->causes.from_gone, gone);
}

static void
check_stayed(const struct stack_case *stacks, const char *name)
{
	struct causes_found found;

	causes_in(&found, stacks, name);
	CU_ASSERT_EQUAL(found.causes.moved, DOMAIN_NONE);
	CU_ASSERT_PTR_NULL(found.causes.domain);
	CU_ASSERT_EQUAL(found.causes.from, 0);
	causes_release(&found);
}

static void
a_callee_was_inlined(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;run;f", 1000, 1800},
		{"app;main;run;f;g", 800, 0},
		{"app;main;run", 500, 500},
		{"app;main;rest", 4000, 4000},
		{"app;main;other", 3700, 3700},
		{NULL, 0, 0},
	};
	struct causes_found found;

	causes_in(&found, stacks, "f");
	check_moved(&found, DOMAIN_CALLEES, "f");
	check_from(&found, "g", true);
	UNIT_NEAR(found.causes.domain_effect.change, 0, 1e-9);
	causes_release(&found);
}

/*
 * What was inlined has its own frame, with a total and no self cost. It is compared as inlined
 * on both sides only where the same function calls it.
 */
static void
inlined_frames_are_the_function_all_the_same(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;run;f_[i]", 900, 0},
		{"app;main;run;step;f", 0, 900},
		{"app;main;run", 500, 500},
		{"app;main;rest", 4000, 4000},
		{"app;main;other", 4600, 4600},
		{NULL, 0, 0},
	};
	struct causes_found found;

	causes_in(&found, stacks, "f");
	CU_ASSERT_TRUE(comparison_is_new(
		&found.comparison, &found.comparison.self[causes_frame(&found.comparison, "f")]));
	check_moved(&found, DOMAIN_CALLEES, "f");
	check_from(&found, "run", false);
	causes_release(&found);
}

static void
a_part_was_split_off(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;run;f", 1500, 700},
		{"app;main;run;f;part", 0, 800},
		{"app;main;run;h", 300, 300},
		{"app;main;rest", 8200, 8200},
		{NULL, 0, 0},
	};
	struct causes_found found;

	causes_in(&found, stacks, "part");
	check_moved(&found, DOMAIN_CALLER, "f");
	check_from(&found, "f", false);
	UNIT_NEAR(found.causes.growth, 800 * CAUSES_COST, 1);
	causes_release(&found);
}

static void
work_went_from_one_callee_to_another(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;run;step;f", 500, 900},
		{"app;main;run;step;g;h", 1000, 600},
		{"app;main;run;k", 2000, 2000},
		{"app;main;rest", 6500, 6500},
		{NULL, 0, 0},
	};
	struct causes_found found;

	causes_in(&found, stacks, "f");
	check_moved(&found, DOMAIN_CALLER, "step");
	check_from(&found, "h", false);
	causes_release(&found);
}

/* Of many common callers the cheapest are tried, whatever their names. */
static void
the_nearest_of_many_callers_is_tried(void)
{
	static const struct stack_case stacks[] = {
		{"app;b1;b2;b3;b4;b5;b6;b7;b8;b9;step;f", 500, 900},
		{"app;b1;b2;b3;b4;b5;b6;b7;b8;b9;step;g;h", 1000, 600},
		{"app;b1;b2;b3;b4;b5;b6;b7;b8;b9;k", 100, 100},
		{"app;b1;b2;b3;b4;b5;b6;b7;b8;k", 100, 100},
		{"app;b1;b2;b3;b4;b5;b6;b7;k", 100, 100},
		{"app;b1;b2;b3;b4;b5;b6;k", 100, 100},
		{"app;b1;b2;b3;b4;b5;k", 100, 100},
		{"app;b1;b2;b3;b4;k", 100, 100},
		{"app;b1;b2;b3;k", 100, 100},
		{"app;b1;b2;k", 100, 100},
		{"app;b1;k", 6500, 6500},
		{NULL, 0, 0},
	};
	struct causes_found found;

	causes_in(&found, stacks, "f");
	check_moved(&found, DOMAIN_CALLER, "step");
	causes_release(&found);
}

/* It is called from two places; the nearest caller that both have in common is run. */
static void
the_caller_is_common_to_its_stacks(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;run;a;f", 500, 700},
		{"app;main;run;b;f", 500, 700},
		{"app;main;run;c;g", 1000, 600},
		{"app;main;rest", 8000, 8000},
		{NULL, 0, 0},
	};
	struct causes_found found;

	causes_in(&found, stacks, "f");
	check_moved(&found, DOMAIN_CALLER, "run");
	causes_release(&found);
}

/* Most of f's samples are below a, which costs no more; b's f is what grew. */
static void
a_growth_beside_the_caller_is_in_its_domain(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;a;f", 900, 900},
		{"app;main;b;f", 100, 500},
		{"app;main;rest", 9000, 9000},
		{NULL, 0, 0},
	};

	check_stayed(stacks, "f");
}

static void
methods_of_a_class_share_their_cost(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;a;n::Parser<int>::f(int)", 500, 900},
		{"app;main;b;n::Parser<int>::g()", 900, 500},
		{"app;main;b;n::Lexer::g()", 900, 900},
		{"app;main;rest", 7700, 7700},
		{NULL, 0, 0},
	};
	struct causes_found found;

	causes_in(&found, stacks, "n::Parser<int>::f(int)");
	check_moved(&found, DOMAIN_CLASS, "n::Parser");
	check_from(&found, "n::Parser<int>::g()", false);
	causes_release(&found);
}

static void
set_file(struct causes_found *found, const char *name, const char *file)
{
	struct profile *profile = &found->comparison.profile;

	profile->frames.frames[causes_frame(&found->comparison, name)].file =
		strtab_intern_str(&profile->strings, file);
}

static void
functions_of_a_file_share_their_cost(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;a;f", 500, 900},
		{"app;main;b;g", 900, 500},
		{"app;main;c;h", 2000, 2000},
		{"app;main;rest", 6600, 6600},
		{NULL, 0, 0},
	};
	const struct causes_case of = {.stacks = stacks};
	struct causes_found found;

	causes_compare(&found, &of);
	causes_of(&found, "f");
	CU_ASSERT_EQUAL(found.causes.moved, DOMAIN_NONE);
	/* Not where f and g have none. */
	set_file(&found, "h", "src/y.c");
	set_file(&found, "rest", "src/y.c");
	causes_of(&found, "f");
	CU_ASSERT_EQUAL(found.causes.moved, DOMAIN_NONE);
	set_file(&found, "f", "src/x.c");
	set_file(&found, "g", "src/x.c");
	causes_of(&found, "f");
	check_moved(&found, DOMAIN_FILE, "src/x.c");
	check_from(&found, "g", false);
	causes_release(&found);
}

/* Callees, caller and class all hold; what f calls is the least of them. */
static void
the_smallest_domain_is_told(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;run;C::f", 1000, 1400},
		{"app;main;run;C::f;g", 400, 0},
		{"app;main;run;C::h", 1000, 1000},
		{"app;main;rest", 7600, 7600},
		{NULL, 0, 0},
	};
	struct causes_found found;

	causes_in(&found, stacks, "C::f");
	check_moved(&found, DOMAIN_CALLEES, "C::f");
	causes_release(&found);
}

static void
a_real_growth_did_not_move(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;run;C::f", 1000, 1400},
		{"app;main;run;C::f;g", 400, 400},
		{"app;main;run;C::h", 1000, 1000},
		{"app;main;rest", 7600, 7600},
		{NULL, 0, 0},
	};

	check_stayed(stacks, "C::f");
}

/* The move explains a third of it. */
static void
a_move_that_explains_less_than_half_is_none(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;run;f", 1000, 1600},
		{"app;main;run;f;g", 400, 200},
		{"app;main;rest", 8600, 8600},
		{NULL, 0, 0},
	};

	check_stayed(stacks, "f");
}

/* Everything under main costs the same, but main is the whole program. */
static void
the_whole_program_is_no_domain(void)
{
	static const struct stack_case stacks[] = {
		{"app;_start;main;f", 1000, 1400},
		{"app;_start;main;g", 2000, 1600},
		{"app;_start;main;h", 7000, 7000},
		{NULL, 0, 0},
	};
	static const struct stack_case worker[] = {
		{"app;start_thread;work;f", 1000, 1400},
		{"app;start_thread;work;g", 2000, 1600},
		{"app;start_thread;work;h", 6500, 6500},
		{"app;main", 500, 500},
		{NULL, 0, 0},
	};
	/* Nor is main where threads beside it take more than a tenth. */
	static const struct stack_case beside[] = {
		{"app;_start;main;f", 1000, 1400},
		{"app;_start;main;g", 2000, 1600},
		{"app;start_thread;work;h", 7000, 7000},
		{NULL, 0, 0},
	};

	check_stayed(stacks, "f");
	check_stayed(worker, "f");
	check_stayed(beside, "f");
}

static void
one_giant_function_has_nowhere_to_come_from(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;f", 9500, 12000},
		{"app;main;g", 500, 300},
		{NULL, 0, 0},
	};
	static const struct stack_case alone[] = {
		{"app;f", 9500, 12000},
		{NULL, 0, 0},
	};

	check_stayed(stacks, "f");
	check_stayed(alone, "f");
}

/* The same growth; in the wide domain noise would hide it. */
static void
cost_that_noise_would_hide_has_not_moved(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;run;f", 100, 130},
		{"app;main;run;g", 6000, 5970},
		{"app;main;rest", 3900, 3900},
		{NULL, 0, 0},
	};

	check_stayed(stacks, "f");
}

/* The machine costs two thirds of what it did: nothing came cheaper by that. */
static void
a_faster_machine_moves_nothing(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;run;f", 1000, 1400},
		{"app;main;run;g", 7500, 7500},
		{"app;main;rest", 1500, 1500},
		{NULL, 0, 0},
	};
	const struct causes_case of = {.stacks = stacks, .speed = 0.66};
	struct causes_found found;

	causes_compare(&found, &of);
	causes_of(&found, "f");
	CU_ASSERT_EQUAL(found.causes.moved, DOMAIN_NONE);
	causes_release(&found);
}

static void
a_function_that_shrank_got_no_cost_from_elsewhere(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;run;f", 1400, 1000},
		{"app;main;run;g", 1000, 1400},
		{"app;main;rest", 7600, 7600},
		{NULL, 0, 0},
	};

	check_stayed(stacks, "f");
}

/* Several things moved: what came and went beside it is neither yardstick nor origin. */
static void
moves_beside_one_another_are_told_apart(void)
{
	static const struct stack_case stacks[] = {
		{"app;main;run;parse", 1000, 1900},
		{"app;main;run;parse;lex", 900, 0},
		{"app;main;run;old_name", 600, 0},
		{"app;main;run;new_name", 0, 610},
		{"app;main;run;build", 1500, 700},
		{"app;main;run;build;build_tail", 0, 800},
		{"app;main;print", 2500, 3200},
		{"app;main;read", 2800, 2800},
		{NULL, 0, 0},
	};
	struct causes_found found;

	causes_in(&found, stacks, "parse");
	check_moved(&found, DOMAIN_CALLEES, "parse");
	check_from(&found, "lex", true);
	UNIT_NEAR(found.causes.domain_effect.change, 0, 1e-9);
	causes_of(&found, "build_tail");
	check_moved(&found, DOMAIN_CALLER, "build");
	check_from(&found, "build", false);
	causes_of(&found, "new_name");
	check_moved(&found, DOMAIN_NAMES, "old_name");
	causes_of(&found, "print");
	CU_ASSERT_EQUAL(found.causes.moved, DOMAIN_NONE);
	causes_release(&found);
}

/* Both by hundred draws: growth of 30 % that is real, and as much that moved. */
static void
by_samples_a_real_growth_hardly_ever_moves_and_a_moved_one_mostly(void)
{
	static const struct stack_case real[] = {
		{"app;main;run;f", 1000, 1300},
		{"app;main;run;g", 2000, 2000},
		{"app;main;run;h", 500, 500},
		{"app;main;rest", 6500, 6500},
		{NULL, 0, 0},
	};
	static const struct stack_case moved[] = {
		{"app;main;run;f", 1000, 1300},
		{"app;main;run;g", 2000, 1700},
		{"app;main;run;h", 500, 500},
		{"app;main;rest", 6500, 6500},
		{NULL, 0, 0},
	};
	struct rng rng = {.state = 7};
	unsigned wrong = 0;
	unsigned right = 0;

	for (int i = 0; i < 100; i++) {
		const struct causes_case of[] = {
			{.stacks = real, .rng = &rng}, {.stacks = moved, .rng = &rng}};
		struct causes_found found;

		causes_compare(&found, &of[0]);
		wrong += causes_of(&found, "f")->moved != DOMAIN_NONE;
		causes_release(&found);
		causes_compare(&found, &of[1]);
		right += causes_of(&found, "f")->moved == DOMAIN_CALLER;
		causes_release(&found);
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT(right >= 95);
}

void
suite_compare_causes_moved(void)
{
	static const struct unit_case cases[] = {
		{"a_callee_was_inlined", a_callee_was_inlined},
		{"inlined_frames_are_the_function_all_the_same",
			inlined_frames_are_the_function_all_the_same},
		{"a_part_was_split_off", a_part_was_split_off},
		{"work_went_from_one_callee_to_another", work_went_from_one_callee_to_another},
		{"the_nearest_of_many_callers_is_tried", the_nearest_of_many_callers_is_tried},
		{"the_caller_is_common_to_its_stacks", the_caller_is_common_to_its_stacks},
		{"a_growth_beside_the_caller_is_in_its_domain",
			a_growth_beside_the_caller_is_in_its_domain},
		{"methods_of_a_class_share_their_cost", methods_of_a_class_share_their_cost},
		{"functions_of_a_file_share_their_cost", functions_of_a_file_share_their_cost},
		{"the_smallest_domain_is_told", the_smallest_domain_is_told},
		{"a_real_growth_did_not_move", a_real_growth_did_not_move},
		{"a_move_that_explains_less_than_half_is_none",
			a_move_that_explains_less_than_half_is_none},
		{"the_whole_program_is_no_domain", the_whole_program_is_no_domain},
		{"one_giant_function_has_nowhere_to_come_from",
			one_giant_function_has_nowhere_to_come_from},
		{"cost_that_noise_would_hide_has_not_moved",
			cost_that_noise_would_hide_has_not_moved},
		{"a_faster_machine_moves_nothing", a_faster_machine_moves_nothing},
		{"a_function_that_shrank_got_no_cost_from_elsewhere",
			a_function_that_shrank_got_no_cost_from_elsewhere},
		{"moves_beside_one_another_are_told_apart",
			moves_beside_one_another_are_told_apart},
		{"by_samples_a_real_growth_hardly_ever_moves_and_a_moved_one_mostly",
			by_samples_a_real_growth_hardly_ever_moves_and_a_moved_one_mostly},
		{NULL, NULL},
	};

	unit_suite("compare/causes_moved", cases);
}
