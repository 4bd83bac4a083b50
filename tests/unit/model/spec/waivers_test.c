#include "spec_fixture.h"

#include "base/mem.h"
#include "spec/waivers.h"

void suite_spec_waivers(void);

#define REST "  max: 12%\n  reason: checks that were missing\n  owner: ann\n  expires: 2026-12-31\n"

static int
read_waivers(struct spec_fixture *f, struct gate_policy *gate, const char *text)
{
	return waivers_read(
		gate, &f->config.arena, spec_fixture_write(f, "waivers.yaml", text), &f->err);
}

static void
every_key_is_read(void)
{
	struct spec_fixture f;
	struct gate_policy gate = {0};

	spec_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(
		read_waivers(&f, &gate,
			"- function: \"parse_*\"\n  workload: \"cjson*\"\n" REST
			"- subtree: a\n" REST "- module: \"libz*\"\n" REST "- total: true\n" REST),
		0);
	CU_ASSERT_EQUAL_FATAL(gate.nwaivers, 4);
	const struct waiver *first = &gate.waivers_list[0];

	CU_ASSERT_EQUAL(first->kind, RULE_EACH);
	UNIT_STR_EQ(first->pattern, "parse_*");
	UNIT_STR_EQ(first->workload, "cjson*");
	UNIT_NEAR(first->max_effect, 0.12, 1e-12);
	UNIT_STR_EQ(first->reason, "checks that were missing");
	UNIT_STR_EQ(first->owner, "ann");
	UNIT_STR_EQ(first->last_day, "2026-12-31");
	/* date -u -d 2027-01-01 +%s */
	CU_ASSERT_EQUAL(first->expires, 1798761600);
	CU_ASSERT_EQUAL(first->line, 1);
	UNIT_CONTAINS(first->file, "waivers.yaml");
	CU_ASSERT_EQUAL(gate.waivers_list[1].kind, RULE_SUBTREE);
	UNIT_STR_EQ(gate.waivers_list[1].workload, "*");
	CU_ASSERT_EQUAL(gate.waivers_list[2].kind, RULE_MODULE);
	CU_ASSERT_EQUAL(gate.waivers_list[3].kind, RULE_TOTAL);
	UNIT_STR_EQ(gate.waivers_list[3].pattern, "whole program");
	spec_fixture_release(&f);
}

static void
refuses(const char *text, const char *location, const char *message)
{
	struct spec_fixture f;
	struct gate_policy gate = {0};

	spec_fixture_init(&f);
	CU_ASSERT_EQUAL(read_waivers(&f, &gate, text), -1);
	UNIT_CONTAINS(f.err.text, location);
	UNIT_CONTAINS(f.err.text, message);
	spec_fixture_release(&f);
}

static void
what_is_missing_or_wrong_is_located(void)
{
	refuses("- function: a\n  max: 1%\n  reason: r\n  owner: o\n",
		":1:3:", "'expires' is missing");
	refuses("- function: a\n  max: 1%\n  reason: r\n  expires: 2026-12-31\n",
		":1:3:", "'owner' is missing");
	refuses("- function: a\n  max: 1%\n  owner: o\n  expires: 2026-12-31\n",
		":1:3:", "'reason' is missing");
	refuses("- function: a\n  reason: r\n  owner: o\n  expires: 2026-12-31\n",
		":1:3:", "'max' is missing");
	refuses("- function: a\n  reason: \"\"\n", ":2:11:", "'reason' must be text");
	refuses("- function: a\n  max: 12\n", ":2:8:", "percent sign");
	refuses("- function: a\n  maximum: 12%\n", ":2:3:", "unknown key 'maximum' in a waiver");
	refuses("-\n" REST, ":2:3:", "found none of them");
	refuses("- total: false\n" REST, ":1:3:", "found none of them");
	refuses("- function: a\n  total: true\n" REST, ":1:3:", "found several");
	refuses("- function: a\n  module: b\n" REST, ":1:3:", "found several");
	refuses("function: a\n", ":1:1:", "a list of waivers; found a mapping");
	refuses("- a\n", ":1:3:", "must be a mapping");
}

static void
days_that_no_calendar_has_are_refused(void)
{
	static const char *const wrong[] = {"2026-02-29", "2026-13-01", "2026-00-10", "2026-04-31",
		"2026-1-1", "31.12.2026", "2026-12-31T00:00", "never", "[2026-12-31]", "~",
		"+026-12-31"};
	static const char *const right[] = {"2028-02-29", "2026-01-01", "\"2026-12-31\""};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[256];

		snprintf(text, sizeof(text), "- function: a\n  expires: %s\n", wrong[i]);
		refuses(text, ":2:12:", "'expires' must be a day");
	}
	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		struct spec_fixture f;
		struct gate_policy gate = {0};
		char text[256];

		snprintf(text, sizeof(text),
			"- total: true\n  max: 1%%\n  reason: r\n  owner: o\n  expires: %s\n",
			right[i]);
		spec_fixture_init(&f);
		CU_ASSERT_EQUAL(read_waivers(&f, &gate, text), 0);
		spec_fixture_release(&f);
	}
}

