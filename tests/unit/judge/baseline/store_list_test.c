#include "baseline_fixture.h"

#include "base/log.h"
#include "stderr_file.h"

#include <unistd.h>

void suite_baseline_store_list(void);

static void
write_named(struct baseline_fixture *f, const char *class, const char *workload)
{
	char *folder = baseline_path(f->dir, class, workload, "cpu");

	CU_ASSERT_EQUAL_FATAL(baseline_write(folder, &f->info, &f->profile, &f->err), 0);
	free(folder);
}

static void
baselines_are_listed_in_order_and_foreign_files_passed_over(void)
{
	struct baseline_fixture f;
	struct baseline_list list;
	char path[160];
	enum log_level level = log_get_level();

	baseline_fixture_init(&f);
	write_named(&f, "b", "x");
	write_named(&f, "a", "y");
	write_named(&f, "a", "x");
	snprintf(path, sizeof(path), "%s/README.md", f.dir);
	CU_ASSERT_EQUAL(file_write(path, "x", 1, &f.err), 0);
	snprintf(path, sizeof(path), "%s/a/x/empty", f.dir);
	CU_ASSERT_EQUAL(file_make_dirs(path, &f.err), 0);
	/* Names that are like those of a replacement. */
	snprintf(path, sizeof(path), "%s/a/x/.previous", f.dir);
	CU_ASSERT_EQUAL(file_make_dirs(path, &f.err), 0);
	snprintf(path, sizeof(path), "%s/a/x/..previous", f.dir);
	CU_ASSERT_EQUAL(file_make_dirs(path, &f.err), 0);
	snprintf(path, sizeof(path), "%s/.git/x/y", f.dir);
	CU_ASSERT_EQUAL(file_make_dirs(path, &f.err), 0);
	log_set_level(LOG_ERROR);
	CU_ASSERT_EQUAL_FATAL(baseline_list_read(&list, f.dir, &f.err), 0);
	log_set_level(level);
	CU_ASSERT_EQUAL_FATAL(list.nentries, 3);
	UNIT_STR_EQ(list.entries[0].machine_class, "a");
	UNIT_STR_EQ(list.entries[0].workload, "x");
	UNIT_STR_EQ(list.entries[1].workload, "y");
	UNIT_STR_EQ(list.entries[2].machine_class, "b");
	UNIT_STR_EQ(list.entries[2].metric, "cpu");
	CU_ASSERT_EQUAL(baseline_read(&f.read, list.entries[2].folder, &f.found, &f.err), 0);
	CU_ASSERT_FATAL(f.found);
	baseline_release(&f.read);
	baseline_list_release(&list);
	baseline_fixture_release(&f);
}

/* As a process leaves it that is killed while it replaces a baseline in two steps. */
static void
interrupt(const struct baseline_fixture *f)
{
	char previous[160];

	snprintf(previous, sizeof(previous), "%.*s.%s.previous",
		(int)(file_basename(f->folder) - f->folder), f->folder, file_basename(f->folder));
	CU_ASSERT_EQUAL_FATAL(rename(f->folder, previous), 0);
}

static void
a_baseline_whose_replacement_was_interrupted_is_put_back(void)
{
	struct baseline_fixture f;
	struct baseline_list list;
	struct stderr_file file;
	char text[512];
	enum log_level level = log_get_level();

	baseline_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	interrupt(&f);
	stderr_file_begin(&file);
	CU_ASSERT_EQUAL(baseline_fixture_read(&f), 0);
	stderr_file_end(&file, text, sizeof(text));
	UNIT_CONTAINS(text, f.folder);
	UNIT_CONTAINS(text, "has been put back");
	CU_ASSERT(f.found);
	baseline_release(&f.read);
	log_set_level(LOG_ERROR);
	interrupt(&f);
	CU_ASSERT_EQUAL_FATAL(baseline_list_read(&list, f.dir, &f.err), 0);
	CU_ASSERT_EQUAL_FATAL(list.nentries, 1);
	UNIT_STR_EQ(list.entries[0].folder, f.folder);
	CU_ASSERT(file_is_dir(f.folder));
	baseline_list_release(&list);
	/* The next writer does, too. */
	interrupt(&f);
	CU_ASSERT_EQUAL(baseline_fixture_write(&f), 0);
	CU_ASSERT_FALSE(file_dir_is_interrupted(f.folder));
	log_set_level(level);
	baseline_fixture_release(&f);
}

/* It may lead to another store, or to nothing. */
static void
links_are_passed_over_and_metrics_are_in_order(void)
{
	static const char *const metrics[] = {"wall", "alloc", "cpu"};
	struct baseline_fixture f;
	struct baseline_list list;
	char path[160];
	enum log_level level = log_get_level();

	baseline_fixture_init(&f);
	for (size_t i = 0; i < 3; i++) {
		char *folder = baseline_path(f.dir, "a", "x", metrics[i]);

		CU_ASSERT_EQUAL_FATAL(baseline_write(folder, &f.info, &f.profile, &f.err), 0);
		free(folder);
	}
	snprintf(path, sizeof(path), "%s/b", f.dir);
	CU_ASSERT_EQUAL_FATAL(symlink("a", path), 0);
	log_set_level(LOG_ERROR);
	CU_ASSERT_EQUAL_FATAL(baseline_list_read(&list, f.dir, &f.err), 0);
	log_set_level(level);
	CU_ASSERT_EQUAL_FATAL(list.nentries, 3);
	UNIT_STR_EQ(list.entries[0].metric, "alloc");
	UNIT_STR_EQ(list.entries[1].metric, "cpu");
	UNIT_STR_EQ(list.entries[2].metric, "wall");
	baseline_list_release(&list);
	CU_ASSERT_EQUAL(list.nentries, 0);
	CU_ASSERT_PTR_NULL(list.entries);
	baseline_fixture_release(&f);
}

static void
a_store_that_is_no_folder_is_an_error(void)
{
	struct baseline_list list;
	struct err err = {0};

	CU_ASSERT_EQUAL(baseline_list_read(&list, "/dev/null", &err), -1);
	UNIT_CONTAINS(err.text, "cannot read the folder of baselines '/dev/null'");
	CU_ASSERT_EQUAL(list.nentries, 0);
}

static void
no_store_is_an_empty_list(void)
{
	struct baseline_list list;
	struct err err = {0};

	CU_ASSERT_EQUAL(baseline_list_read(&list, "/nowhere/baselines", &err), 0);
	CU_ASSERT_EQUAL(list.nentries, 0);
	baseline_list_release(&list);
}

void
suite_baseline_store_list(void)
{
	static const struct unit_case cases[] = {
		{"baselines_are_listed_in_order_and_foreign_files_passed_over",
			baselines_are_listed_in_order_and_foreign_files_passed_over},
		{"a_baseline_whose_replacement_was_interrupted_is_put_back",
			a_baseline_whose_replacement_was_interrupted_is_put_back},
		{"links_are_passed_over_and_metrics_are_in_order",
			links_are_passed_over_and_metrics_are_in_order},
		{"a_store_that_is_no_folder_is_an_error", a_store_that_is_no_folder_is_an_error},
		{"no_store_is_an_empty_list", no_store_is_an_empty_list},
		{NULL, NULL},
	};

	unit_suite("baseline/store_list", cases);
}
