#include "base/lock.h"

#include "base/file.h"
#include "unit.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void suite_base_lock(void);

static const struct lock_wait at_once;

static void
a_file_is_locked_until_it_is_closed(void)
{
	struct err err = {0};
	char *folder = NULL;

	CU_ASSERT_EQUAL_FATAL(file_dir_scratch(&folder, &err), 0);
	char *path = file_join(folder, "lock");
	int fd = lock_file(path, &at_once, &err);

	CU_ASSERT(fd >= 0);
	CU_ASSERT_EQUAL(lock_file(path, &at_once, &err), -1);
	UNIT_CONTAINS(err.text, "locked by another");
	close(fd);
	fd = lock_file(path, &at_once, &err);
	CU_ASSERT(fd >= 0);
	CU_ASSERT_TRUE(lock_try(fd));
	close(fd);
	free(path);
	file_dir_abandon(folder);
}

static void
a_folder_is_locked_and_nothing_is_left_in_it(void)
{
	struct err err = {0};
	char *scratch = NULL;

	CU_ASSERT_EQUAL_FATAL(file_dir_scratch(&scratch, &err), 0);
	char *folder = file_join(scratch, "folder");

	CU_ASSERT_EQUAL_FATAL(mkdir(folder, 0700), 0);
	int fd = lock_dir(folder, ".lock", &at_once, &err);

	CU_ASSERT(fd >= 0);
	CU_ASSERT_EQUAL(lock_dir(folder, NULL, &at_once, &err), -1);
	UNIT_CONTAINS(err.text, "locked by another");
	close(fd);
	CU_ASSERT_EQUAL(rmdir(folder), 0);
	CU_ASSERT_EQUAL(lock_dir(folder, NULL, &at_once, &err), -1);
	UNIT_CONTAINS(err.text, "cannot lock");
	free(folder);
	file_dir_abandon(scratch);
}

static int
hang_up(struct err *err)
{
	return err_set_interrupted(err, SIGHUP);
}

static void
waiting_is_interrupted(void)
{
	const struct lock_wait wait = {.seconds = 60, .check = hang_up};
	struct err err = {0};
	char *scratch = NULL;

	CU_ASSERT_EQUAL_FATAL(file_dir_scratch(&scratch, &err), 0);
	char *folder = file_join(scratch, "folder");

	CU_ASSERT_EQUAL_FATAL(mkdir(folder, 0700), 0);
	int fd = lock_dir(folder, NULL, &at_once, &err);

	CU_ASSERT(fd >= 0);
	CU_ASSERT_EQUAL(lock_dir(folder, NULL, &wait, &err), -1);
	CU_ASSERT_EQUAL(err.kind, ERR_INTERRUPTED);
	CU_ASSERT_EQUAL(err.signal, SIGHUP);
	close(fd);
	free(folder);
	file_dir_abandon(scratch);
}

void
suite_base_lock(void)
{
	static const struct unit_case cases[] = {
		{"a_file_is_locked_until_it_is_closed", a_file_is_locked_until_it_is_closed},
		{"a_folder_is_locked_and_nothing_is_left_in_it",
			a_folder_is_locked_and_nothing_is_left_in_it},
		{"waiting_is_interrupted", waiting_is_interrupted},
		{0},
	};

	unit_suite("base/lock", cases);
}
