#include "cli/root.h"

#include "scratch.h"
#include "unit.h"

#include <sys/stat.h>
#include <unistd.h>

void suite_cli_root(void);

/* Some folders, and where we are among them. */
struct tree {
	struct scratch scratch;
	char before[256];
	struct root root;
};

static void
tree_begin(struct tree *tree, const char *const *folders, const char *here)
{
	struct err err = {0};

	*tree = (struct tree){0};
	scratch_init(&tree->scratch);
	CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(tree->before, sizeof(tree->before)));
	for (; *folders; folders++)
		CU_ASSERT_EQUAL(file_make_dirs(scratch_path(&tree->scratch, *folders), &err), 0);
	CU_ASSERT_EQUAL_FATAL(chdir(scratch_path(&tree->scratch, here)), 0);
	root_enter(&tree->root);
}

static void
tree_end(struct tree *tree)
{
	CU_ASSERT_EQUAL(chdir(tree->before), 0);
	root_release(&tree->root);
	scratch_release(&tree->scratch);
}

static void
the_folder_of_the_workloads_is_found_from_below(void)
{
	static const char *const folders[] = {".git", "workloads", "src/lib", NULL};
	struct tree tree;
	struct err err = {0};

	tree_begin(&tree, folders, "src/lib");
	UNIT_STR_EQ(tree.root.prefix, "src/lib/");
	CU_ASSERT(file_is_dir("workloads"));
	UNIT_STR_EQ(root_path(&tree.root, "../x"), "src/lib/../x");
	UNIT_STR_EQ(root_path(&tree.root, "/x"), "/x");
	UNIT_STR_EQ(root_path(&tree.root, "-"), "-");
	CU_ASSERT_PTR_NULL(root_path(&tree.root, NULL));
	CU_ASSERT_EQUAL(root_leave(&tree.root, &err), 0);
	CU_ASSERT(file_is_dir("../lib"));
	UNIT_STR_EQ(root_path(&tree.root, "x"), "x");
	tree_end(&tree);
}

static void
it_is_the_nearest_and_may_be_the_one_we_are_in(void)
{
	static const char *const folders[] = {
		".git", "workloads", "part/workloads", "part/b", NULL};
	struct tree tree;

	tree_begin(&tree, folders, "part/b");
	UNIT_STR_EQ(tree.root.prefix, "b/");
	tree_end(&tree);
	tree_begin(&tree, folders, "part");
	CU_ASSERT_PTR_NULL(tree.root.prefix);
	tree_end(&tree);
}

static void
nothing_beyond_the_repository_is_taken(void)
{
	static const char *const nested[] = {"workloads", "inner/.git", "inner/src", NULL};
	static const char *const none[] = {"workloads", "src", NULL};
	struct tree tree;

	tree_begin(&tree, nested, "inner/src");
	CU_ASSERT_PTR_NULL(tree.root.prefix);
	tree_end(&tree);
	tree_begin(&tree, none, "src");
	CU_ASSERT_PTR_NULL(tree.root.prefix);
	tree_end(&tree);
}

static const struct unit_case cases[] = {
	{"the_folder_of_the_workloads_is_found_from_below",
		the_folder_of_the_workloads_is_found_from_below},
	{"it_is_the_nearest_and_may_be_the_one_we_are_in",
		it_is_the_nearest_and_may_be_the_one_we_are_in},
	{"nothing_beyond_the_repository_is_taken", nothing_beyond_the_repository_is_taken},
	{NULL, NULL},
};

void
suite_cli_root(void)
{
	unit_suite("cli/root", cases);
}
