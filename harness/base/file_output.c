/*
 * Outputs (file.h): files and folders that are written as drafts and take their place in one step,
 * when they are whole.
 */
#include "base/draft.h"
#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The output that is lent to this process by the one that started it; path NULL: none. */
static struct file_lent lent;

void
file_lend(const struct file_lent *output)
{
	draft_forget_all();
	lent = *output;
}

/* The descriptor that is lent for the file `path`, or -1. */
static int
file_lent_fd(const char *path)
{
	return lent.path && !lent.temp_path && strcmp(path, lent.path) == 0 ? lent.fd : -1;
}

static bool
is_lent_folder(const char *temp_path)
{
	return lent.temp_path && strcmp(temp_path, lent.temp_path) == 0;
}

int
file_draft_open(struct file_draft *draft, const char *path, struct err *err)
{
	if (file_is_special(path)) {
		*draft = (struct file_draft){.fd = -1};
		return err_set(err, ERR_SYSTEM,
			"'%s' is a device or a pipe, and this is written only to ordinary files",
			path);
	}
	*draft = (struct file_draft){.fd = -1, .path = mem_strdup(path)};
	draft->is_lent = file_lent_fd(path) >= 0;
	draft->fd = draft->is_lent ? dup(lent.fd) : draft_open_nameless(path);
	if (draft->fd < 0 && !draft->is_lent)
		draft->temp_path = draft_make_file(path, &draft->fd);
	if (draft->fd >= 0)
		return 0;
	err_set_errno(err, ERR_SYSTEM, errno, "cannot write '%s'", path);
	free(draft->path);
	*draft = (struct file_draft){.fd = -1};
	return -1;
}

/* The draft has taken its place, or is removed. */
static void
release_draft(struct file_draft *draft)
{
	if (draft->temp_path)
		draft_forget(draft->temp_path);
	free(draft->path);
	free(draft->temp_path);
	*draft = (struct file_draft){.fd = -1};
}

void
file_abandon(struct file_draft *draft)
{
	if (!draft->path)
		return;
	if (draft->fd >= 0)
		close(draft->fd);
	if (draft->temp_path)
		unlink(draft->temp_path);
	release_draft(draft);
}

/* The mode of a file that is not secret: what the umask allows. A draft has 0600. */
static mode_t
ordinary_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* The process that lent the file will commit it. */
static int
commit_lent(struct file_draft *draft, struct err *err)
{
	if (close(draft->fd) < 0) {
		draft->fd = -1;
		err_set_errno(err, ERR_SYSTEM, errno, "cannot write '%s'", draft->path);
		file_abandon(draft);
		return -1;
	}
	*lent.committed = true;
	release_draft(draft);
	return 0;
}

static int
commit_draft(struct file_draft *draft, bool flush, struct err *err)
{
	if (draft->is_lent)
		return commit_lent(draft, err);
	int fd = draft->fd;
	bool good = fchmod(fd, draft->secret ? 0600 : ordinary_mode()) == 0 &&
		    (!flush || fsync(fd) == 0);

	if (good && !draft->temp_path) {
		draft->temp_path = draft_name_file(draft->path, fd);
		good = draft->temp_path;
	}

	draft->fd = -1;
	good = close(fd) == 0 && good;
	if (!good || rename(draft->temp_path, draft->path) < 0) {
		err_set_errno(err, ERR_SYSTEM, errno, "cannot write '%s'", draft->path);
		file_abandon(draft);
		return -1;
	}
	release_draft(draft);
	return 0;
}

int
file_commit(struct file_draft *draft, struct err *err)
{
	return commit_draft(draft, true, err);
}

int
file_commit_unflushed(struct file_draft *draft, struct err *err)
{
	return commit_draft(draft, false, err);
}

/* Where the folder at `path` is while another takes its place: ".NAME.previous". */
static char *
previous_name(const char *path)
{
	const char *base = file_basename(path);

	return mem_printf("%.*s.%s.previous", (int)(base - path), path, base);
}

bool
file_dir_is_interrupted(const char *path)
{
	char *previous = previous_name(path);
	const bool interrupted = !file_exists(path) && file_exists(previous);

	free(previous);
	return interrupted;
}

int
file_dir_recover(const char *path, struct err *err)
{
	struct err ignored = {0};
	char *previous = previous_name(path);
	int result = 0;

	if (file_exists(path))
		file_remove_tree(previous, &ignored);
	else if (file_exists(previous) && rename(previous, path) < 0 && errno != ENOENT)
		result = err_set_errno(err, ERR_SYSTEM, errno,
			"'%s' was being replaced when profile_run was killed, and cannot be put back",
			path);
	if (result < 0)
		err_note(err, "rename '%s' to '%s'", previous, file_basename(path));
	free(previous);
	return result;
}

