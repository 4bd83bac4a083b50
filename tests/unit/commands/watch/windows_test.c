#include "watch/windows.h"

#include "base/file.h"
#include "scratch.h"
#include "unit.h"
#include "windows_fixture.h"

void suite_watch_windows(void);

static size_t
count(const struct scratch *scratch)
{
	struct err err = {0};
	struct windows windows;

	CU_ASSERT_EQUAL_FATAL(windows_list(&windows, scratch->dir, &err), 0);
	size_t n = windows.count;

	windows_release(&windows);
	return n;
}

static void
the_oldest_are_removed(void)
{
	struct scratch scratch;
	struct windows windows;
	struct err err = {0};

	scratch_init(&scratch);
	for (unsigned i = 0; i < 5; i++)
		windows_fixture_add(&scratch, i, "a;f 1\n");
	CU_ASSERT_EQUAL(file_write(scratch_path(&scratch, "notes.folded"), "x", 1, &err), 0);
	CU_ASSERT_EQUAL(
		file_write(scratch_path(&scratch, "20270115T080000Z.folded~"), "x", 1, &err), 0);
	CU_ASSERT_EQUAL(windows_prune(scratch.dir, 2, &err), 0);
	CU_ASSERT_EQUAL_FATAL(windows_list(&windows, scratch.dir, &err), 0);
	CU_ASSERT_EQUAL_FATAL(windows.count, 2);
	CU_ASSERT_EQUAL(windows.started[0], windows_fixture_start(3));
	CU_ASSERT_EQUAL(scratch_count(&scratch), 4);
	windows_release(&windows);
	CU_ASSERT_EQUAL(windows_prune(scratch.dir, 5, &err), 0);
	CU_ASSERT_EQUAL(count(&scratch), 2);
	scratch_release(&scratch);
}

static void
a_folder_may_have_no_windows(void)
{
	struct scratch scratch;

	scratch_init(&scratch);
	CU_ASSERT_FALSE(windows_are_in(scratch.dir));
	windows_fixture_add(&scratch, 0, "a;f 1\n");
	CU_ASSERT_TRUE(windows_are_in(scratch.dir));
	CU_ASSERT_FALSE(windows_are_in("/nonexistent"));
	scratch_release(&scratch);
}

void
suite_watch_windows(void)
{
	static const struct unit_case cases[] = {
		{"the_oldest_are_removed", the_oldest_are_removed},
		{"a_folder_may_have_no_windows", a_folder_may_have_no_windows},
		{NULL, NULL},
	};

	unit_suite("watch/windows", cases);
}
