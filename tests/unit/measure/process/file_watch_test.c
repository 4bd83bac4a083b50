#include "process/file_watch.h"

#include "process/process.h"
#include "scratch.h"
#include "unit.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void suite_process_file_watch(void);

/* A shell that runs `command` in the scratch folder, watched to its end. */
static void
watch(struct scratch *scratch, const char *command, struct run_files *files)
{
	const char *const argv[] = {"/bin/sh", "-c", command, NULL};
	struct err err = {0};
	struct child child;
	struct child_spec spec = {.argv = argv,
		.cwd = scratch->dir,
		.measured = true,
		.file_watch = file_watch_begin(&err)};

	CU_ASSERT_PTR_NOT_NULL_FATAL(spec.file_watch);
	CU_ASSERT_EQUAL(process_run(&child, &spec, "sh", 20, &err), 0);
	CU_ASSERT_EQUAL(child_judge(&child, "sh", &err), 0);
	file_watch_end(spec.file_watch, files);
	if (!files->known)
		printf("  %s\n", files->why);
}

static void
put(struct scratch *scratch, const char *name, const char *text)
{
	struct err err = {0};

	CU_ASSERT_EQUAL(file_write(scratch_path(scratch, name), text, strlen(text), &err), 0);
	chmod(scratch->path, 0755);
}

static unsigned
uses(const struct run_files *files, const char *path)
{
	const struct run_file *file = run_files_find(files, path);

	return file ? file->uses : 0;
}

static void
each_use_of_a_file_is_seen(void)
{
	struct scratch scratch;
	struct run_files files;

	scratch_init(&scratch);
	put(&scratch, "data", "1\n");
	watch(&scratch, "cat <data >out; cat out; : >>data", &files);
	CU_ASSERT_TRUE(files.known);
	CU_ASSERT_EQUAL(
		uses(&files, scratch_path(&scratch, "data")), RUN_FILE_READ | RUN_FILE_WRITTEN);
	/* It was not there when it was first opened. */
	CU_ASSERT_EQUAL(uses(&files, scratch_path(&scratch, "out")), RUN_FILE_READ);
	char *cat = realpath("/bin/cat", NULL);

	CU_ASSERT_EQUAL(uses(&files, cat), RUN_FILE_EXECUTED);
	CU_ASSERT_STRING_EQUAL(
		file_basename(run_files_find(&files, scratch_path(&scratch, "out"))->by), "cat");
	free(cat);
	bool libc = false;

	for (size_t i = 0; i < files.count; i++)
		libc = libc || (strstr(files.files[i].path, "libc.so") &&
				       files.files[i].uses == (RUN_FILE_MAPPED | RUN_FILE_READ));
	CU_ASSERT_TRUE(libc);
	run_files_release(&files);
	scratch_release(&scratch);
}

static void
a_link_is_followed_and_its_name_kept(void)
{
	struct scratch scratch;
	struct run_files files;
	char link[256];

	scratch_init(&scratch);
	put(&scratch, "data", "1\n");
	snprintf(link, sizeof(link), "%s/link", scratch.dir);
	CU_ASSERT_EQUAL(symlink("data", link), 0);
	watch(&scratch, "cd /; cat \"$OLDPWD/link\"; cd - >/dev/null; cat link", &files);
	const struct run_file *file = run_files_find(&files, scratch_path(&scratch, "data"));

	UNIT_NEED(file);
	CU_ASSERT_STRING_EQUAL(file->name, link);
	run_files_release(&files);
	scratch_release(&scratch);
}

static void
a_script_and_its_interpreters_are_executed(void)
{
	struct scratch scratch;
	struct run_files files;
	char line[256];

	scratch_init(&scratch);
	put(&scratch, "inner", "#!/bin/sh\nexec /bin/sh \"$1\"\n");
	snprintf(line, sizeof(line), "#!%s/inner\ntrue\n", scratch.dir);
	put(&scratch, "outer", line);
	watch(&scratch, "./outer", &files);
	CU_ASSERT_TRUE(uses(&files, scratch_path(&scratch, "outer")) & RUN_FILE_EXECUTED);
	const struct run_file *inner = run_files_find(&files, scratch_path(&scratch, "inner"));

	UNIT_NEED(inner);
	CU_ASSERT_TRUE(inner->uses & RUN_FILE_EXECUTED);
	CU_ASSERT_STRING_EQUAL(inner->by, scratch_path(&scratch, "outer"));
	run_files_release(&files);
	scratch_release(&scratch);
}

/* Many processes at once, and some that outlive the one that was started. */
static void
all_descendants_are_watched(void)
{
	struct scratch scratch;
	struct run_files files;
	char name[16];

	scratch_init(&scratch);
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		put(&scratch, name, "x");
	}
	watch(&scratch,
		"for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do (exec cat f$i >/dev/null) & done; "
		"wait; (setsid sh -c 'sleep 60' &)",
		&files);
	CU_ASSERT_TRUE(files.known);
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		CU_ASSERT_EQUAL(uses(&files, scratch_path(&scratch, name)), RUN_FILE_READ);
	}
	run_files_release(&files);
	scratch_release(&scratch);
}

/* A folder that the run itself mounts elsewhere, or makes its root folder. */
static void
files_behind_other_mounts_have_their_paths_here(void)
{
	struct scratch scratch;
	struct run_files files;

	if (system("unshare -rm true 2>/dev/null") != 0) {
		unit_skip("user namespaces are refused");
		return;
	}
	scratch_init(&scratch);
	put(&scratch, "a b", "#!/bin/sh\n");
	put(&scratch, "data", "1");
	watch(&scratch,
		"exec unshare -rm sh -c 'mount --bind . /mnt && \"/mnt/a b\" && cat /mnt/data >/dev/null'",
		&files);
	CU_ASSERT_TRUE(uses(&files, scratch_path(&scratch, "a b")) & RUN_FILE_EXECUTED);
	CU_ASSERT_TRUE(uses(&files, scratch_path(&scratch, "data")) & RUN_FILE_READ);
	CU_ASSERT_EQUAL(uses(&files, "/mnt/data"), 0);
	char *cat = realpath("/bin/cat", NULL);

	CU_ASSERT_TRUE(uses(&files, cat) & RUN_FILE_EXECUTED);
	free(cat);
	run_files_release(&files);
	/* Seen from a root folder that is no mount, no mount is listed. */
	watch(&scratch, "unshare -r chroot . '/a b' 2>/dev/null || true", &files);
	CU_ASSERT_TRUE(uses(&files, scratch_path(&scratch, "a b")) & RUN_FILE_EXECUTED);
	run_files_release(&files);
	scratch_release(&scratch);
}

static const struct unit_case cases[] = {
	{"each_use_of_a_file_is_seen", each_use_of_a_file_is_seen},
	{"a_link_is_followed_and_its_name_kept", a_link_is_followed_and_its_name_kept},
	{"a_script_and_its_interpreters_are_executed", a_script_and_its_interpreters_are_executed},
	{"all_descendants_are_watched", all_descendants_are_watched},
	{"files_behind_other_mounts_have_their_paths_here",
		files_behind_other_mounts_have_their_paths_here},
	{NULL, NULL},
};

void
suite_process_file_watch(void)
{
	unit_suite("process/file_watch", cases);
}
