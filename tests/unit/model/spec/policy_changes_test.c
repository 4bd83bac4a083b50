#include "spec/policy_changes.h"

#include "base/buf.h"
#include "base/mem.h"
#include "unit.h"

void suite_spec_policy_changes(void);

/* Compares two texts of YAML; each difference is a line "LINE KEY: BEFORE -> AFTER". */
static void
check(const char *before, const char *after, const char *expected)
{
	struct policy_changes changes = {0};
	struct yaml_file old, new;
	struct buf lines = {0};
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(yaml_parse(&old, "old", before, strlen(before), &err), 0);
	CU_ASSERT_EQUAL_FATAL(yaml_parse(&new, "new", after, strlen(after), &err), 0);
	policy_changes_between(&changes, "f.yaml", "", old.root, new.root, NULL);
	for (size_t i = 0; i < changes.count; i++)
		buf_printf(&lines, "%u %s: %s -> %s\n", changes.items[i].line, changes.items[i].key,
			changes.items[i].before, changes.items[i].after);
	UNIT_STR_EQ(buf_text(&lines), expected);
	buf_release(&lines);
	policy_changes_release(&changes);
	yaml_release(&old);
	yaml_release(&new);
}

static void
each_key_that_differs_is_told_with_both_values(void)
{
	check("a: {b: 1%, c: 2%}\n", "a:\n  b: 3%\n  c: 2%\n", "2 a.b: 1% -> 3%\n");
	check("a: 1\n", "", "0 a: 1 -> \n");
	check("", "a: {b: [x, y]}\n", "1 a.b:  -> x\n1 a.b:  -> y\n");
	check("a: {b: 1}\n", "a: never\n", "1 a: {b: 1} -> never\n");
}

static void
comments_order_and_quotes_are_no_difference(void)
{
	check("# one\na: 1\nb: \"two\"\n", "b: two # here\na: 1\n", "");
	check("- {x: 1}\n- {x: 2}\n", "- {x: 2}\n- {x: 1}\n", "");
	check("", "", "");
}

static void
items_of_one_subject_are_compared_with_each_other(void)
{
	check("- {function: a, fail: 5%}\n- {function: b, fail: 5%}\n",
		"- {function: c, fail: 5%}\n- {function: b, fail: 9%}\n",
		"0 : {function: a, fail: 5%} -> \n"
		"2 : {function: b, fail: 5%} -> {function: b, fail: 9%}\n"
		"1 :  -> {function: c, fail: 5%}\n");
	/* Twice the same is one more. */
	check("- {x: 1}\n", "- {x: 1}\n- {x: 1}\n", "2 :  -> {x: 1}\n");
}

static void
texts_are_one_line_and_cut(void)
{
	char *whole = mem_printf("a: \"%0*d\"\n", POLICY_TEXT_MAX + 1, 7);
	char *expected = mem_printf("1 a:  -> %0*d...\n", POLICY_TEXT_MAX, 0);

	check("", "a: \"x,\\ny\\\"\"\n", "1 a:  -> \"x,\\ny\\\"\"\n");
	check("", whole, expected);
	free(whole);
	free(expected);
}

static void
beyond_a_limit_they_are_counted(void)
{
	struct policy_changes changes = {0};
	const struct policy_change change = {
		.file = "f", .key = "k", .before = "", .after = "", .holds = "a new workload"};

	for (size_t i = 0; i < POLICY_CHANGES_MAX + 3; i++)
		policy_changes_add(&changes, &change);
	CU_ASSERT_EQUAL(changes.count, POLICY_CHANGES_MAX);
	CU_ASSERT_EQUAL(changes.left_out, 3);
	UNIT_STR_EQ(changes.items[0].holds, "a new workload");
	policy_changes_release(&changes);
}

void
suite_spec_policy_changes(void)
{
	static const struct unit_case cases[] = {
		{"each_key_that_differs_is_told_with_both_values",
			each_key_that_differs_is_told_with_both_values},
		{"comments_order_and_quotes_are_no_difference",
			comments_order_and_quotes_are_no_difference},
		{"items_of_one_subject_are_compared_with_each_other",
			items_of_one_subject_are_compared_with_each_other},
		{"texts_are_one_line_and_cut", texts_are_one_line_and_cut},
		{"beyond_a_limit_they_are_counted", beyond_a_limit_they_are_counted},
		{NULL, NULL},
	};

	unit_suite("spec/policy_changes", cases);
}
