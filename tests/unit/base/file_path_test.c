#include "base/file.h"
#include "unit.h"

#include <stdlib.h>

void suite_base_file_path(void);

static void
a_path_is_below_a_folder_by_whole_parts(void)
{
	UNIT_STR_EQ(file_path_below("/folder/a/b", "/folder"), "a/b");
	UNIT_STR_EQ(file_path_below("/folder/", "/folder"), "");
	CU_ASSERT_PTR_NULL(file_path_below("/folder", "/folder"));
	CU_ASSERT_PTR_NULL(file_path_below("/folders/a", "/folder"));
	CU_ASSERT_PTR_NULL(file_path_below("/a", "/folder"));
	CU_ASSERT_PTR_NULL(file_path_below("/a", ""));
	CU_ASSERT_PTR_NULL(file_path_below("/a", NULL));
}

static void
a_path_from_here_is_whole_where_it_is_elsewhere(void)
{
	char *here = realpath(".", NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(here);
	char *path = file_join(here, "a/b");

	UNIT_STR_EQ(file_path_from_here(path), "a/b");
	UNIT_STR_EQ(file_path_from_here("/elsewhere/a"), "/elsewhere/a");
	free(path);
	free(here);
}

static const struct unit_case cases[] = {
	{"a_path_is_below_a_folder_by_whole_parts", a_path_is_below_a_folder_by_whole_parts},
	{"a_path_from_here_is_whole_where_it_is_elsewhere",
		a_path_from_here_is_whole_where_it_is_elsewhere},
	{NULL, NULL},
};

void
suite_base_file_path(void)
{
	unit_suite("base/file_path", cases);
}
