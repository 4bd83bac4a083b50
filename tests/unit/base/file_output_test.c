#include "base/draft.h"
#include "base/file.h"

#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

void suite_base_file_output(void);

static char folder[64];

static void
make_folder(void)
{
	snprintf(folder, sizeof(folder), "/tmp/profile_run_test.XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
}

static void
remove_folder(void)
{
	struct err err = {0};

	CU_ASSERT_EQUAL(file_remove_tree(folder, &err), 0);
	CU_ASSERT_FALSE(file_exists(folder));
}

static size_t
entries(const char *path)
{
	DIR *dir = opendir(path);
	size_t n = 0;

	for (struct dirent *e; dir && (e = readdir(dir));)
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	if (dir)
		closedir(dir);
	return n;
}

static void
what_is_written_is_read_back(void)
{
	struct err err = {0};
	struct file_view view;
	struct buf read = {0};

	make_folder();
	char *path = file_join(folder, "x");

	CU_ASSERT_EQUAL(file_write(path, "hello", 5, &err), 0);
	CU_ASSERT_EQUAL(file_view_open(&view, path, &err), 0);
	CU_ASSERT_EQUAL(view.len, 5);
	CU_ASSERT_EQUAL(memcmp(view.data, "hello", 5), 0);
	file_view_close(&view);
	CU_ASSERT_EQUAL(file_read(path, &read, 100, &err), 0);
	UNIT_STR_EQ(buf_text(&read), "hello");
	CU_ASSERT_EQUAL(file_read(path, &read, 3, &err), -1);
	UNIT_CONTAINS(err.text, "larger than 3 bytes");
	CU_ASSERT_EQUAL(entries(folder), 1);
	buf_release(&read);
	free(path);
	remove_folder();
}

static void
an_empty_file_and_a_folder_are_recognised(void)
{
	struct err err = {0};
	struct file_view view;

	make_folder();
	char *path = file_join(folder, "empty");

	CU_ASSERT_EQUAL(file_write(path, "", 0, &err), 0);
	CU_ASSERT_EQUAL(file_view_open(&view, path, &err), 0);
	CU_ASSERT_EQUAL(view.len, 0);
	file_view_close(&view);
	CU_ASSERT_EQUAL(file_view_open(&view, folder, &err), -1);
	UNIT_CONTAINS(err.text, "is a folder");
	CU_ASSERT_EQUAL(file_view_open(&view, "/nonexistent/x", &err), -1);
	UNIT_CONTAINS(err.text, "No such file");
	free(path);
	remove_folder();
}

/* A limit on the file's size stands for a full disk: write() fails half way. */
static void
a_failed_write_leaves_the_old_file(void)
{
	struct err err = {0};
	struct buf read = {0};
	char large[100000];

	make_folder();
	char *path = file_join(folder, "x");

	memset(large, 'x', sizeof(large));
	CU_ASSERT_EQUAL(file_write(path, "old", 3, &err), 0);
	pid_t child = fork();

	if (child == 0) {
		struct rlimit limit = {.rlim_cur = 1000, .rlim_max = 1000};

		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
		_exit(file_write(path, large, sizeof(large), &err) == -1 ? 0 : 1);
	}
	int status;

	waitpid(child, &status, 0);
	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT_EQUAL(file_read(path, &read, 1000, &err), 0);
	UNIT_STR_EQ(buf_text(&read), "old");
	CU_ASSERT_EQUAL(entries(folder), 1);
	buf_release(&read);
	free(path);
	remove_folder();
}

static void
expect_contents(const char *path, const char *expected)
{
	struct err err = {0};
	struct buf read = {0};

	CU_ASSERT_EQUAL(file_read(path, &read, 1000, &err), 0);
	UNIT_STR_EQ(buf_text(&read), expected);
	buf_release(&read);
}

static void
pieces_are_seen_when_the_last_is_there(void)
{
	struct err err = {0};
	struct file_output output;

	make_folder();
	char *path = file_join(folder, "x");

	CU_ASSERT_EQUAL(file_write(path, "old", 3, &err), 0);
	CU_ASSERT_EQUAL_FATAL(file_output_open(&output, path, &err), 0);
	CU_ASSERT_EQUAL(file_output_put(&output, "new ", 4, &err), 0);
	expect_contents(path, "old");
	CU_ASSERT_EQUAL(file_output_put(&output, "text", 4, &err), 0);
	CU_ASSERT_EQUAL(file_output_commit(&output, &err), 0);
	expect_contents(path, "new text");
	CU_ASSERT_EQUAL_FATAL(file_output_open(&output, path, &err), 0);
	CU_ASSERT_EQUAL(file_output_put(&output, "newer", 5, &err), 0);
	file_output_abandon(&output);
	expect_contents(path, "new text");
	CU_ASSERT_EQUAL(entries(folder), 1);
	free(path);
	remove_folder();
}

static void
a_pipe_has_each_piece_at_once(void)
{
	struct err err = {0};
	struct file_output output;
	char got[8] = "";

	make_folder();
	char *path = file_join(folder, "pipe");

	CU_ASSERT_EQUAL_FATAL(mkfifo(path, 0600), 0);
	int fd = open(path, O_RDONLY | O_NONBLOCK);

	CU_ASSERT_EQUAL_FATAL(file_output_open(&output, path, &err), 0);
	CU_ASSERT_EQUAL(file_output_put(&output, "piece", 5, &err), 0);
	CU_ASSERT_EQUAL(read(fd, got, sizeof(got)), 5);
	file_output_abandon(&output);
	CU_ASSERT_EQUAL(read(fd, got, sizeof(got)), 0);
	CU_ASSERT_TRUE(file_exists(path));
	close(fd);
	free(path);
	remove_folder();
}

static void
unfinished_drafts_are_removed_on_the_way_out(void)
{
	struct err err = {0};
	struct file_draft draft;
	char *dir;

	make_folder();
	char *path = file_join(folder, "file");
	char *dir_path = file_join(folder, "dir");

	CU_ASSERT_EQUAL(file_draft_open(&draft, path, &err), 0);
	CU_ASSERT_EQUAL(file_dir_draft(dir_path, &dir, &err), 0);
	char *inside = file_join(dir, "inside");

	CU_ASSERT_EQUAL(file_write(inside, "x", 1, &err), 0);
	/* A draft of a file has no name, where that is possible. */
	CU_ASSERT_EQUAL(entries(folder), draft.temp_path ? 2 : 1);
	draft_remove_all();
	CU_ASSERT_EQUAL(entries(folder), 0);
	file_abandon(&draft);
	file_dir_abandon(dir);
	free(inside);
	free(dir_path);
	free(path);
	remove_folder();
}

static void
who_is_killed_leaves_no_draft(void)
{
	struct err err = {0};
	struct file_draft draft;
	int status;

	make_folder();
	char *path = file_join(folder, "file");

	fflush(NULL);
	pid_t pid = fork();

	if (pid == 0) {
		if (file_draft_open(&draft, path, &err) < 0 ||
			file_put(draft.fd, "half", 4, path, &err) < 0)
			_exit(2);
		if (draft.temp_path)
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status)) {
		CU_ASSERT_EQUAL(WEXITSTATUS(status), 1);
		unit_skip("this file system has no files without a name");
	} else {
		CU_ASSERT_EQUAL(entries(folder), 0);
	}
	free(path);
	remove_folder();
}

