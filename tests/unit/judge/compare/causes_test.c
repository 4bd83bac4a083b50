#include "compare/causes.h"

#include "base/mem.h"
#include "compare/causes_fixture.h"

void suite_compare_causes(void);

static const struct stack_case stacks[] = {
	{"app;main;run;f;leaf", 500, 500},
	{"app;main;run;f;sys_[k]", 100, 100},
	{"app;main;run;f;x_[i]", 400, 500},
	{"app;main;run;f", 600, 800},
	{"app;main;rest", 8000, 8000},
	{"app;main;old;f", 400, 0},
	{NULL, 0, 0},
};

/* What causes_find() says where all code is the same but that of `name`. */
static void
check_code(const char *name, enum code_state state, enum code_state own, bool unreachable)
{
	const struct causes_case of = {.stacks = stacks};
	struct causes_found found;

	causes_compare(&found, &of);
	struct code_states code = {
		.by_frame = mem_zalloc(found.comparison.nframes, sizeof(*code.by_frame)),
		.nframes = found.comparison.nframes,
	};

	for (size_t i = 1; i < code.nframes; i++) {
		enum frame_kind kind = found.comparison.profile.frames.frames[i].kind;

		code.by_frame[i] = kind == FRAME_USER ? CODE_SAME : CODE_UNKNOWN;
	}
	code.by_frame[causes_frame(&found.comparison, "app")] = CODE_UNKNOWN;
	if (name)
		code.by_frame[causes_frame(&found.comparison, name)] = state;
	causes_look(&found, causes_frame(&found.comparison, "f"), &code);
	CU_ASSERT_EQUAL(found.causes.code, own);
	CU_ASSERT_EQUAL(found.causes.unreachable, unreachable);
	const bool calls = name && (strcmp(name, "main") == 0 || strcmp(name, "run") == 0) &&
			   (state == CODE_CHANGED || state == CODE_NEW);

	CU_ASSERT_EQUAL(
		found.causes.changed_caller, calls ? causes_frame(&found.comparison, name) : 0);
	free(code.by_frame);
	causes_release(&found);
}

static void
nothing_is_known_of_code_that_was_not_read(void)
{
	struct causes_found found;

	causes_in(&found, stacks, "f");
	CU_ASSERT_EQUAL(found.causes.code, CODE_UNKNOWN);
	CU_ASSERT_FALSE(found.causes.unreachable);
	causes_release(&found);
}

static void
no_change_can_reach_it_where_all_its_stacks_are_the_same(void)
{
	check_code(NULL, CODE_SAME, CODE_SAME, true);
	check_code("rest", CODE_CHANGED, CODE_SAME, true);
	check_code("rest", CODE_UNKNOWN, CODE_SAME, true);
}

static void
a_change_on_any_of_its_stacks_reaches_it(void)
{
	check_code("f", CODE_CHANGED, CODE_CHANGED, false);
	check_code("main", CODE_CHANGED, CODE_SAME, false);
	check_code("run", CODE_NEW, CODE_SAME, false);
	check_code("leaf", CODE_CHANGED, CODE_SAME, false);
	check_code("old", CODE_GONE, CODE_SAME, false);
}

static void
unknown_code_may_reach_it(void)
{
	check_code("run", CODE_UNKNOWN, CODE_SAME, false);
	check_code("f", CODE_UNKNOWN, CODE_UNKNOWN, false);
}

/* Whichever of them is the first in the tree. */
static void
a_function_without_a_process_is_reached_by_its_own_code_alone(void)
{
	static const struct stack_case flat[] = {
		{"f", 1000, 1500}, {"g", 1000, 1400}, {"h", 1000, 1300}, {NULL, 0, 0}};
	static const char *const names[] = {"f", "g", "h"};

	for (size_t i = 0; i < 3; i++) {
		const struct causes_case of = {.stacks = flat};
		struct causes_found found;

		causes_compare(&found, &of);
		frame_id frame = causes_frame(&found.comparison, names[i]);
		struct code_states code = {
			.by_frame = mem_zalloc(found.comparison.nframes, sizeof(*code.by_frame)),
			.nframes = found.comparison.nframes,
		};

		code.by_frame[frame] = CODE_SAME;
		causes_look(&found, frame, &code);
		CU_ASSERT_TRUE(found.causes.unreachable);
		code.by_frame[frame] = CODE_CHANGED;
		causes_look(&found, frame, &code);
		CU_ASSERT_FALSE(found.causes.unreachable);
		free(code.by_frame);
		causes_release(&found);
	}
}

