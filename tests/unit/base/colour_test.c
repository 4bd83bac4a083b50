#include "base/colour.h"

#include "unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void suite_base_colour(void);

static void
expect(const char *text, const char *expected)
{
	struct buf out = {0};

	colour_verdicts(&out, text, strlen(text));
	UNIT_STR_EQ(buf_text(&out), expected);
	buf_release(&out);
}

static void
a_verdict_that_begins_a_line_has_its_colour(void)
{
	expect("FAIL: 1 of 2\n", "\033[1;31mFAIL\033[0m: 1 of 2\n");
	expect("  pass          parse\n", "  \033[32mpass\033[0m          parse\n");
	expect("a\nwarn  b", "a\n\033[33mwarn\033[0m  b");
	expect("inconclusive", "\033[35minconclusive\033[0m");
}

static void
a_verdict_that_ends_a_line_behind_a_name_has_its_colour(void)
{
	expect("parse: fail\n", "parse: \033[1;31mfail\033[0m\n");
	expect("two words: pass", "two words: \033[32mpass\033[0m");
}

/* Continued sentences and names may begin or end with such a word. */
static void
the_same_word_in_a_sentence_has_none(void)
{
	static const char *const texts[] = {"fail in the end\n", "these fail\n", "bypass: 3\n",
		"passed:\n", "", "\n", ":", " : "};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		expect(texts[i], texts[i]);
}

static void
a_file_gets_colours_only_when_they_are_demanded(void)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	CU_ASSERT_FALSE(colour_wanted(fd));
	colour_set(COLOUR_ALWAYS);
	CU_ASSERT(colour_wanted(fd));
	colour_set(COLOUR_NEVER);
	CU_ASSERT_FALSE(colour_wanted(fd));
	colour_set(COLOUR_AUTO);
	close(fd);
}

static void
a_terminal_gets_colours_unless_the_environment_refuses(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	char name[64];
	int terminal = -1;

	if (master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0 &&
		ptsname_r(master, name, sizeof(name)) == 0)
		terminal = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (terminal < 0) {
		unit_skip("no terminal can be made here");
		return;
	}
	unsetenv("NO_COLOR");
	setenv("TERM", "xterm", 1);
	CU_ASSERT(colour_wanted(terminal));
	setenv("NO_COLOR", "", 1);
	CU_ASSERT(colour_wanted(terminal));
	setenv("NO_COLOR", "1", 1);
	CU_ASSERT_FALSE(colour_wanted(terminal));
	unsetenv("NO_COLOR");
	setenv("TERM", "dumb", 1);
	CU_ASSERT_FALSE(colour_wanted(terminal));
	unsetenv("TERM");
	close(terminal);
	close(master);
}

void
suite_base_colour(void)
{
	static const struct unit_case cases[] = {
		{"a_verdict_that_begins_a_line_has_its_colour",
			a_verdict_that_begins_a_line_has_its_colour},
		{"a_verdict_that_ends_a_line_behind_a_name_has_its_colour",
			a_verdict_that_ends_a_line_behind_a_name_has_its_colour},
		{"the_same_word_in_a_sentence_has_none", the_same_word_in_a_sentence_has_none},
		{"a_file_gets_colours_only_when_they_are_demanded",
			a_file_gets_colours_only_when_they_are_demanded},
		{"a_terminal_gets_colours_unless_the_environment_refuses",
			a_terminal_gets_colours_unless_the_environment_refuses},
		{NULL, NULL},
	};

	unit_suite("base/colour", cases);
}
