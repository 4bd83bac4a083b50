#include "ingest/callgrind_internal.h"

#include "base/buf.h"
#include "base/mem.h"
#include "unit.h"

void suite_ingest_callgrind_names(void);

static bool
take(struct callgrind_names *names, enum callgrind_name_kind kind, const char *text, str_id *id)
{
	return callgrind_names_take(names, kind, (struct line){text, strlen(text)}, id);
}

/* The stack of the last of the functions, innermost first, joined by '|'. */
static void
expect_stack(const char *const *functions, const char *expected)
{
	struct callgrind_names names;
	struct callgrind_stack stack = {0};
	struct buf text = {0};
	str_id ids[8];
	size_t count = 0;
	bool is_leaf[64] = {false};

	callgrind_names_init(&names);
	for (; functions[count]; count++)
		CU_ASSERT_TRUE(take(&names, CALLGRIND_FUNCTION, functions[count], &ids[count]));
	for (size_t i = 0; i < count; i++)
		is_leaf[callgrind_names_leaf(&names, ids[i])] = true;
	callgrind_names_stack(&names, ids[count - 1], is_leaf, names.texts.nentries, &stack);
	for (size_t i = 0; i < stack.nframes; i++)
		buf_printf(
			&text, "%s%s", i > 0 ? "|" : "", strtab_str(&names.texts, stack.frames[i]));
	UNIT_STR_EQ(buf_text(&text), expected);
	buf_release(&text);
	callgrind_stack_release(&stack);
	callgrind_names_release(&names);
}

#define STACK(expected, ...) expect_stack((const char *const[]){__VA_ARGS__, NULL}, expected)

static void
a_number_stands_for_the_name_given_to_it(void)
{
	struct callgrind_names names;
	str_id first, second, other;

	callgrind_names_init(&names);
	CU_ASSERT_TRUE(take(&names, CALLGRIND_FUNCTION, "(1) main", &first));
	CU_ASSERT_TRUE(take(&names, CALLGRIND_FUNCTION, "(1)", &second));
	CU_ASSERT_EQUAL(first, second);
	CU_ASSERT_TRUE(take(&names, CALLGRIND_FUNCTION, "main", &second));
	CU_ASSERT_EQUAL(first, second);
	CU_ASSERT_TRUE(take(&names, CALLGRIND_SOURCE, "(1) main.c", &other));
	CU_ASSERT_NOT_EQUAL(first, other);
	CU_ASSERT_FALSE(take(&names, CALLGRIND_OBJECT, "(1)", &other));
	CU_ASSERT_FALSE(take(&names, CALLGRIND_FUNCTION, "(2)", &other));
	callgrind_names_release(&names);
}

static void
callers_are_split_off(void)
{
	STACK("f", "f");
	STACK("f|g|main", "main", "g'main", "f'g'main");
	STACK("f|g|main", "(1) main", "(2) g", "(3) f", "(4) (3)'(2)'(1)");
}

static void
levels_of_recursion_are_no_frames(void)
{
	STACK("f", "f'2");
	STACK("f|g|main", "main", "g'main", "f'2'g'main");
	STACK("f|g|main", "(1) main", "(2) g", "(3) f", "(4) (3)'12'(2)'(1)");
}

static void
apostrophes_inside_brackets_split_nothing(void)
{
	STACK("ns::f<'a'>(char)|main", "main", "ns::f<'a'>(char)'main");
	STACK("<&'a T>::get|main", "main", "<&'a T>::get'main");
	STACK("operator<|main", "main", "operator<'main");
	STACK("S::operator->()|main", "main", "S::operator->()'main");
	STACK("S::operator()(int)|main", "main", "S::operator()(int)'main");
	STACK("(below main)|(anonymous namespace)::f", "(anonymous namespace)::f",
		"(below main)'(anonymous namespace)::f");
}

static void
what_is_no_function_is_part_of_the_name(void)
{
	STACK("camlStdlib__map'_12", "main", "camlStdlib__map'_12");
	STACK("prime'", "prime'");
	STACK("'a", "'a");
}

static void
a_stack_is_cut_at_its_bound(void)
{
	struct callgrind_names names;
	struct callgrind_stack stack = {0};
	struct buf text = {0};
	str_id id;
	bool is_leaf[16] = {false};

	for (size_t i = 0; i < (size_t)2 * CALLGRIND_FRAMES_MAX; i++)
		buf_puts(&text, i > 0 ? "'f" : "f");
	callgrind_names_init(&names);
	CU_ASSERT_TRUE(take(&names, CALLGRIND_FUNCTION, buf_text(&text), &id));
	is_leaf[callgrind_names_leaf(&names, id)] = true;
	callgrind_names_stack(&names, id, is_leaf, names.texts.nentries, &stack);
	CU_ASSERT_EQUAL(stack.nframes, CALLGRIND_FRAMES_MAX);
	callgrind_stack_release(&stack);
	callgrind_names_release(&names);
	buf_release(&text);
}

static const struct unit_case cases[] = {
	{"a_number_stands_for_the_name_given_to_it", a_number_stands_for_the_name_given_to_it},
	{"callers_are_split_off", callers_are_split_off},
	{"levels_of_recursion_are_no_frames", levels_of_recursion_are_no_frames},
	{"apostrophes_inside_brackets_split_nothing", apostrophes_inside_brackets_split_nothing},
	{"what_is_no_function_is_part_of_the_name", what_is_no_function_is_part_of_the_name},
	{"a_stack_is_cut_at_its_bound", a_stack_is_cut_at_its_bound},
	{NULL, NULL},
};

void
suite_ingest_callgrind_names(void)
{
	unit_suite("ingest/callgrind_names", cases);
}
