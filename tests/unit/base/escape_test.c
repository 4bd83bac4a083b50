#include "base/escape.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>

void suite_base_escape(void);

#define FFFD "\xef\xbf\xbd"

static void
check(void (*escape)(struct buf *, const char *, size_t), const char *text, size_t len,
	const char *expected)
{
	struct buf out = {0};

	escape(&out, text, len);
	UNIT_STR_EQ(buf_text(&out), expected);
	buf_release(&out);
}

#define CHECK(escape, text, expected) check(escape, text, sizeof(text) - 1, expected)

static void
xml_markup_becomes_references(void)
{
	CHECK(escape_xml, "a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#39;");
	CHECK(escape_xml, "]]>", "]]&gt;");
}

static void
xml_forbidden_characters_are_replaced(void)
{
	CHECK(escape_xml, "a\x01z\0\x7f", "a" FFFD "z" FFFD FFFD);
	CHECK(escape_xml, "\xef\xbf\xbf", FFFD);
}

static void
invalid_utf8_is_replaced_byte_by_byte(void)
{
	CHECK(escape_utf8, "\xff", FFFD);
	CHECK(escape_utf8, "a\xc3", "a" FFFD);
	CHECK(escape_utf8, "\xc0\xaf", FFFD FFFD);
	CHECK(escape_utf8, "\xed\xa0\x80", FFFD FFFD FFFD);
	CHECK(escape_utf8, "\xf4\x90\x80\x80", FFFD FFFD FFFD FFFD);
}

static void
good_utf8_is_kept(void)
{
	CHECK(escape_xml, "gr\xc3\xb6\xc3\x9f\x65 \xf0\x9f\x94\xa5",
		"gr\xc3\xb6\xc3\x9f\x65 \xf0\x9f\x94\xa5");
}

static void
right_to_left_overrides_are_replaced(void)
{
	CHECK(escape_utf8,
		"a\xe2\x80\xae"
		"b",
		"a" FFFD "b");
	CHECK(escape_utf8, "\xe2\x81\xa6", FFFD);
	CHECK(escape_utf8, "\xd8\x9c\xe2\x80\x8f", FFFD FFFD);
}

static void
invisible_characters_are_replaced(void)
{
	static const char *const invisible[] = {"\xc2\xad", "\xcd\x8f", "\xe1\x85\xa0",
		"\xe2\x80\x8b", "\xe2\x80\x8d", "\xe2\x81\xa0", "\xe3\x85\xa4", "\xef\xb8\x8f",
		"\xef\xbb\xbf", "\xef\xbf\xbb", "\xf3\xa0\x81\x81"};
	static const char *const visible[] = {"\xc2\xae", "\xe1\x85\x9e", "\xe2\x80\x90",
		"\xe2\x81\x9f", "\xef\xb8\x90", "\xf0\x9f\x94\xa5"};

	for (size_t i = 0; i < sizeof(invisible) / sizeof(invisible[0]); i++)
		check(escape_utf8, invisible[i], strlen(invisible[i]), FFFD);
	for (size_t i = 0; i < sizeof(visible) / sizeof(visible[0]); i++)
		check(escape_utf8, visible[i], strlen(visible[i]), visible[i]);
}

static void
a_comment_has_no_formulas(void)
{
	CHECK(escape_comment, "$x$", "<span>$</span>x<span>$</span>");
	CHECK(escape_comment, "a$b|", "a<span>$</span>b\\|");
}

static void
a_comment_names_nobody_and_is_copied_as_it_is(void)
{
	CHECK(escape_comment, "a@b.de", "a<span>\\@</span>b\\.de");
	CHECK(escape_comment, "o/r#1", "o/r<span>\\#</span>1");
	CHECK(escape_comment, "Gh-1", "<span>G</span>h\\-1");
	CHECK(escape_comment, "www.x", "<span>w</span>ww\\.x");
	CHECK(escape_comment, "http://x", "http<span>:</span>//x");
	CHECK(escape_comment, "a::b gh ww", "a::b gh ww");
}

