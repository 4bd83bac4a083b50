#include "ingest/selection.h"

#include "unit.h"

#include <stdlib.h>

void suite_ingest_selection(void);

static bool
takes(const char *wanted, const char *name, size_t len)
{
	const struct ingest_options options = {.comm = wanted};

	return selection_takes(&options, 7, 8, name, len);
}

static void
test_match(void)
{
	CU_ASSERT(takes("a b", "a b", 3));
	CU_ASSERT(takes("a_b", "a b", 3));
	CU_ASSERT(takes("a b", "a_b", 3));
	CU_ASSERT(!takes("a b", "a-b", 3));
	CU_ASSERT(!takes("a b", "a b", 2));
	CU_ASSERT(!takes("a", "ab", 2));
	CU_ASSERT(takes("", "x", 0));
}

static void
expect_value(enum label_kind kind, const char *name, const char *expected)
{
	char *text = selection_value(kind, name, strlen(name), 7, 8);

	UNIT_STR_EQ(text, expected);
	free(text);
}

static void
test_roots(void)
{
	expect_value(LABEL_THREAD, "a b", "a_b");
	expect_value(LABEL_PROCESS, "", "(unnamed)");
	expect_value(LABEL_PID, "a b", "a_b-7");
	expect_value(LABEL_TID, "a", "a-7/8");
}

void
suite_ingest_selection(void)
{
	static const struct unit_case cases[] = {
		{"a_space_and_an_underscore_match_each_other", test_match},
		{"roots_are_called_as_they_are_shown", test_roots},
		{NULL, NULL},
	};

	unit_suite("ingest/selection", cases);
}