int
file_dir_draft(const char *path, char **temp_path, struct err *err)
{
	if (lent.temp_path && strcmp(path, lent.path) == 0) {
		*temp_path = mem_strdup(lent.temp_path);
		return 0;
	}
	/* Ends a replacement during which the process was killed. */
	if (file_dir_recover(path, err) < 0)
		return -1;
	*temp_path = draft_make_folder(path);
	return *temp_path ? 0
			  : err_set_errno(err, ERR_SYSTEM, errno,
				    "cannot make a folder beside '%s'", path);
}

/* Flushes the folder's entries, so that a rename that follows is never seen before them. */
static void
sync_dir(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
}

/*
 * Puts the folder in the place of the one at `path`, whose name is then the draft's. Where the file
 * system cannot exchange two names (NFS, some overlays), by two renames: between them nothing is at
 * `path`, and the old folder is where file_dir_recover() finds it.
 */
static int
replace_dir(const char *temp_path, const char *path)
{
	if (renameat2(AT_FDCWD, temp_path, AT_FDCWD, path, RENAME_EXCHANGE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
		return -1;
	char *previous = previous_name(path);
	int result = rename(path, previous);

	if (result == 0 && rename(temp_path, path) < 0) {
		const int problem = errno;

		rename(previous, path);
		errno = problem;
		result = -1;
	} else if (result == 0 && rename(previous, temp_path) < 0) {
		struct err ignored = {0};

		file_remove_tree(previous, &ignored);
	}
	free(previous);
	return result;
}

int
file_dir_commit(char *temp_path, const char *path, struct err *err)
{
	if (is_lent_folder(temp_path)) {
		*lent.committed = true;
		free(temp_path);
		return 0;
	}
	bool replaces = file_exists(path);

	/* Until now only its owner may enter it: 0700. */
	chmod(temp_path, ordinary_mode() | 0111);
	sync_dir(temp_path);
	int moved = replaces ? replace_dir(temp_path, path) : rename(temp_path, path);

	if (moved < 0) {
		err_set_errno(err, ERR_SYSTEM, errno, "cannot put the new '%s' in its place", path);
		file_dir_abandon(temp_path);
		return -1;
	}
	/* After an exchange the draft's name is that of the old folder. */
	struct err ignored = {0};

	if (replaces)
		file_remove_tree(temp_path, &ignored);
	draft_forget(temp_path);
	free(temp_path);
	return 0;
}

void
file_dir_abandon(char *temp_path)
{
	struct err ignored = {0};

	if (!is_lent_folder(temp_path)) {
		file_remove_tree(temp_path, &ignored);
		draft_forget(temp_path);
	}
	free(temp_path);
}

int
file_dir_try(const char *dir, struct err *err)
{
	char *scratch = NULL;
	int result = file_dir_scratch_in(dir, &scratch, err);

	if (result < 0)
		return -1;
	char *path = file_join(scratch, "folder");

	/* The second folder replaces the first. */
	for (int i = 0; i < 2 && result == 0; i++) {
		char *draft = NULL;

		result = file_dir_draft(path, &draft, err);
		if (result == 0)
			result = file_dir_commit(draft, path, err);
	}
	free(path);
	file_dir_abandon(scratch);
	return result;
}

int
file_output_open(struct file_output *output, const char *path, struct err *err)
{
	bool to_stdout = strcmp(path, "-") == 0;
	int lent_fd = file_lent_fd(path);

	*output = (struct file_output){.fd = -1, .name = to_stdout ? "standard output" : path};
	if (!to_stdout && !file_is_special(path)) {
		if (file_draft_open(&output->draft, path, err) < 0)
			return -1;
		output->fd = output->draft.fd;
		return 0;
	}
	if (lent_fd >= 0)
		output->fd = dup(lent_fd);
	else
		output->fd = to_stdout ? dup(STDOUT_FILENO) : open(path, O_WRONLY | O_CLOEXEC);
	if (output->fd < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot write '%s'", output->name);
	return 0;
}

int
file_output_put(struct file_output *output, const void *bytes, size_t len, struct err *err)
{
	return file_put(output->fd, bytes, len, output->name, err);
}

int
file_output_commit(struct file_output *output, struct err *err)
{
	int result = 0;

	if (output->draft.path)
		result = file_commit(&output->draft, err);
	else
		close(output->fd);
	output->fd = -1;
	return result;
}

void
file_output_abandon(struct file_output *output)
{
	if (output->draft.path)
		file_abandon(&output->draft);
	else
		close(output->fd);
	output->fd = -1;
}

int
file_write(const char *path, const void *bytes, size_t len, struct err *err)
{
	struct file_output output;

	if (file_output_open(&output, path, err) < 0)
		return -1;
	if (file_output_put(&output, bytes, len, err) < 0) {
		file_output_abandon(&output);
		return -1;
	}
	return file_output_commit(&output, err);
}
