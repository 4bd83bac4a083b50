#include "base/file_guard.h"

#include "base/file.h"
#include "base/file_view.h"
#include "base/mem.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void suite_base_file_guard(void);

#define BYTES ((size_t)3 << 16)

static int
full_file(char path[32])
{
	struct err err = {0};
	char *bytes = mem_zalloc(1, BYTES);
	int fd;

	snprintf(path, 32, "/tmp/profile_run-guard.XXXXXX");
	fd = mkstemp(path);
	CU_ASSERT_FATAL(fd >= 0);
	memset(bytes, 'x', BYTES);
	CU_ASSERT_EQUAL(file_put(fd, bytes, BYTES, path, &err), 0);
	free(bytes);
	return fd;
}

static void
what_a_file_no_longer_has_is_read_as_zeros(void)
{
	char path[32];
	struct err err = {0};
	struct file_view view;
	int fd = full_file(path);

	file_guard_begin();
	CU_ASSERT_EQUAL_FATAL(file_view_open(&view, path, &err), 0);
	CU_ASSERT_EQUAL(view.data[BYTES - 1], 'x');
	CU_ASSERT_FALSE(file_view_was_cut(&view));
	CU_ASSERT_EQUAL(ftruncate(fd, 100), 0);
	/* For the page that the file still has, the kernel makes the rest zeros by itself. */
	CU_ASSERT_EQUAL(view.data[99], 'x');
	CU_ASSERT_EQUAL(view.data[1 << 16], 0);
	CU_ASSERT_EQUAL(view.data[BYTES - 1], 0);
	CU_ASSERT_TRUE(file_view_was_cut(&view));
	CU_ASSERT_FALSE(file_guard_unwatched_was_cut());
	file_view_close(&view);
	close(fd);
	unlink(path);
}

static void
files_that_are_not_watched_are_told_of_together(void)
{
	char path[32];
	int fd = full_file(path);
	char *map;

	file_guard_begin();
	map = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE, fd, 0);
	CU_ASSERT_FATAL(map != MAP_FAILED);
	CU_ASSERT_EQUAL(ftruncate(fd, 0), 0);
	CU_ASSERT_EQUAL(map[BYTES - 1], 0);
	CU_ASSERT_TRUE(file_guard_unwatched_was_cut());
	munmap(map, BYTES);
	close(fd);
	unlink(path);
}

void
suite_base_file_guard(void)
{
	static const struct unit_case cases[] = {
		{"what_a_file_no_longer_has_is_read_as_zeros",
			what_a_file_no_longer_has_is_read_as_zeros},
		{"files_that_are_not_watched_are_told_of_together",
			files_that_are_not_watched_are_told_of_together},
		{NULL, NULL},
	};

	unit_suite("base/file_guard", cases);
}
