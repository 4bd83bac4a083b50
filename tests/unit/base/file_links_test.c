#include "base/file_links.h"

#include "scratch.h"
#include "unit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

void suite_base_file_links(void);

static void
missing_folders_are_made_as_asked_for(void)
{
	struct scratch scratch;
	struct err err = {0};

	scratch_init(&scratch);
	const char *path = scratch_path(&scratch, "a/b/c");
	int fd = file_open_folder(path, 2, false, &err);

	CU_ASSERT_EQUAL(fd, -1);
	CU_ASSERT_EQUAL(errno, ENOENT);
	err = (struct err){0};
	fd = file_open_folder(path, 2, true, &err);
	CU_ASSERT_TRUE(fd >= 0 && file_is_dir(path));
	close(fd);
	/* More levels than it has. */
	fd = file_open_folder(path, 100, false, &err);
	CU_ASSERT_TRUE(fd >= 0);
	close(fd);
	scratch_release(&scratch);
}

static void
links_are_followed_above_the_last_parts_only(void)
{
	struct scratch scratch;
	struct err err = {0};

	scratch_init(&scratch);
	CU_ASSERT_EQUAL(mkdir(scratch_path(&scratch, "real"), 0700), 0);
	CU_ASSERT_EQUAL(mkdir(scratch_path(&scratch, "real/x"), 0700), 0);
	CU_ASSERT_EQUAL(symlink("real", scratch_path(&scratch, "link")), 0);
	int fd = file_open_folder(scratch_path(&scratch, "link//x/"), 1, false, &err);

	CU_ASSERT_TRUE(fd >= 0);
	close(fd);
	for (int make = 0; make <= 1; make++) {
		err = (struct err){0};
		fd = file_open_folder(scratch_path(&scratch, "link/y"), 2, make != 0, &err);
		CU_ASSERT_EQUAL(fd, -1);
		UNIT_CONTAINS(err.text, "/link' is a symbolic link");
	}
	CU_ASSERT_FALSE(file_exists(scratch_path(&scratch, "real/y")));
	scratch_release(&scratch);
}

static void
only_ordinary_files_are_read(void)
{
	struct scratch scratch;
	struct buf text = {0};
	struct err err = {0};

	scratch_init(&scratch);
	CU_ASSERT_EQUAL(file_write(scratch_path(&scratch, "file"), "text", 4, &err), 0);
	CU_ASSERT_EQUAL(symlink("file", scratch_path(&scratch, "link")), 0);
	CU_ASSERT_EQUAL(mkfifo(scratch_path(&scratch, "pipe"), 0600), 0);
	int fd = file_open_folder(scratch.dir, 1, false, &err);

	CU_ASSERT_EQUAL(file_read_in(fd, "file", "dir/file", &text, 100, &err), 0);
	CU_ASSERT_STRING_EQUAL(buf_text(&text), "text");
	CU_ASSERT_EQUAL(file_read_in(fd, "link", "dir/link", &text, 100, &err), -1);
	UNIT_CONTAINS(err.text, "'dir/link' is a symbolic link");
	CU_ASSERT_EQUAL(file_read_in(fd, "pipe", "dir/pipe", &text, 100, &err), -1);
	UNIT_CONTAINS(err.text, "'dir/pipe' is not an ordinary file");
	CU_ASSERT_EQUAL(file_read_in(fd, "none", "dir/none", &text, 100, &err), -1);
	UNIT_CONTAINS(err.text, "No such file");
	close(fd);
	buf_release(&text);
	scratch_release(&scratch);
}

static void
a_link_of_another_user_is_refused(void)
{
	struct scratch scratch;
	struct err err = {0};

	if (geteuid() != 0) {
		unit_skip("only root can make one");
		return;
	}
	scratch_init(&scratch);
	CU_ASSERT_EQUAL(mkdir(scratch_path(&scratch, "real"), 0700), 0);
	CU_ASSERT_EQUAL(symlink("real", scratch_path(&scratch, "link")), 0);
	CU_ASSERT_EQUAL(file_make_output_folder(scratch_path(&scratch, "link/a"), &err), 0);
	CU_ASSERT_EQUAL(lchown(scratch_path(&scratch, "link"), 65534, 65534), 0);
	CU_ASSERT_EQUAL(file_make_output_folder(scratch_path(&scratch, "link/b"), &err), -1);
	UNIT_CONTAINS(err.text, "/link' is a symbolic link of another user (uid 65534)");
	CU_ASSERT_FALSE(file_exists(scratch_path(&scratch, "real/b")));
	scratch_release(&scratch);
}

static const struct unit_case cases[] = {
	{"missing_folders_are_made_as_asked_for", missing_folders_are_made_as_asked_for},
	{"links_are_followed_above_the_last_parts_only",
		links_are_followed_above_the_last_parts_only},
	{"only_ordinary_files_are_read", only_ordinary_files_are_read},
	{"a_link_of_another_user_is_refused", a_link_of_another_user_is_refused},
	{NULL, NULL},
};

void
suite_base_file_links(void)
{
	unit_suite("base/file_links", cases);
}
