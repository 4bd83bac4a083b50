#include "replay/publish.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "unit.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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

/*
 * A gate may be killed after it made the folder. To a folder with files of others nothing is added.
 */
static void
an_empty_folder_is_as_good_as_a_new_one(void)
{
	struct err err = {0};
	char dir[] = "/tmp/publish_test.XXXXXX";

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	char *ignore = file_join(dir, ".gitignore");
	char *draft = file_join(dir, "..gitignore.00000000-abcdefgh.profile_run");
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

/* Makes links fail, as in a file system without them. */
static void
refuse_links(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_symlinkat, 1, 0),
#ifdef SYS_symlink
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_symlink, 0, 1),
#else
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_symlinkat, 0, 1),
#endif
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0)
		_exit(77);
}

static bool
makes_report(const char *dir)
{
	struct err err = {0};
	char *draft;
	char *folder = publish_begin(dir, STARTED, &draft, &err);
	bool made = folder && publish_finish(draft, folder, &err) == 0 && file_is_dir(folder);

	free(folder);
	return made;
}

static void
an_older_report_is_not_the_latest_where_no_link_can_be_made(void)
{
	struct err err = {0};
	char dir[] = "/tmp/publish_test.XXXXXX";
	struct stat status;
	int ended;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	char *latest = file_join(dir, "latest");

	CU_ASSERT_TRUE(makes_report(dir));
	CU_ASSERT_EQUAL(lstat(latest, &status), 0);
	fflush(NULL);
	pid_t pid = fork();

	if (pid == 0) {
		refuse_links();
		log_set_level(LOG_ERROR);
		_exit(makes_report(dir) ? 0 : 1);
	}
	CU_ASSERT_EQUAL(waitpid(pid, &ended, 0), pid);
	if (WIFEXITED(ended) && WEXITSTATUS(ended) == 77) {
		unit_skip("this kernel has no seccomp filters");
	} else {
		CU_ASSERT_EQUAL(ended, 0);
		CU_ASSERT_TRUE(lstat(latest, &status) < 0);
	}
	CU_ASSERT_EQUAL(file_remove_tree(dir, &err), 0);
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
		{"an_older_report_is_not_the_latest_where_no_link_can_be_made",
			an_older_report_is_not_the_latest_where_no_link_can_be_made},
		{NULL, NULL},
	};

	unit_suite("replay/publish", cases);
}
