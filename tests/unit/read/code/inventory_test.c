#include "code/inventory.h"

#include "unit.h"

#include <string.h>

void suite_code_inventory(void);

__attribute__((noinline, used)) static int
own_function(int x)
{
	__asm__ volatile("");
	return x * 3;
}

static bool
fold_dots(const char *name, size_t len, struct buf *out)
{
	const char *dot = memchr(name, '.', len);

	buf_clear(out);
	if (!dot || dot == name)
		return false;
	buf_put(out, name, (size_t)(dot - name));
	return true;
}

static void
test_self(void)
{
	struct code_inventory inventory;
	struct code_function *function;
	struct err err = {0};
	size_t count;

	(void)own_function(1);
	CU_ASSERT_EQUAL_FATAL(code_inventory_open(&inventory, "/proc/self/exe", NULL, &err), 0);
	if (!inventory.image.complete) {
		unit_skip("this program is stripped");
		code_inventory_close(&inventory);
		return;
	}
	function = code_inventory_find(&inventory, "own_function", &count);
	CU_ASSERT_EQUAL(count, 1);
	UNIT_NEED(function);
	CU_ASSERT_FALSE(function->known);
	uint64_t hash = code_inventory_hash(&inventory, function);

	CU_ASSERT_TRUE(function->known);
	CU_ASSERT_EQUAL(code_inventory_hash(&inventory, function), hash);
	CU_ASSERT_PTR_NULL(code_inventory_find(&inventory, "no_such_function", &count));
	CU_ASSERT_PTR_NULL(code_inventory_find(&inventory, "", &count));
	CU_ASSERT_EQUAL(count, 0);
	code_inventory_close(&inventory);
}

static void
test_order(void)
{
	struct code_inventory inventory;
	struct err err = {0};
	size_t known = 0;

	CU_ASSERT_EQUAL_FATAL(
		code_inventory_open(&inventory, "/proc/self/exe", fold_dots, &err), 0);
	for (size_t i = 0; i < inventory.nfunctions; i++) {
		const char *name = strtab_str(&inventory.names, inventory.functions[i].name);
		size_t count;

		CU_ASSERT_TRUE(name[0] == '.' || strchr(name, '.') == NULL);
		CU_ASSERT_PTR_NOT_NULL(code_inventory_find(&inventory, name, &count));
		known += inventory.functions[i].known;
	}
	CU_ASSERT_EQUAL(known, 0);
	code_inventory_close(&inventory);
}

static void
test_errors(void)
{
	struct code_inventory inventory;
	struct err err = {0};

	CU_ASSERT_EQUAL(code_inventory_open(&inventory, "/proc/self/maps", NULL, &err), -1);
	UNIT_CONTAINS(err.text, "/proc/self/maps");
	code_inventory_close(&inventory);
	CU_ASSERT_EQUAL(code_inventory_open(&inventory, "/nonexistent", NULL, &err), -1);
	code_inventory_close(&inventory);
}

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
	{"a_function_is_read_when_it_is_asked_for", test_self},
	{"names_are_folded_by_the_caller", test_order},
	{"what_is_no_program_is_an_error", test_errors},
	{"own_functions_are_found_again", own_functions_are_found_again},
	{"bad_text_is_an_error_with_its_line", bad_text_is_an_error_with_its_line},
	{NULL, NULL},
};

void
suite_code_inventory(void)
{
	unit_suite("code/inventory", cases);
}
