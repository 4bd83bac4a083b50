#include "compare/class_name.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

void suite_compare_class_name(void);

struct name_case {
	const char *name;
	const char *expected; /* NULL: none */
};

static void
check(const struct name_case *cases)
{
	struct buf out = {0};

	for (; cases->name; cases++) {
		bool found = class_name(cases->name, strlen(cases->name), &out);

		CU_ASSERT_EQUAL(found, cases->expected != NULL);
		if (found && cases->expected)
			CU_ASSERT_STRING_EQUAL(buf_text(&out), cases->expected);
	}
	buf_release(&out);
}

static void
functions_of_c_have_none(void)
{
	static const struct name_case cases[] = {
		{"parse_value", NULL},
		{"", NULL},
		{"[unknown]", NULL},
		{"[libc.so.6]", NULL},
		{"do_syscall_64", NULL},
		{"::f", NULL},
		{NULL, NULL},
	};

	check(cases);
}

static void
the_class_of_cxx_is_what_stands_before_the_last_part(void)
{
	static const struct name_case cases[] = {
		{"A::f", "A"},
		{"a::B::f(int, c::D const&) const", "a::B"},
		{"int a::B<c::D>::f<char>(int)", "a::B"},
		{"unsigned long a::f<std::vector<int, std::allocator<int> > >(x)", "a"},
		{"(anonymous namespace)::f(int)", "(anonymous namespace)"},
		{"a::(anonymous namespace)::B::f()", "a::(anonymous namespace)::B"},
		{"void (anonymous namespace)::f<int>()", "(anonymous namespace)"},
		{"a::B operator+(c::D, c::D)", NULL},
		{"a::B::operator()(int) const", "a::B"},
		{"a::B::operator<<(int)", "a::B"},
		{"a::B::operator<(int)", "a::B"},
		{"a::B::operator->()", "a::B"},
		{"a::B::operator c::D() const", "a::B"},
		{"a::operators::f()", "a::operators"},
		{"a::operatorA::f()", "a::operatorA"},
		{"a::operatorz::f()", "a::operatorz"},
		{"a::operatorZ::f()", "a::operatorZ"},
		{"a::operator0::f()", "a::operator0"},
		{"a::operator9::f()", "a::operator9"},
		{"a::operator_::f()", "a::operator_"},
		{"a::operator\xc3\xa9::f()", "a::operator\xc3\xa9"},
		{"a::operator[](int)", "a"},
		{"a::cooperator::f()", "a::cooperator"},
		{"a::cooperator", "a"},
		{"int f(int)", NULL},
		{"a::B f(int)", NULL},
		{"a::b::c d::f(int)", "d"},
		{"a::B::~B()", "a::B"},
		{"operator new(unsigned long)", NULL},
		{"non-virtual thunk to a::B::f()", "a::B"},
		{"f(a::B)", NULL},
		{"f<a::B>(int)", NULL},
		{"a::B<(c::E)1>::f()", "a::B"},
		{"a::B<(1>2)>::f()", "a::B"},
		{NULL, NULL},
	};

	check(cases);
}

static void
a_closure_belongs_to_what_its_function_belongs_to(void)
{
	static const struct name_case cases[] = {
		{"a::B::f(int)::{lambda(int)#1}::operator()(int) const", "a::B"},
		{"a::B::f(int) const::{lambda()#2}::operator()() const", "a::B"},
		{"main::{lambda()#1}::operator()() const", NULL},
		{"a::b::f::{closure#0}", "a::b"},
		{"a::b::f::{{closure}}", "a::b"},
		{NULL, NULL},
	};

	check(cases);
}

static void
the_type_of_rust_is_the_class_whatever_the_trait(void)
{
	static const struct name_case cases[] = {
		{"a::b::f", "a::b"},
		{"<a::B as core::fmt::Display>::fmt", "a::B"},
		{"<a::B<u8> as core::iter::Extend<c::D>>::extend", "a::B"},
		{"<a::B>::f", "a::B"},
		{"<a::B as x::Fn<(i32,), Output = y>>::call::{closure#0}", "a::B"},
		{"<a::B<<c::D as e::F>::G> as h::I>::f", "a::B"},
		{"<a::B(c as d) as h::I>::f", "a::B"},
		{"<a::B[c as d] as h::I>::f", "a::B"},
		{"<T as a::Trait>::f", NULL},
		{"<a::B as c::D>:f", NULL},
		{"<unclosed", NULL},
		{NULL, NULL},
	};

	check(cases);
}

/* Whatever the bytes, an answer comes, and soon: the brackets never close. */
static void
hostile_names_are_read_once(void)
{
	static const char parts[] = "<({[::>)}] operator-";
	size_t len = 1 << 20;
	char *name = malloc(len);
	struct buf out = {0};

	UNIT_NEED(name);
	for (size_t part = 0; part + 1 < sizeof(parts); part++) {
		memset(name, parts[part], len);
		class_name(name, len, &out);
		for (size_t i = 0; i < len; i++)
			name[i] = parts[(i * 7 + part + i / 3) % (sizeof(parts) - 1)];
		class_name(name, len, &out);
	}
	class_name("a::\xff\xfe::f", 8, &out);
	CU_ASSERT_STRING_EQUAL(buf_text(&out), "a::\xff\xfe");
	free(name);
	buf_release(&out);
}

void
suite_compare_class_name(void)
{
	static const struct unit_case cases[] = {
		{"functions_of_c_have_none", functions_of_c_have_none},
		{"the_class_of_cxx_is_what_stands_before_the_last_part",
			the_class_of_cxx_is_what_stands_before_the_last_part},
		{"a_closure_belongs_to_what_its_function_belongs_to",
			a_closure_belongs_to_what_its_function_belongs_to},
		{"the_type_of_rust_is_the_class_whatever_the_trait",
			the_type_of_rust_is_the_class_whatever_the_trait},
		{"hostile_names_are_read_once", hostile_names_are_read_once},
		{NULL, NULL},
	};

	unit_suite("compare/class_name", cases);
}
