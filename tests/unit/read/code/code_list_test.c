
#include "code/code_list.h"

#include "code/inventory.h"
#include "unit.h"

#include <string.h>

void suite_code_code_list(void);

__attribute__((noinline, used)) static int
function_of_list(int x)
{
	__asm__ volatile("");
	return x * 5;
}

static void
own_functions_are_found_again(void)
{
	static const char *const sampled[] = {"function_of_list", NULL};
	struct code_inventory own;
	struct code_lists lists;
	struct err err = {0};
	struct buf text = {0};

	(void)function_of_list(1);
	CU_ASSERT_EQUAL_FATAL(code_inventory_open(&own, "/proc/self/exe", NULL, &err), 0);
	code_lists_put(&text, "0123", "abc");
	CU_ASSERT_EQUAL_FATAL(
		code_list_put(&text, "/proc/self/exe", "a name", "d1", NULL, sampled, &err), 0);
	CU_ASSERT_EQUAL_FATAL(
		code_lists_read(&lists, "code.txt", buf_text(&text), text.len, &err), 0);
	CU_ASSERT_STRING_EQUAL(lists.program_hash, "0123");
	CU_ASSERT_STRING_EQUAL(lists.commit, "abc");
	CU_ASSERT_PTR_NULL(code_lists_find(&lists, "another"));
	const struct code_list *list = code_lists_find(&lists, "a name");

	UNIT_NEED(list);
	CU_ASSERT_STRING_EQUAL(list->digest, "d1");
	/* A line of 13 bytes for each name, and four lines. */
	CU_ASSERT(text.len < 13 * list->nfunctions + 100);
	if (own.image.complete) {
		const struct code_known known = code_list_known(list, "function_of_list");

		CU_ASSERT(known.found && known.complete);
		CU_ASSERT_EQUAL(known.hash, code_inventory_known(&own, "function_of_list").hash);
	}
	CU_ASSERT_FALSE(code_list_known(list, "no_such_function").found);
	code_lists_release(&lists);
	code_inventory_close(&own);
	buf_release(&text);
}

#define HEAD "# profile_run code 1\n# program: 12\n# commit: -\n"

static void
bad_text_is_an_error_with_its_line(void)
{
	static const struct {
		const char *text;
		const char *error; /* NULL: it is good */
	} cases[] = {
		{HEAD, NULL},
		{HEAD "file d some 2 a\nAAAAAAAAAAAB\nAAAAABAAAAAB\n", NULL},
		{"", "code.txt:0"},
		{"# profile_run code 2\n", "code.txt:1"},
		{"# profile_run code 1\n# commit: -\n", "code.txt:2"},
		{HEAD "file d some 2 a\nAAAAABAAAAAB\nAAAAAAAAAAAB\n", "code.txt:6"},
		{HEAD "file d some 1 a\nAAAAAAAAAAA\n\n", "code.txt:5"},
		{HEAD "file d some 1 a\nAAAAAAAAAA-A\n", "code.txt:5"},
		{HEAD "file d some 99999999 a\nAAAAAAAAAAAB\n", "code.txt:4"},
		{HEAD "file d some 1\nAAAAAAAAAAAB\n", "code.txt:4"},
		{HEAD "file d none 0 a\n", "code.txt:4"},
		{HEAD "folder d some 0 a\n", "code.txt:4"},
		{HEAD "file d some 0 a", "code.txt:3"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct code_lists lists;
		struct err err = {0};
		const int result = code_lists_read(
			&lists, "code.txt", cases[i].text, strlen(cases[i].text), &err);

		CU_ASSERT_EQUAL(result, cases[i].error ? -1 : 0);
		if (cases[i].error)
			UNIT_CONTAINS(err.text, cases[i].error);
		code_lists_release(&lists);
	}
}

static const struct unit_case cases[] = {
	{"own_functions_are_found_again", own_functions_are_found_again},
	{"bad_text_is_an_error_with_its_line", bad_text_is_an_error_with_its_line},
	{NULL, NULL},
};

void
suite_code_code_list(void)
{
	unit_suite("code/code_list", cases);
}