static void
markdown_cannot_leave_its_cell(void)
{
	CHECK(escape_markdown, "a|b", "a\\|b");
	CHECK(escape_markdown, "<img>", "&lt;img&gt;");
	CHECK(escape_markdown, "[x](y)", "\\[x\\]\\(y\\)");
	CHECK(escape_markdown, "a\nb", "a" FFFD "b");
}

static void
urls_keep_only_what_is_unreserved(void)
{
	CHECK(escape_url, "src/a-z_1.c~", "src/a-z_1.c~");
	CHECK(escape_url, "f<int>(a&b) #?%+=\"'\n",
		"f%3Cint%3E%28a%26b%29%20%23%3F%25%2B%3D%22%27%0A");
	CHECK(escape_url, "\xc3\xb6\xff", "%C3%B6%FF");
}

static void
workflow_commands_cannot_be_ended(void)
{
	CHECK(escape_command, "50 %: a, b\n::error::x\r", "50 %25: a, b%0A::error::x" FFFD);
	CHECK(escape_command_property, "a:b,c\n%", "a%3Ab%2Cc%0A%25");
	CHECK(escape_command, "\xc3\xb6\xff\x1b", "\xc3\xb6" FFFD FFFD);
}

static void
azure_commands_cannot_be_ended_or_begun(void)
{
	CHECK(escape_azure, "50 %: a\n##vso[task.complete result=x]b\r",
		"50 %AZP25: a%0A##vso?task.complete result=x]b" FFFD);
	CHECK(escape_azure, "%0A%AZP25", "%AZP250A%AZP25AZP25");
	CHECK(escape_azure_property, "a;b]c\n%", "a%3Bb%5Dc%0A%AZP25");
	CHECK(escape_azure_property, "##vso[x\xff\x1b", "##vso?x" FFFD FFFD);
}

static void
teamcity_values_cannot_be_ended(void)
{
	CHECK(escape_teamcity, "it's [a|b]\n##teamcity[x]", "it|'s |[a||b|]|n##teamcity|[x|]");
	CHECK(escape_teamcity, "\xc3\xb6 \xf0\x9f\x94\xa5", "|0x00f6 |0xd83d|0xdd25");
	CHECK(escape_teamcity, "\xff\r\x1b", "|0xfffd|0xfffd|0xfffd");
	CHECK(escape_teamcity, "\xc2\x85\xe2\x80\xa8", "|0xfffd|0xfffd");
	CHECK(escape_teamcity, "", "");
}

static void
quoted_strings_end_at_their_quote(void)
{
	CHECK(escape_quoted, "a\"b\\c\n", "a\\\"b\\\\c" FFFD);
	CHECK(escape_quoted, "operator\"\" _x<'y'>&", "operator\\\"\\\" _x<'y'>&");
}

/* CHECK() is of functions that take a length. */
static void
check_shell_word(const char *text, const char *expected)
{
	struct buf out = {0};

	escape_shell_word(&out, text);
	UNIT_STR_EQ(buf_text(&out), expected);
	buf_release(&out);
}

static void
words_of_a_shell_are_one_word(void)
{
	check_shell_word("workloads/a-b_c.yaml", "workloads/a-b_c.yaml");
	check_shell_word("", "''");
	check_shell_word("a b;$(c)", "'a b;$(c)'");
	CU_ASSERT_TRUE(escape_is_shell_words("a 'b;$(c)' 'it'\\''s' HEAD~1 --c=d"));
	CU_ASSERT_FALSE(escape_is_shell_words("a\\nb"));
	CU_ASSERT_FALSE(escape_is_shell_words("a 'b"));
	CU_ASSERT_FALSE(escape_is_shell_words("a \"b\""));
	CU_ASSERT_FALSE(escape_is_shell_words("a 'b\nc'"));
	CU_ASSERT_FALSE(escape_is_shell_words("a;b"));
	CU_ASSERT_TRUE(escape_is_harmless("it's (a) file.yaml"));
	CU_ASSERT_FALSE(escape_is_harmless("a$b"));
	CU_ASSERT_FALSE(escape_is_harmless("a\tb"));
	check_shell_word("it's", "'it'\\''s'");
}

