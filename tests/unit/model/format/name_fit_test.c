#include "format/name_fit.h"

#include "unit.h"

#include <string.h>

void suite_format_name_fit(void);

#define DOTS "\xe2\x80\xa6"

static void
fits(const char *name, size_t columns, const char *expected)
{
	struct buf out = {0};

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
words_of_a_verdict_are_known(void)
{
	CU_ASSERT(name_is_verdict("failed", 6));
	CU_ASSERT(!name_is_verdict("failed", 5));
}

static void
parameters_go_before_template_arguments(void)
{
	fits("map<int, long>::insert(int const&)", 30, "map<int, long>::insert(...)");
	fits("map<int, vector<long> >::insert(int const&)", 24, "map<...>::insert(...)");
}

static void
receivers_of_go_stay(void)
{
	fits("example.com/tool/parse.(*Parser).Parse", 40,
		"example.com/tool/parse.(*Parser).Parse");
	fits("example.com/tool/parse.(*Parser).Parse", 30, "parse.(*Parser).Parse");
	fits("example.com/tool/lex.Map[go.shape.int,example.com/x.T].Get", 52,
		"lex.Map[go.shape.int,example.com/x.T].Get");
	/* Files are no packages. */
	fits("/usr/lib/x86_64/libparse.so.6", 24, "/usr/lib/x8...parse.so.6");
	fits("main.(*Parser).Parse(long int argument)", 28, "main.(*Parser).Parse(...)");
	fits("call(int (*)(long, long), char)", 12, "call(...)");
}

static void
scopes_go_before_the_name(void)
{
	fits("(anonymous namespace)::count<std::map<int, long>>", 20, "count<...>");
	fits("(anonymous namespace)::count(char const*)", 36, "(anonymous namespace)::count(...)");
	fits("outer::inner::deep::call_me(int)", 26, "inner::deep::call_me(int)");
	fits("a::b(std::vector<int>)::{lambda(ns::x)#1}::operator()(int) const", 26,
		"operator()(int) const");
	fits("::error title=m::of no scope", 21, "::error t... no scope");
	fits("ns::a_function_with_a_long_name", 15, "a_func...g_name");
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

static void
labels(const char *name, size_t columns, const char *expected)
{
	struct buf out = {0};

	name_fit_as(&out, name, strlen(name), columns, &name_picture);
	UNIT_STR_EQ(buf_text(&out), expected);
	buf_release(&out);
}

static void
a_box_has_no_room_for_brackets_and_scopes(void)
{
	labels("f(int, char const*)", 8, "f");
	labels("main.(*Reader).Read", 18, "main.(*Reade" DOTS ".Read");
	labels("a::operator()(int, long)", 20, "a::operator()");
	labels("(anonymous namespace)::f(int)", 24, "(anonymous namespace)::f");
	labels("ns::map<int, long>::push", 16, "ns::map&lt;" DOTS "&gt;::push");
	labels("map<T>::push_back(int)", 17, "map&lt;T&gt;::push_back");
	labels("outer::inner::deep::call_me", 16, "outer" DOTS "p::call_me");
	labels("outer::inner::short_one", 10, "short_one");
	labels("a_rather_long_c_name", 16, "a_rather_l" DOTS "_name");
	labels("abcdef", 3, "ab" DOTS);
}

static void
boxes_elide_what_names_share(void)
{
	labels("/very/long/a/x.c", 6, DOTS "a/x.c");
	labels("/very/long/b/x.c", 6, DOTS "b/x.c");
	labels("/srv/someone/project/module_a/file.c", 24, DOTS "project/module_a/file.c");
	labels("/srv/someone/project/module_b/file.c", 24, DOTS "project/module_b/file.c");
	labels("io/netty/channel/Channel:.read", 14, DOTS "Channel:.read");
	labels("github.com/someone/tool.(*T).Close", 20, DOTS "one/tool.(*T).Close");
	labels("png_do_expand_palette_rgb", 20, "png_do_expand" DOTS "te_rgb");
	labels("png_do_expand_palette_rgba", 20, "png_do_expand" DOTS "e_rgba");
	labels("JS:~render /srv/someone/app.js:2", 12, "JS:~render " DOTS);
}

static void
what_is_written_is_escaped_as_its_style_says(void)
{
	struct buf out = {0};

	name_fit_as(&out, "a<b>", 4, 10, &name_html);
	name_fit_as(&out, "a_b", 3, 10, &name_markdown);
	name_fit_as(&out, "x<1>y", 5, 4, &name_picture);
	UNIT_STR_EQ(buf_text(&out), "a&lt;b&gt;a\\_bx&lt;1" DOTS);
	buf_release(&out);
}

static void
a_name_of_too_many_bytes_loses_whole_characters(void)
{
	struct buf out = {0};

	name_put(&out, "a&b", 3, 3, &name_picture);
	UNIT_STR_EQ(buf_text(&out), "a&amp;b");
	buf_clear(&out);
	name_put(&out, "a\xc3\xa4\xc3\xb6z", 6, 4, &name_picture);
	UNIT_STR_EQ(buf_text(&out), "a" DOTS "\xc3\xb6z");
	buf_release(&out);
}

void
suite_format_name_fit(void)
{
	static const struct unit_case cases[] = {
		{"what_fits_is_left_alone", what_fits_is_left_alone},
		{"words_of_a_verdict_are_known", words_of_a_verdict_are_known},
		{"parameters_go_before_template_arguments",
			parameters_go_before_template_arguments},
		{"receivers_of_go_stay", receivers_of_go_stay},
		{"scopes_go_before_the_name", scopes_go_before_the_name},
		{"operators_keep_their_brackets", operators_keep_their_brackets},
		{"both_ends_survive_a_cut", both_ends_survive_a_cut},
		{"unbalanced_brackets_lose_nothing", unbalanced_brackets_lose_nothing},
		{"wide_and_combining_characters_are_counted",
			wide_and_combining_characters_are_counted},
		{"the_result_is_valid_whatever_comes_in", the_result_is_valid_whatever_comes_in},
		{"a_box_has_no_room_for_brackets_and_scopes",
			a_box_has_no_room_for_brackets_and_scopes},
		{"boxes_elide_what_names_share", boxes_elide_what_names_share},
		{"what_is_written_is_escaped_as_its_style_says",
			what_is_written_is_escaped_as_its_style_says},
		{"a_name_of_too_many_bytes_loses_whole_characters",
			a_name_of_too_many_bytes_loses_whole_characters},
		{NULL, NULL},
	};

	unit_suite("format/name_fit", cases);
}
