#include "process/process.h"

#include "base/file.h"
#include "base/mem.h"

#include "scratch.h"
#include "unit.h"

#include <sys/stat.h>

void suite_process_find_program(void);

/* Below the scratch folder: a/tool is a folder, b/tool cannot be executed, c/tool can. */
static void
put_tools(struct scratch *scratch)
{
	static const char *const folders[] = {"a", "b", "c"};
	struct err err = {.kind = ERR_NONE};

	scratch_init(scratch);
	for (size_t i = 0; i < 3; i++) {
		char *folder = file_join(scratch->dir, folders[i]);
		char *tool = file_join(folder, "tool");

		CU_ASSERT_EQUAL_FATAL(file_make_dirs(i == 0 ? tool : folder, &err), 0);
		if (i > 0)
			CU_ASSERT_EQUAL_FATAL(file_write(tool, "#!/bin/sh\n", 10, &err), 0);
		if (i == 2)
			CU_ASSERT_EQUAL(chmod(tool, 0755), 0);
		free(tool);
		free(folder);
	}
}

static void
expect(const char *name, const char *path, const char *cwd, const char *wanted)
{
	const char *const env[] = {"OTHER=a", path, NULL};
	char *found = find_program(name, env, cwd);

	if (wanted) {
		UNIT_NEED(found);
		UNIT_STR_EQ(found, wanted);
	} else {
		CU_ASSERT_PTR_NULL(found);
	}
	free(found);
}

static void
a_program_is_an_executable_file_along_its_own_path(void)
{
	struct scratch scratch;

	put_tools(&scratch);
	char *path =
		mem_printf("PATH=/nowhere:%s/a:%s/b:%s/c", scratch.dir, scratch.dir, scratch.dir);
	char *tool = file_join(scratch.dir, "c/tool");

	expect("tool", path, NULL, tool);
	expect("tool", "PATH=a:b:c", scratch.dir, tool);
	expect("tool", "PATH=/nowhere", NULL, NULL);
	free(tool);
	free(path);
	scratch_release(&scratch);
}

static void
an_empty_entry_is_the_folder_it_runs_in(void)
{
	struct scratch scratch;

	put_tools(&scratch);
	char *folder = file_join(scratch.dir, "c");
	char *tool = file_join(folder, "tool");

	expect("tool", "PATH=/nowhere::/bin", folder, tool);
	expect("tool", "PATH=/nowhere:", folder, tool);
	expect("tool", "PATH=", folder, tool);
	free(tool);
	free(folder);
	scratch_release(&scratch);
}

static void
a_path_is_seen_from_where_it_runs(void)
{
	expect("./tool", "PATH=/bin", "/there", "/there/./tool");
	expect("./tool", "PATH=/bin", NULL, "./tool");
	expect("/bin/tool", "PATH=/bin", "/there", "/bin/tool");
}

void
suite_process_find_program(void)
{
	static const struct unit_case cases[] = {
		{"a_program_is_an_executable_file_along_its_own_path",
			a_program_is_an_executable_file_along_its_own_path},
		{"an_empty_entry_is_the_folder_it_runs_in",
			an_empty_entry_is_the_folder_it_runs_in},
		{"a_path_is_seen_from_where_it_runs", a_path_is_seen_from_where_it_runs},
		{NULL, NULL},
	};

	unit_suite("process/find_program", cases);
}
