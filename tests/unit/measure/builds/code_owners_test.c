#include "builds/code_owners.h"

#include "unit.h"

#include <string.h>

void suite_builds_code_owners(void);

static const char text[] = "# comment\n"
			   "*  @all   @more # the rest\n"
			   "*.js @scripts\n"
			   "/build/logs/ @logs\n"
			   "docs/* docs@example.com\n"
			   "apps/ @apps\n"
			   "/parts/ @parts\n"
			   "/parts/free\n"
			   "**/logs @deep\n"
			   "/src/**/test_?.c @tests\n"
			   "a\\ b.txt @blank\r\n"
			   "[Section][2] @section\n"
			   "^[Optional]\n"
			   "!no @no\n";

static const char *
owner(const char *path)
{
	static struct code_owners owners;
	static char found[64];

	owners = (struct code_owners){0};
	code_owners_parse(&owners, text, strlen(text));
	snprintf(found, sizeof(found), "%s", code_owners_of(&owners, path));
	code_owners_release(&owners);
	return found;
}

/* The examples of GitHub's documentation among them. */
static void
the_last_pattern_that_fits_counts(void)
{
	UNIT_STR_EQ(owner("main.c"), "@all @more");
	UNIT_STR_EQ(owner("lib/x/main.js"), "@scripts");
	UNIT_STR_EQ(owner("build/logs/a/b.js"), "@deep");
	UNIT_STR_EQ(owner("docs/start.md"), "docs@example.com");
	UNIT_STR_EQ(owner("docs/build/trouble.md"), "@all @more");
	UNIT_STR_EQ(owner("lib/docs/start.md"), "@all @more");
	UNIT_STR_EQ(owner("apps/x"), "@apps");
	UNIT_STR_EQ(owner("lib/apps/x/y.c"), "@apps");
	UNIT_STR_EQ(owner("lib/apps"), "@all @more");
	UNIT_STR_EQ(owner("parts/x.c"), "@parts");
	UNIT_STR_EQ(owner("parts/free/x.c"), "");
	UNIT_STR_EQ(owner("parts/freedom.c"), "@parts");
	UNIT_STR_EQ(owner("x/parts/y.c"), "@all @more");
	UNIT_STR_EQ(owner("logs/x"), "@deep");
	UNIT_STR_EQ(owner("mylogs/x"), "@all @more");
	UNIT_STR_EQ(owner("src/test_1.c"), "@tests");
	UNIT_STR_EQ(owner("src/a/b/test_1.c"), "@tests");
	UNIT_STR_EQ(owner("src/a/b/test_10.c"), "@all @more");
	UNIT_STR_EQ(owner("src/atest_1.c"), "@all @more");
	UNIT_STR_EQ(owner("x/a b.txt"), "@blank");
}

static void
what_is_no_rule_is_passed_over(void)
{
	static const char broken[] = "\0\0@x\n*.c\\\n\n   \n/ @root\n/// @slashes\n** @any";
	struct code_owners owners = {0};

	code_owners_parse(&owners, broken, sizeof(broken) - 1);
	UNIT_STR_EQ(code_owners_of(&owners, "a/b"), "@any");
	UNIT_STR_EQ(code_owners_of(&owners, ""), "@any");
	code_owners_release(&owners);
	UNIT_STR_EQ(code_owners_of(&owners, "a"), "");
}

void
suite_builds_code_owners(void)
{
	static const struct unit_case cases[] = {
		{"the_last_pattern_that_fits_counts", the_last_pattern_that_fits_counts},
		{"what_is_no_rule_is_passed_over", what_is_no_rule_is_passed_over},
		{NULL, NULL},
	};

	unit_suite("builds/code_owners", cases);
}
