#include "replay/publish.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "unit.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void suite_replay_publish(void);

#define STARTED 1767225600 /* 2026-01-01T00:00:00Z */

static void
gates_of_one_second_get_folders_of_their_own(void)
{
	struct err err = {0};
	char dir[] = "/tmp/publish_test.XXXXXX";
	char *drafts[2];
	char *folders[2];

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	for (int i = 0; i < 2; i++) {
		folders[i] = publish_begin(dir, STARTED, &drafts[i], &err);
		CU_ASSERT_PTR_NOT_NULL_FATAL(folders[i]);
	}
	UNIT_STR_EQ(file_basename(folders[0]), "2026-01-01T00-00-00Z");
	UNIT_STR_EQ(file_basename(folders[1]), "2026-01-01T00-00-00Z-2");
	for (int i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(publish_finish(drafts[i], folders[i], &err), 0);
		CU_ASSERT(file_is_dir(folders[i]));
		free(folders[i]);
	}
	CU_ASSERT_EQUAL(file_remove_tree(dir, &err), 0);
}

/* A gate may be killed between the two; what others keep there is theirs. */
static void
an_empty_folder_is_as_good_as_a_new_one(void)
{
	struct err err = {0};
	char dir[] = "/tmp/publish_test.XXXXXX";

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	char *ignore = file_join(dir, ".gitignore");
	char *draft = file_join(dir, "..gitignore.aB3xY9");
	char *report = file_join(dir, "2025-12-31T23-59-59Z");

	CU_ASSERT_EQUAL(mkdir(draft, 0777), 0);
	CU_ASSERT_EQUAL(publish_prepare(dir, &err), 0);
	CU_ASSERT_TRUE(file_exists(ignore));
	CU_ASSERT_EQUAL(unlink(ignore), 0);
	CU_ASSERT_EQUAL(mkdir(report, 0777), 0);
	CU_ASSERT_EQUAL(publish_prepare(dir, &err), 0);
	CU_ASSERT_FALSE(file_exists(ignore));
	CU_ASSERT_EQUAL(file_remove_tree(dir, &err), 0);
	free(report);
	free(draft);
	free(ignore);
}

static void
a_killed_gates_draft_is_removed_by_the_next(void)
{
	struct err err = {0};
	char dir[] = "/tmp/publish_test.XXXXXX";
	char *draft;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	char *left = file_join(dir, ".2025-12-31T23-59-59Z-2.aB3xY9");
	char *foreign = file_join(dir, ".a-folder-of-somebody.else42");

	CU_ASSERT_EQUAL(mkdir(left, 0777), 0);
	CU_ASSERT_EQUAL(mkdir(foreign, 0777), 0);
	char *folder = publish_begin(dir, STARTED, &draft, &err);

	CU_ASSERT_PTR_NOT_NULL_FATAL(folder);
	CU_ASSERT_FALSE(file_exists(left));
	CU_ASSERT_TRUE(file_exists(foreign));
	CU_ASSERT_EQUAL(publish_finish(draft, folder, &err), 0);
	CU_ASSERT_EQUAL(file_remove_tree(dir, &err), 0);
	free(folder);
	free(foreign);
	free(left);
}

/* A folder has the name that the new link would be made by. */
static void
an_older_report_is_not_the_latest_where_no_link_can_be_made(void)
{
	struct err err = {0};
	char dir[] = "/tmp/publish_test.XXXXXX";
	struct stat status;
	enum log_level level = log_get_level();
	char *draft;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	char *latest = file_join(dir, "latest");
	char *in_the_way = mem_printf("%s/.latest.%ld", dir, (long)getpid());

	for (int i = 0; i < 2; i++) {
		char *folder = publish_begin(dir, STARTED, &draft, &err);

		CU_ASSERT_PTR_NOT_NULL_FATAL(folder);
		if (i == 1)
			log_set_level(LOG_ERROR);
		CU_ASSERT_EQUAL(publish_finish(draft, folder, &err), 0);
		log_set_level(level);
		CU_ASSERT(file_is_dir(folder));
		CU_ASSERT_EQUAL(lstat(latest, &status) == 0, i == 0);
		CU_ASSERT_EQUAL(mkdir(in_the_way, 0777) == 0, i == 0);
		free(folder);
	}
	CU_ASSERT_EQUAL(file_remove_tree(dir, &err), 0);
	free(in_the_way);
	free(latest);
}

void
suite_replay_publish(void)
{
	static const struct unit_case cases[] = {
		{"gates_of_one_second_get_folders_of_their_own",
			gates_of_one_second_get_folders_of_their_own},
		{"an_empty_folder_is_as_good_as_a_new_one",
			an_empty_folder_is_as_good_as_a_new_one},
		{"a_killed_gates_draft_is_removed_by_the_next",
			a_killed_gates_draft_is_removed_by_the_next},
		{"an_older_report_is_not_the_latest_where_no_link_can_be_made",
			an_older_report_is_not_the_latest_where_no_link_can_be_made},
		{NULL, NULL},
	};

	unit_suite("replay/publish", cases);
}