static void
a_draft_takes_the_place_of_what_is_there(void)
{
	struct err err = {0};
	struct buf read = {0};
	struct stat st;

	make_folder();
	char *path = file_join(folder, "file");

	for (int round = 0; round < 2; round++) {
		struct file_draft draft;

		CU_ASSERT_EQUAL_FATAL(file_draft_open(&draft, path, &err), 0);
		CU_ASSERT_EQUAL(file_put(draft.fd, round ? "new" : "old", 3, path, &err), 0);
		CU_ASSERT_EQUAL(file_exists(path), round == 1);
		CU_ASSERT_EQUAL(file_commit(&draft, &err), 0);
		CU_ASSERT_EQUAL(entries(folder), 1);
	}
	CU_ASSERT_EQUAL(file_read(path, &read, 10, &err), 0);
	UNIT_STR_EQ(buf_text(&read), "new");
	mode_t mask = umask(022);

	umask(mask);
	CU_ASSERT_EQUAL(stat(path, &st), 0);
	CU_ASSERT_EQUAL(st.st_mode & 0777, 0666 & ~mask);
	buf_release(&read);
	free(path);
	remove_folder();
}

static void
a_folder_is_replaced_in_one_step(void)
{
	struct err err = {0};
	struct buf read = {0};

	make_folder();
	char *path = file_join(folder, "b");
	char *file = file_join(path, "runs");

	for (int round = 0; round < 2; round++) {
		char *draft;

		CU_ASSERT_EQUAL_FATAL(file_dir_draft(path, &draft, &err), 0);
		char *inside = file_join(draft, "runs");

		CU_ASSERT_EQUAL(file_write(inside, round ? "new" : "old", 3, &err), 0);
		CU_ASSERT_EQUAL(file_dir_commit(draft, path, &err), 0);
		free(inside);
	}
	CU_ASSERT_EQUAL(file_read(file, &read, 10, &err), 0);
	UNIT_STR_EQ(buf_text(&read), "new");
	CU_ASSERT_EQUAL(entries(folder), 1);
	buf_release(&read);
	free(file);
	free(path);
	remove_folder();
}

