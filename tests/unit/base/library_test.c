#include "base/library.h"

#include "unit.h"

void suite_base_library(void);

static void
a_function_is_found_by_its_name(void)
{
	size_t (*length)(const char *text) = NULL;
	void *library = dlopen("libc.so.6", RTLD_NOW | RTLD_LOCAL);

	UNIT_NEED(library);
	CU_ASSERT_TRUE(library_function(library, "strlen", (void *)&length));
	UNIT_NEED(length);
	CU_ASSERT_EQUAL(length("four"), 4);
}

static void
a_name_that_is_not_there_leaves_none(void)
{
	void (*none)(void) = a_function_is_found_by_its_name;
	void *library = dlopen("libc.so.6", RTLD_NOW | RTLD_LOCAL);

	UNIT_NEED(library);
	CU_ASSERT_FALSE(library_function(library, "no_such_function_here", (void *)&none));
	CU_ASSERT_PTR_NULL(none);
}

void
suite_base_library(void)
{
	static const struct unit_case cases[] = {
		{"a_function_is_found_by_its_name", a_function_is_found_by_its_name},
		{"a_name_that_is_not_there_leaves_none", a_name_that_is_not_there_leaves_none},
		{NULL, NULL},
	};

	unit_suite("base/library", cases);
}
