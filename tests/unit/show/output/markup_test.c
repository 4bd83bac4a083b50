#include "output/markup.h"

#include "unit.h"

void suite_output_markup(void);

static void
every_argument_is_escaped(void)
{
	struct buf out = {0};

	markup_put(&out, markup_text, "<p>%s</p>%s", "a<b\n&", "");
	CU_ASSERT_STRING_EQUAL(buf_text(&out), "<p>a&lt;b\n&amp;</p>");
	buf_clear(&out);
	markup_put(&out, markup_line, "<a b=\"%s\"/>", "one\n\"two\"");
	CU_ASSERT_STRING_EQUAL(buf_text(&out), "<a b=\"one &quot;two&quot;\"/>");
	buf_release(&out);
}

static void
a_sentence_ends_behind_a_word(void)
{
	struct buf out = {0};

	markup_sentence(&out, "Above it (5 %, raised).\nGrew with it", 40);
	CU_ASSERT_STRING_EQUAL(buf_text(&out), "Above it \\(5 %, raised\\)\\. Grew with it");
	buf_clear(&out);
	markup_sentence(&out, "Above it (5 %, raised).\nGrew with it", 34);
	CU_ASSERT_STRING_EQUAL(buf_text(&out), "Above it \\(5 %, raised\\)\\. Grew ...");
	buf_release(&out);
}

void
suite_output_markup(void)
{
	static const struct unit_case cases[] = {
		{"every_argument_is_escaped", every_argument_is_escaped},
		{"a_sentence_ends_behind_a_word", a_sentence_ends_behind_a_word},
		{NULL, NULL},
	};

	unit_suite("output/markup", cases);
}