static mode_t
mode_of(const char *path)
{
	struct stat info;

	CU_ASSERT_EQUAL_FATAL(stat(path, &info), 0);
	return info.st_mode & 0777;
}

static void
drafts_and_secret_files_are_their_owners_only(void)
{
	struct err err = {0};
	struct file_draft draft;
	char *dir;
	const mode_t mask = umask(022);

	make_folder();
	char *path = file_join(folder, "dir");

	CU_ASSERT_EQUAL_FATAL(file_dir_draft(path, &dir, &err), 0);
	CU_ASSERT_EQUAL(mode_of(dir), 0700);
	CU_ASSERT_EQUAL_FATAL(file_dir_commit(dir, path, &err), 0);
	CU_ASSERT_EQUAL(mode_of(path), 0755);
	CU_ASSERT_EQUAL_FATAL(file_dir_scratch(&dir, &err), 0);
	CU_ASSERT_EQUAL(mode_of(dir), 0700);
	file_dir_abandon(dir);
	for (int secret = 0; secret < 2; secret++) {
		char *file = file_join(path, secret ? "secret" : "plain");

		CU_ASSERT_EQUAL_FATAL(file_draft_open(&draft, file, &err), 0);
		draft.secret = secret;
		CU_ASSERT_EQUAL_FATAL(file_commit(&draft, &err), 0);
		CU_ASSERT_EQUAL(mode_of(file), secret ? 0600 : 0644);
		free(file);
	}
	umask(mask);
	free(path);
	remove_folder();
}

static void
a_place_for_folders_is_tried(void)
{
	struct err err = {0};

	make_folder();
	CU_ASSERT_EQUAL(file_dir_try(folder, &err), 0);
	/* Nothing is left. */
	CU_ASSERT_EQUAL(rmdir(folder), 0);
	CU_ASSERT_EQUAL(file_dir_try(folder, &err), -1);
	UNIT_CONTAINS(err.text, "cannot make a folder");
}

void
suite_base_file_output(void)
{
	static const struct unit_case cases[] = {
		{"what_is_written_is_read_back", what_is_written_is_read_back},
		{"an_empty_file_and_a_folder_are_recognised",
			an_empty_file_and_a_folder_are_recognised},
		{"a_failed_write_leaves_the_old_file", a_failed_write_leaves_the_old_file},
		{"pieces_are_seen_when_the_last_is_there", pieces_are_seen_when_the_last_is_there},
		{"a_pipe_has_each_piece_at_once", a_pipe_has_each_piece_at_once},
		{"unfinished_drafts_are_removed_on_the_way_out",
			unfinished_drafts_are_removed_on_the_way_out},
		{"who_is_killed_leaves_no_draft", who_is_killed_leaves_no_draft},
		{"a_draft_takes_the_place_of_what_is_there",
			a_draft_takes_the_place_of_what_is_there},
		{"a_folder_is_replaced_in_one_step", a_folder_is_replaced_in_one_step},
		{"drafts_and_secret_files_are_their_owners_only",
			drafts_and_secret_files_are_their_owners_only},
		{"a_place_for_folders_is_tried", a_place_for_folders_is_tried},
		{NULL, NULL},
	};

	unit_suite("base/file_output", cases);
}
