#include "base/file.h"

#include "scratch.h"
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

void suite_base_file_tree(void);

static void
removing_a_tree_does_not_follow_links(void)
{
	struct scratch scratch;
	struct err err = {0};

	scratch_init(&scratch);
	char *kept = file_join(scratch.dir, "kept");
	char *inside = file_join(scratch.dir, "kept/file");
	char *tree = file_join(scratch.dir, "tree/a/b");
	char *link = file_join(scratch.dir, "tree/a/link");
	char *top = file_join(scratch.dir, "tree");

	CU_ASSERT_EQUAL(file_make_dirs(kept, &err), 0);
	CU_ASSERT_EQUAL(file_write(inside, "x", 1, &err), 0);
	CU_ASSERT_EQUAL(file_make_dirs(tree, &err), 0);
	CU_ASSERT_EQUAL(symlink(kept, link), 0);
	CU_ASSERT_EQUAL(file_remove_tree(top, &err), 0);
	CU_ASSERT_FALSE(file_exists(top));
	CU_ASSERT_TRUE(file_exists(inside));
	CU_ASSERT_EQUAL(file_make_dirs(inside, &err), -1);
	free(kept);
	free(inside);
	free(tree);
	free(link);
	free(top);
	scratch_release(&scratch);
}

static void
a_folder_without_a_name_is_not_made(void)
{
	struct err err = {0};

	CU_ASSERT_EQUAL(file_make_dirs("", &err), -1);
	UNIT_CONTAINS(err.text, "cannot make the folder ''");
}

/* A problem of an earlier call, which errno still holds, is none of this call. */
static void
folders_are_made_whatever_errno_was(void)
{
	struct scratch scratch;
	struct err err = {0};

	scratch_init(&scratch);
	char *path = file_join(scratch.dir, "a/b");

	errno = EEXIST;
	CU_ASSERT_EQUAL(file_make_dirs(path, &err), 0);
	CU_ASSERT_TRUE(file_is_dir(path));
	CU_ASSERT_EQUAL(file_make_dirs(path, &err), 0);
	free(path);
	scratch_release(&scratch);
}

void
suite_base_file_tree(void)
{
	static const struct unit_case cases[] = {
		{"a_folder_without_a_name_is_not_made", a_folder_without_a_name_is_not_made},
		{"folders_are_made_whatever_errno_was", folders_are_made_whatever_errno_was},
		{"removing_a_tree_does_not_follow_links", removing_a_tree_does_not_follow_links},
		{NULL, NULL},
	};

	unit_suite("base/file_tree", cases);
}
