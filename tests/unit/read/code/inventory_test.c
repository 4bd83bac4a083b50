
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

static const struct unit_case cases[] = {
	{"a_function_is_read_when_it_is_asked_for", test_self},
	{"names_are_folded_by_the_caller", test_order},
	{"what_is_no_program_is_an_error", test_errors},
	{NULL, NULL},
};

void
suite_code_inventory(void)
{
	unit_suite("code/inventory", cases);
}
