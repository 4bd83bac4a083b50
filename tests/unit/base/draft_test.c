#include "base/draft.h"

#include "base/file.h"
#include "scratch.h"
#include "unit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

void suite_base_draft(void);

/*
 * A process with a scratch folder below `dir`, whose path is in the file `name`; it lives until it
 * is killed.
 */
static pid_t
make_user(struct scratch *scratch, const char *dir, const char *name, char path[128])
{
	struct buf text = {0};
	struct err err = {0};

	fflush(NULL);
	pid_t pid = fork();

	if (pid == 0) {
		char *made;

		if (file_dir_scratch_in(dir, &made, &err) < 0)
			_exit(1);
		/* A number is waited for. */
		buf_printf(&text, "1 %s", made);
		if (file_write(scratch_path(scratch, name), text.data, text.len, &err) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	scratch_await(scratch, name);
	CU_ASSERT_EQUAL(file_read(scratch_path(scratch, name), &text, 127, &err), 0);
	snprintf(path, 128, "%s", buf_text(&text) + strlen("1 "));
	buf_release(&text);
	return pid;
}

static void
end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void
what_a_killed_process_left_is_removed_by_the_next(void)
{
	struct scratch scratch;
	struct err err = {0};
	char left[128];
	char used[128];
	char dir[128];
	char *own;

	scratch_init(&scratch);
	snprintf(dir, sizeof(dir), "%s", scratch_path(&scratch, "tmp"));
	CU_ASSERT_EQUAL_FATAL(mkdir(dir, 0700), 0);
	pid_t dead = make_user(&scratch, dir, "1", left);
	pid_t alive = make_user(&scratch, dir, "2", used);

	/* As long as it lives nobody touches it. */
	CU_ASSERT_TRUE(file_is_dir(left) && file_is_dir(used));
	end(dead);
	CU_ASSERT_EQUAL_FATAL(file_dir_scratch_in(dir, &own, &err), 0);
	CU_ASSERT_FALSE(file_exists(left));
	CU_ASSERT_TRUE(file_is_dir(used) && file_is_dir(own));
	file_dir_abandon(own);
	end(alive);
	/* A process looks once by itself. */
	draft_sweep(dir);
	CU_ASSERT_FALSE(file_exists(used));
	scratch_release(&scratch);
}

/* Makes what is there older than a day. */
static void
make_old(const char *path)
{
	const struct timespec then = {.tv_sec = time(NULL) - 25L * 60 * 60};
	const struct timespec both[] = {then, then};

	CU_ASSERT_EQUAL(utimensat(AT_FDCWD, path, both, AT_SYMLINK_NOFOLLOW), 0);
}

static void
only_drafts_that_nobody_has_are_removed(void)
{
	static const struct {
		const char *name;
		bool old, removed;
	} cases[] = {
		{".a.00000000-abcdefgh.profile_run", true, true},
		/* Of another machine, whose locks we do not see. */
		{".b.00000000-abcdefgh.profile_run", false, false},
		{".c.00000000-abcdefg.profile_run", true, false},
		{".d.00000000-abcdefgh.profile", true, false},
		{"e.00000000-abcdefgh.profile_run", true, false},
		{"..00000000-abcdefgh.profile_run", true, false},
	};
	struct scratch scratch;
	struct err err = {0};
	char *own;

	scratch_init(&scratch);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *path = scratch_path(&scratch, cases[i].name);

		CU_ASSERT_EQUAL(mkdir(path, 0700), 0);
		if (cases[i].old)
			make_old(path);
	}
	CU_ASSERT_EQUAL_FATAL(file_dir_scratch_in(scratch.dir, &own, &err), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CU_ASSERT_EQUAL(
			file_exists(scratch_path(&scratch, cases[i].name)), !cases[i].removed);
	file_dir_abandon(own);
	scratch_release(&scratch);
}

static void
nothing_of_others_is_removed_nor_behind_a_link(void)
{
	static const char link[] = ".linked.00000000-abcdefgh.profile_run";
	static const char theirs[] = ".theirs.00000000-abcdefgh.profile_run";
	struct scratch scratch;
	struct err err = {0};
	char *own;

	scratch_init(&scratch);
	const bool as_root = geteuid() == 0;

	CU_ASSERT_EQUAL(mkdir(scratch_path(&scratch, "target"), 0700), 0);
	CU_ASSERT_EQUAL(file_write(scratch_path(&scratch, "target/file"), "x", 1, &err), 0);
	CU_ASSERT_EQUAL(symlink("target", scratch_path(&scratch, link)), 0);
	make_old(scratch_path(&scratch, link));
	CU_ASSERT_EQUAL(mkdir(scratch_path(&scratch, theirs), 0700), 0);
	make_old(scratch_path(&scratch, theirs));
	if (as_root)
		CU_ASSERT_EQUAL(lchown(scratch.path, 65534, 65534), 0);
	CU_ASSERT_EQUAL_FATAL(file_dir_scratch_in(scratch.dir, &own, &err), 0);
	CU_ASSERT_TRUE(file_exists(scratch_path(&scratch, "target/file")));
	CU_ASSERT_FALSE(file_exists(scratch_path(&scratch, link)));
	CU_ASSERT_EQUAL(file_exists(scratch_path(&scratch, theirs)), as_root);
	file_dir_abandon(own);
	scratch_release(&scratch);
}

/* Two processes make and drop drafts in one folder: neither sweeps the other's. */
static void
drafts_are_locked_from_their_first_moment(void)
{
	struct scratch scratch;
	struct err err = {0};
	int status;

	scratch_init(&scratch);
	fflush(NULL);
	pid_t pid = fork();

	for (int i = 0; i < 300; i++) {
		char *own;

		draft_sweep(scratch.dir);
		if (file_dir_scratch_in(scratch.dir, &own, &err) < 0 || !file_is_dir(own))
			_exit(1);
		file_dir_abandon(own);
	}
	if (pid == 0)
		_exit(0);
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_EQUAL(status, 0);
	scratch_release(&scratch);
}

static const struct unit_case cases[] = {
	{"what_a_killed_process_left_is_removed_by_the_next",
		what_a_killed_process_left_is_removed_by_the_next},
	{"only_drafts_that_nobody_has_are_removed", only_drafts_that_nobody_has_are_removed},
	{"nothing_of_others_is_removed_nor_behind_a_link",
		nothing_of_others_is_removed_nor_behind_a_link},
	{"drafts_are_locked_from_their_first_moment", drafts_are_locked_from_their_first_moment},
	{NULL, NULL},
};

void
suite_base_draft(void)
{
	unit_suite("base/draft", cases);
}
