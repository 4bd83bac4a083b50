#include "format/name.h"

#include "unit.h"

void suite_format_name(void);

static void
fits(const char *name, size_t columns, const char *expected)
{
	struct buf out;

	buf_init(&out);
	name_fit(&out, name, strlen(name), columns);
	UNIT_STR_EQ(buf_text(&out), expected);
	CU_ASSERT(name_columns(buf_text(&out), out.len) <= (columns < 4 ? 4 : columns));
	buf_release(&out);
}

static void
what_fits_is_left_alone(void)
{
	fits("parse_value", 20, "parse_value");
	fits("f(int)", 6, "f(int)");
	fits("", 10, "");
}

static void
parameters_go_before_template_arguments(void)
{
	fits("map<int, long>::insert(int const&)", 30, "map<int, long>::insert(...)");
	fits("map<int, vector<long> >::insert(int const&)", 24, "map<...>::insert(...)");
}

static void
operators_keep_their_brackets(void)
{
	fits("operator<<(std::ostream&, thing)", 20, "operator<<(...)");
	fits("iterator<long long, int>::operator->() const", 33,
		"iterator<...>::operator->() const");
	fits("callback<int>::operator()(long argument)", 30, "callback<int>::operator()(...)");
}

static void
both_ends_survive_a_cut(void)
{
	fits("abcdefghijklmnopqrstuvwxyz", 13, "abcde...vwxyz");
	fits("abcdefgh", 1, "a...");
}

static void
unbalanced_brackets_lose_nothing(void)
{
	fits("a<b and then some more", 40, "a<b and then some more");
	fits("aaaa(bbbb", 9, "aaaa(bbbb");
	fits("aaaa(bbbbcccc", 10, "aaaa...ccc");
}

static void
wide_and_combining_characters_are_counted(void)
{
	CU_ASSERT_EQUAL(name_columns("a\xe6\x97\xa5z", 5), 4);
	CU_ASSERT_EQUAL(name_columns("e\xcc\x81", 3), 1);
	fits("\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5", 7,
		"\xe6\x97\xa5...\xe6\x97\xa5");
}

static void
the_result_is_valid_whatever_comes_in(void)
{
	fits("a\033b", 10,
		"a\xef\xbf\xbd"
		"b");
	fits("\xff\xc3", 10, "\xef\xbf\xbd\xef\xbf\xbd");
}

void
suite_format_name(void)
{
	static const struct unit_case cases[] = {
		{"what_fits_is_left_alone", what_fits_is_left_alone},
		{"parameters_go_before_template_arguments",
			parameters_go_before_template_arguments},
		{"operators_keep_their_brackets", operators_keep_their_brackets},
		{"both_ends_survive_a_cut", both_ends_survive_a_cut},
		{"unbalanced_brackets_lose_nothing", unbalanced_brackets_lose_nothing},
		{"wide_and_combining_characters_are_counted",
			wide_and_combining_characters_are_counted},
		{"the_result_is_valid_whatever_comes_in", the_result_is_valid_whatever_comes_in},
		{NULL, NULL},
	};

	unit_suite("format/name", cases);
}