static void
folded_frames_hold_no_separator(void)
{
	CHECK(escape_folded, "a;b\nc", "a:b?c");
	CHECK(escape_folded,
		"a\xc2\x9b"
		"1m\xc2\x85\xe2\x80\xa8z",
		"a??1m?????z");
	CHECK(escape_folded, "gr\xc3\xb6\xc2\xb5\xe2\x80\xa6\xc2",
		"gr\xc3\xb6\xc2\xb5\xe2\x80\xa6\xc2");
	CHECK(escape_folded, "operator new (int)", "operator new (int)");
}

static void
no_line_of_a_log_is_a_command(void)
{
	static const struct {
		const char *text;
		const char *expected;
	} texts[] = {
		{"::error::x", "?:error::x"},
		{"a\n \t::add-mask::x\nb ::c", "a\n \t?:add-mask::x\nb ::c"},
		{"a\r::error::x", "a?::error::x"},
		{"\xc2\xa0\xe3\x80\x80::error::x", "\xc2\xa0\xe3\x80\x80?:error::x"},
		{"a##[add-mask]x", "a##?add-mask]x"},
		{"###[x", "###?x"},
		{"a##vso[task.complete]x ##teamcity[x]", "a##vso?task.complete]x ##teamcity?x]"},
		{"##vso [x", "##vso [x"},
		{"std::vector", "std::vector"},
		{"::", "?:"},
		{"##", "##"},
		{"", ""},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char text[64];

		snprintf(text, sizeof(text), "%s", texts[i].text);
		escape_terminal(text, strlen(text));
		UNIT_STR_EQ(text, texts[i].expected);
	}
	/* Azure's agent does not see what stands between, a soft hyphen and a zero byte. */
	char hidden[] = "##\xc2\xadvs\0o[task.complete]\n";

	escape_commands(hidden, sizeof(hidden) - 1);
	CU_ASSERT_EQUAL(memcmp(hidden, "##\xc2\xadvs\0o?task.complete]\n", sizeof(hidden)), 0);
}

void
suite_base_escape(void)
{
	static const struct unit_case cases[] = {
		{"xml_markup_becomes_references", xml_markup_becomes_references},
		{"xml_forbidden_characters_are_replaced", xml_forbidden_characters_are_replaced},
		{"invalid_utf8_is_replaced_byte_by_byte", invalid_utf8_is_replaced_byte_by_byte},
		{"good_utf8_is_kept", good_utf8_is_kept},
		{"right_to_left_overrides_are_replaced", right_to_left_overrides_are_replaced},
		{"invisible_characters_are_replaced", invisible_characters_are_replaced},
		{"a_comment_has_no_formulas", a_comment_has_no_formulas},
		{"a_comment_names_nobody_and_is_copied_as_it_is",
			a_comment_names_nobody_and_is_copied_as_it_is},
		{"markdown_cannot_leave_its_cell", markdown_cannot_leave_its_cell},
		{"urls_keep_only_what_is_unreserved", urls_keep_only_what_is_unreserved},
		{"workflow_commands_cannot_be_ended", workflow_commands_cannot_be_ended},
		{"azure_commands_cannot_be_ended_or_begun",
			azure_commands_cannot_be_ended_or_begun},
		{"teamcity_values_cannot_be_ended", teamcity_values_cannot_be_ended},
		{"no_line_of_a_log_is_a_command", no_line_of_a_log_is_a_command},
		{"quoted_strings_end_at_their_quote", quoted_strings_end_at_their_quote},
		{"words_of_a_shell_are_one_word", words_of_a_shell_are_one_word},
		{"folded_frames_hold_no_separator", folded_frames_hold_no_separator},
		{NULL, NULL},
	};

	unit_suite("base/escape", cases);
}
