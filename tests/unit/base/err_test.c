#include "base/err.h"

#include "unit.h"

#include <signal.h>

void suite_base_err(void);

static void
each_kind_has_its_exit_code(void)
{
	struct err err = {0};

	CU_ASSERT_EQUAL(err_exit_code(&err), 0);
	CU_ASSERT_EQUAL(err_set(&err, ERR_USAGE, "x"), -1);
	CU_ASSERT_EQUAL(err_exit_code(&err), 64);
	err_set(&err, ERR_INPUT, "x");
	CU_ASSERT_EQUAL(err_exit_code(&err), 2);
	err_set(&err, ERR_MEASURE, "x");
	CU_ASSERT_EQUAL(err_exit_code(&err), 2);
	err_set(&err, ERR_SYSTEM, "x");
	CU_ASSERT_EQUAL(err_exit_code(&err), 2);
	err_set_interrupted(&err, SIGINT);
	CU_ASSERT_EQUAL(err_exit_code(&err), 130);
	err_set_interrupted(&err, SIGTERM);
	CU_ASSERT_EQUAL(err_exit_code(&err), 143);
}

static void
location_points_with_a_caret(void)
{
	static const char text[] = "name: x\nruns: many\n";
	struct location at = location_at("w.yaml", text, sizeof(text) - 1, 14);
	struct err err = {0};

	CU_ASSERT_EQUAL(at.line, 2);
	CU_ASSERT_EQUAL(at.column, 7);
	err_set_at(&err, &at, "'%s' is not a number", "many");
	UNIT_STR_EQ(err.text, "w.yaml:2:7: error: 'many' is not a number\n  runs: many\n        ^");
}

static void
caret_stays_in_view_on_a_long_line(void)
{
	char text[2000];
	struct err err = {0};

	memset(text, 'x', sizeof(text));
	text[1500] = '!';
	struct location at = location_at("f", text, sizeof(text), 1500);

	err_set_at(&err, &at, "here");
	CU_ASSERT(err.len < 500);
	const char *caret = strchr(err.text, '^');
	const char *mark = strchr(err.text, '!');

	CU_ASSERT_PTR_NOT_NULL_FATAL(caret);
	CU_ASSERT_PTR_NOT_NULL_FATAL(mark);
	const char *second = strchr(err.text, '\n') + 1;
	const char *third = strchr(second, '\n') + 1;

	CU_ASSERT_EQUAL(mark - second, caret - third);
}

static void
notes_follow_on_lines_of_their_own(void)
{
	struct err err = {0};

	err_set(&err, ERR_MEASURE, "no");
	CU_ASSERT_EQUAL(err_note(&err, "while taking run %d", 3), -1);
	err_note(&err, "try again");
	UNIT_STR_EQ(err.text, "no\n  while taking run 3\n  note: try again");
}

static void
hostile_text_cannot_reach_the_terminal(void)
{
	struct err err = {0};

	err_set(&err, ERR_INPUT, "unknown key '%s'", "\033[31mred\a");
	UNIT_STR_EQ(err.text, "unknown key '?[31mred?'");
	/* The one-byte form of ESC [, its UTF-8 form, and a byte that no text holds; then an e
	 * acute. */
	err_set(&err, ERR_INPUT, "'%s' '%s' '%s' '%s'",
		"\x9b"
		"31m",
		"\xc2\x9b"
		"31m",
		"\xff", "\xc3\xa9");
	UNIT_STR_EQ(err.text, "'?31m' '??31m' '?' '\xc3\xa9'");
}

static void
overlong_text_is_cut_and_says_so(void)
{
	char text[ERR_TEXT_MAX * 2];
	struct err err = {0};

	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	err_set(&err, ERR_INPUT, "%s", text);
	err_note(&err, "more");
	CU_ASSERT(err.len < ERR_TEXT_MAX);
	CU_ASSERT_EQUAL(strlen(err.text), err.len);
	UNIT_CONTAINS(err.text, "...");
}

void
suite_base_err(void)
{
	static const struct unit_case cases[] = {
		{"each_kind_has_its_exit_code", each_kind_has_its_exit_code},
		{"location_points_with_a_caret", location_points_with_a_caret},
		{"caret_stays_in_view_on_a_long_line", caret_stays_in_view_on_a_long_line},
		{"notes_follow_on_lines_of_their_own", notes_follow_on_lines_of_their_own},
		{"hostile_text_cannot_reach_the_terminal", hostile_text_cannot_reach_the_terminal},
		{"overlong_text_is_cut_and_says_so", overlong_text_is_cut_and_says_so},
		{NULL, NULL},
	};

	unit_suite("base/err", cases);
}
