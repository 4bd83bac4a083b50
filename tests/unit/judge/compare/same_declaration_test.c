#include "compare/same_declaration.h"

#include "unit.h"

#include <string.h>

void suite_compare_same_declaration(void);

static bool
same(const char *one, const char *other)
{
	struct profile profile;

	profile_init(&profile);
	const frame_id a = profile_frame_text(&profile, one, strlen(one));
	const frame_id b = profile_frame_text(&profile, other, strlen(other));
	const bool found = same_declaration(&profile, a, b);

	CU_ASSERT_EQUAL(same_declaration(&profile, b, a), found);
	profile_release(&profile);
	return found;
}

static void
type_arguments_make_no_difference(void)
{
	CU_ASSERT(same("scale<int>", "scale<std::vector<a, b> >"));
	CU_ASSERT(same("n::A<int>::f<b>(int)", "n::A<char>::f<c<d>>(int)"));
	CU_ASSERT(same("main.total[go.shape.int_0]", "main.total[go.shape.float64_0]"));
	CU_ASSERT(same("main.(*T[int]).f", "main.(*T[a/b.C]).f"));
	CU_ASSERT(same("step", "step_[i]"));
	CU_ASSERT(same("", ""));
}

static void
other_names_do(void)
{
	CU_ASSERT_FALSE(same("scale<int>", "shape<int>"));
	CU_ASSERT_FALSE(same("scale<int>(int)", "scale<int>(char)"));
	CU_ASSERT_FALSE(same("<A as T>::f", "<B as T>::f"));
	CU_ASSERT_FALSE(same("a::operator<", "a::operator<<"));
	CU_ASSERT_FALSE(same("operator<(int)", "operator>(int)"));
	CU_ASSERT_FALSE(same("f<int", "f<char"));
	CU_ASSERT_FALSE(same("f", "f_[k]"));
}

void
suite_compare_same_declaration(void)
{
	static const struct unit_case cases[] = {
		{"type_arguments_make_no_difference", type_arguments_make_no_difference},
		{"other_names_do", other_names_do},
		{NULL, NULL},
	};

	unit_suite("compare/same_declaration", cases);
}
