#include "analysis/sentences.h"

#include "unit.h"

void suite_analysis_sentences(void);

/* In lines of 20 columns, of which the first has used 4. */
static void
expect_wrapped(const char *text, bool whole, const char *expected)
{
	struct buf out = {0};

	analysis_wrap(&out, text, 4, 20, whole);
	UNIT_STR_EQ(buf_text(&out), expected);
	buf_release(&out);
}

static void
lines_end_between_words(void)
{
	expect_wrapped("sixteen columns is the room", true,
		"sixteen columns\n"
		"    is the room\n");
	expect_wrapped("it is sixteen ok more", true,
		"it is sixteen ok\n"
		"    more\n");
	expect_wrapped("", true, "\n");
	expect_wrapped("a \t b\nc  ", true, "a b c\n");
}

static void
a_number_stands_with_its_unit(void)
{
	expect_wrapped("the cost grew 4.1 %, here", true,
		"the cost grew\n"
		"    4.1 %, here\n");
	expect_wrapped("it took all of 12 ms)", true,
		"it took all of\n"
		"    12 ms)\n");
	/* No unit, and no number. */
	expect_wrapped("it was called 12 msgs", true,
		"it was called 12\n"
		"    msgs\n");
	expect_wrapped("of the parts as % of", true,
		"of the parts as\n"
		"    % of\n");
	expect_wrapped("ends with a 12 ", true, "ends with a 12\n");
}

static void
a_long_word_loses_its_middle_unless_whole(void)
{
	expect_wrapped("see a_name_of_twenty_two_columns", false,
		"see\n"
		"    a_name_...olumns\n");
	expect_wrapped("see a_name_of_twenty_two_columns", true,
		"see\n"
		"    a_name_of_twenty_two_columns\n");
}

void
suite_analysis_sentences(void)
{
	static const struct unit_case cases[] = {
		{"lines_end_between_words", lines_end_between_words},
		{"a_number_stands_with_its_unit", a_number_stands_with_its_unit},
		{"a_long_word_loses_its_middle_unless_whole",
			a_long_word_loses_its_middle_unless_whole},
		{NULL, NULL},
	};

	unit_suite("analysis/sentences", cases);
}
