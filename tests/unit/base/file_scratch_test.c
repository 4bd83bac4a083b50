#include "base/file.h"

#include "scratch.h"
#include "unit.h"

#include <unistd.h>

void suite_base_file_scratch(void);

static void
a_place_for_folders_is_tried(void)
{
	struct scratch scratch;
	struct err err = {0};

	scratch_init(&scratch);
	CU_ASSERT_EQUAL(file_dir_try(scratch.dir, &err), 0);
	/* Nothing is left. */
	CU_ASSERT_EQUAL(rmdir(scratch.dir), 0);
	CU_ASSERT_EQUAL(file_dir_try(scratch.dir, &err), -1);
	UNIT_CONTAINS(err.text, "cannot make a folder");
}

void
suite_base_file_scratch(void)
{
	static const struct unit_case cases[] = {
		{"a_place_for_folders_is_tried", a_place_for_folders_is_tried},
		{NULL, NULL},
	};

	unit_suite("base/file_scratch", cases);
}