static void
an_empty_file_waives_nothing(void)
{
	struct spec_fixture f;
	struct gate_policy gate = {0};

	spec_fixture_init(&f);
	CU_ASSERT_EQUAL(read_waivers(&f, &gate, "# none\n"), 0);
	CU_ASSERT_EQUAL(gate.nwaivers, 0);
	CU_ASSERT_EQUAL(read_waivers(&f, &gate, "[]\n"), 0);
	CU_ASSERT_EQUAL(gate.nwaivers, 0);
	spec_fixture_release(&f);
}

static void
a_workload_has_the_waivers_that_name_it(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	/* Beside the configuration, without being named. */
	spec_fixture_write(&f, "waivers.yaml",
		"- function: a\n  workload: \"cjson*\"\n" REST "- total: true\n" REST
		"- function: c\n  workload: other\n" REST);
	CU_ASSERT_EQUAL_FATAL(
		config_read(&f.config, spec_fixture_write(&f, "c.yaml", ""), &f.err), 0);
	UNIT_CONTAINS(f.config.waivers_path, "waivers.yaml");
	CU_ASSERT_EQUAL(f.config.gate.nwaivers, 3);
	CU_ASSERT_EQUAL_FATAL(spec_fixture_workload(&f, "name: cjson_parse\nrun: x\n"), 0);
	CU_ASSERT_EQUAL_FATAL(f.workload.gate.nwaivers, 2);
	UNIT_STR_EQ(f.workload.gate.waivers_list[0].pattern, "a");
	CU_ASSERT_EQUAL(f.workload.gate.waivers_list[1].kind, RULE_TOTAL);
	workload_release(&f.workload);
	spec_fixture_release(&f);
}

static void
a_file_that_is_named_must_be_there(void)
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	const char *path = spec_fixture_write(&f, "c.yaml", "waivers: /nowhere/w.yaml\n");

	CU_ASSERT_EQUAL(config_read(&f.config, path, &f.err), -1);
	UNIT_CONTAINS(f.err.text, "'/nowhere/w.yaml'");
	spec_fixture_release(&f);
}

#define APPEND_REST "  max: 5%\n  reason: r\n  owner: o\n  expires: 2999-01-01\n"

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
	check("# c\n- function:   x # d\n" APPEND_REST "\n# e\n", "f",
		"# c\n- function:   x # d\n" APPEND_REST "\n# e\n" ENTRY("f"));
	check("- function: x\n  max: 5%\n  reason: |+\n    r\n\n  owner: o\n  expires: 2999-01-01",
		"f",
		"- function: x\n  max: 5%\n  reason: |+\n    r\n\n  owner: o\n"
		"  expires: 2999-01-01\n" ENTRY("f"));
	check("---\n- function: x\n" APPEND_REST, "f",
		"---\n- function: x\n" APPEND_REST ENTRY("f"));
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
	check("- function: x\n" APPEND_REST "...\n", "f", NULL);
	check("function: x\n", "f", NULL);
	check("- function: x\n  max: 5\n", "f", NULL);
	/* Not text. */
	check("", "bad \xff", NULL);
}

void
suite_spec_waivers(void)
{
	static const struct unit_case cases[] = {
		{"every_key_is_read", every_key_is_read},
		{"what_is_missing_or_wrong_is_located", what_is_missing_or_wrong_is_located},
		{"days_that_no_calendar_has_are_refused", days_that_no_calendar_has_are_refused},
		{"an_empty_file_waives_nothing", an_empty_file_waives_nothing},
		{"a_workload_has_the_waivers_that_name_it",
			a_workload_has_the_waivers_that_name_it},
		{"a_file_that_is_named_must_be_there", a_file_that_is_named_must_be_there},
		{"what_is_there_stays_as_it_is", what_is_there_stays_as_it_is},
		{"a_file_is_made_where_there_is_none", a_file_is_made_where_there_is_none},
		{"names_are_read_as_they_were", names_are_read_as_they_were},
		{"what_could_not_be_read_is_refused_and_nothing_is_written",
			what_could_not_be_read_is_refused_and_nothing_is_written},
		{NULL, NULL},
	};

	unit_suite("spec/waivers", cases);
}