/* Those with a ratio by it, those without by their cost. */
static void
growth_is_held_against_what_the_function_was(void)
{
	static const struct stack_case some[] = {
		{"app;main;f", 1000, 1500},
		{"app;main;fresh", 0, 500},
		{"app;main;rest", 8500, 8500},
		{NULL, 0, 0},
	};
	static const enum comparison_mode modes[] = {COMPARISON_STORED, COMPARISON_PAIRED};

	for (size_t i = 0; i < 2; i++) {
		const struct causes_case of = {.stacks = some, .mode = modes[i]};
		struct causes_found found;

		causes_compare(&found, &of);
		UNIT_NEAR(causes_of(&found, "f")->growth, 500 * CAUSES_COST, 1);
		UNIT_NEAR(causes_of(&found, "fresh")->growth, 500 * CAUSES_COST, 1);
		CU_ASSERT_EQUAL(found.causes.nstacks, 1);
		CU_ASSERT_EQUAL(found.causes.stacks[0].before_cost, 0);
		causes_release(&found);
	}
}

/* Names are bytes: a terminal's, a shell's and a page's own signs, and none at all. */
static void
hostile_names_are_names(void)
{
	static const struct stack_case hostile[] = {
		{"a\x01pp;<script>::x;\033[31m::f(", 1000, 1500},
		{"a\x01pp;<script>::x;\033[31m::g<", 800, 300},
		{"a\x01pp;\xff\xfe;_[i]", 200, 200},
		{"a\x01pp;%s%n", 8000, 8000},
		{NULL, 0, 0},
	};
	struct causes_found found;

	causes_in(&found, hostile, "\033[31m::f(");
	CU_ASSERT_EQUAL(found.causes.nstacks, 1);
	CU_ASSERT_EQUAL(found.causes.moved, DOMAIN_CALLER);

	/* As the folded format has them: without control characters. */
	CU_ASSERT_STRING_EQUAL(causes_stack(&found, 0), "<script>::x;?[31m::f(");
	causes_release(&found);
}

static void
empty_sides_have_no_causes(void)
{
	static const struct stack_case sides[][2] = {
		{{"app;main;f", 0, 1000}, {NULL, 0, 0}},
		{{"app;main;f", 1000, 0}, {NULL, 0, 0}},
	};

	for (size_t i = 0; i < 2; i++) {
		struct causes_found found;

		causes_in(&found, sides[i], "f");
		CU_ASSERT_EQUAL(found.causes.moved, DOMAIN_NONE);
		causes_release(&found);
	}
}

/* 10 000 functions, each called from four places and each with its own class. */
static void
ten_thousand_functions_are_few(void)
{
	static const size_t count = 40000;
	struct stack_case *many = mem_zalloc(count + 3, sizeof(*many));
	struct buf names = {0};
	struct causes_found found;
	size_t *starts = mem_zalloc(count, sizeof(*starts));

	for (size_t i = 0; i < count; i++) {
		starts[i] = names.len;
		buf_printf(&names, "app;main;a%zu;C%zu::f;b%zu::g;C%zu::h", i % 7, i % 9973,
			i % 101, i % 10000);
		buf_putc(&names, '\0');
	}
	for (size_t i = 0; i < count; i++)
		many[i] = (struct stack_case){buf_text(&names) + starts[i], 10, i % 3 ? 10 : 0};
	many[count] = (struct stack_case){"app;main;f", 10000, 15000};
	many[count + 1] = (struct stack_case){"app;main;rest", 100000, 100000};
	causes_in(&found, many, "f");
	CU_ASSERT_EQUAL(found.causes.nstacks, 1);
	causes_release(&found);
	buf_release(&names);
	free(starts);
	free(many);
}

void
suite_compare_causes(void)
{
	static const struct unit_case cases[] = {
		{"nothing_is_known_of_code_that_was_not_read",
			nothing_is_known_of_code_that_was_not_read},
		{"no_change_can_reach_it_where_all_its_stacks_are_the_same",
			no_change_can_reach_it_where_all_its_stacks_are_the_same},
		{"a_change_on_any_of_its_stacks_reaches_it",
			a_change_on_any_of_its_stacks_reaches_it},
		{"a_function_without_a_process_is_reached_by_its_own_code_alone",
			a_function_without_a_process_is_reached_by_its_own_code_alone},
		{"unknown_code_may_reach_it", unknown_code_may_reach_it},
		{"growth_is_held_against_what_the_function_was",
			growth_is_held_against_what_the_function_was},
		{"hostile_names_are_names", hostile_names_are_names},
		{"empty_sides_have_no_causes", empty_sides_have_no_causes},
		{"ten_thousand_functions_are_few", ten_thousand_functions_are_few},
		{NULL, NULL},
	};

	unit_suite("compare/causes", cases);
}
