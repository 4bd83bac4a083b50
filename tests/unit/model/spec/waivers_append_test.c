#include "spec_fixture.h"

#include "base/mem.h"
#include "spec/waivers.h"

void suite_spec_waivers_append(void);

#define REST "  max: 5%\n  reason: r\n  owner: o\n  expires: 2999-01-01\n"

static struct waiver
waiver_of(const char *pattern)
{
	struct waiver waiver = {
		.kind = RULE_EACH,
		.pattern = pattern,
		.workload = "w",
		.reason = "a: reason",
		.owner = "ann",
		.max_effect = 0.125,
	};
	bool no_such_day;

	CU_ASSERT_TRUE(waiver_set_last_day(&waiver, "2999-12-31", &no_such_day));
	return waiver;
}

/* Appends to a file of this text (NULL: none), and looks at what it is then (NULL: refused). */
static void
check(const char *before, const char *pattern, const char *after)
{
	struct spec_fixture f;
	const struct waiver waiver = waiver_of(pattern);
	struct buf text = {0};

	spec_fixture_init(&f);
	if (before)
		spec_fixture_write(&f, "w.yaml", before);
	else
		snprintf(f.path, sizeof(f.path), "%s/made/w.yaml", f.dir);
	CU_ASSERT_EQUAL(waivers_make_folder(f.path, &f.err), 0);
	CU_ASSERT_EQUAL(waivers_append(f.path, &waiver, 1, &f.err), after ? 0 : -1);
	CU_ASSERT_EQUAL_FATAL(file_read(f.path, &text, YAML_FILE_MAX, &f.err), 0);
	UNIT_STR_EQ(buf_text(&text), after ? after : before);
	buf_release(&text);
	spec_fixture_release(&f);
}

#define ENTRY(name)                                                                    \
	"- function: " name "\n  workload: w\n  max: 12.5%\n  reason: \"a: reason\"\n" \
	"  owner: ann\n  expires: 2999-12-31\n"

static void
what_is_there_stays_as_it_is(void)
{
	check("# c\n- function:   x # d\n" REST "\n# e\n", "f",
		"# c\n- function:   x # d\n" REST "\n# e\n" ENTRY("f"));
	check("- function: x\n  max: 5%\n  reason: |+\n    r\n\n  owner: o\n  expires: 2999-01-01",
		"f",
		"- function: x\n  max: 5%\n  reason: |+\n    r\n\n  owner: o\n"
		"  expires: 2999-01-01\n" ENTRY("f"));
	check("---\n- function: x\n" REST, "f", "---\n- function: x\n" REST ENTRY("f"));
}

static void
a_file_is_made_where_there_is_none(void)
{
	check(NULL, "f", ENTRY("f"));
	check("", "f", ENTRY("f"));
	check("# nothing yet\n", "f", "# nothing yet\n" ENTRY("f"));
}

static void
names_are_read_as_they_were(void)
{
	check("", "-x", ENTRY("\"-x\""));
	check("", "null", ENTRY("\"null\""));
	check("", "1e5", ENTRY("\"1e5\""));
	check("", "a b ", ENTRY("\"a b \""));
	check("", "a: b # c", ENTRY("\"a: b # c\""));
	check("", "operator\"\"\\*\x01", ENTRY("\"operator\\\"\\\"\\\\*\\x01\""));
	check("", "std::vector<int>", ENTRY("\"std::vector<int>\""));
	check("",
		"gr\xc3\xb6\xc3\x9f"
		"e",
		ENTRY("\"gr\xc3\xb6\xc3\x9f"
		      "e\""));
}

static void
what_could_not_be_read_is_refused_and_nothing_is_written(void)
{
	check("[]\n", "f", NULL);
	check("[{function: x, max: 5%, reason: r, owner: o, expires: 2999-01-01}]\n", "f", NULL);
	check("- function: x\n" REST "...\n", "f", NULL);
	check("function: x\n", "f", NULL);
	check("- function: x\n  max: 5\n", "f", NULL);
	/* Not text. */
	check("", "bad \xff", NULL);
}

void
suite_spec_waivers_append(void)
{
	static const struct unit_case cases[] = {
		{"what_is_there_stays_as_it_is", what_is_there_stays_as_it_is},
		{"a_file_is_made_where_there_is_none", a_file_is_made_where_there_is_none},
		{"names_are_read_as_they_were", names_are_read_as_they_were},
		{"what_could_not_be_read_is_refused_and_nothing_is_written",
			what_could_not_be_read_is_refused_and_nothing_is_written},
		{NULL, NULL},
	};

	unit_suite("spec/waivers_append", cases);
}
