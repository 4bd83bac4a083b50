#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Has links to open files, also to those without a name. */
#define OWN_FILES "/proc/self/fd"
#define TRIES 100

/* Paths of drafts not yet committed, to be removed on an interruption. A handful at a time. */
static char **unfinished;
static size_t unfinished_count;
static size_t unfinished_capacity;

static struct file_lent lent;

/*
 * Memory to remember a draft in that is about to be made, as long as its name: once it is there,
 * nothing must be missing to remove it.
 */
static char *
reserve(const char *name)
{
	mem_on_exhaustion(file_remove_unfinished);
	unfinished = mem_grow(
		unfinished, &unfinished_capacity, unfinished_count + 1, sizeof(*unfinished));
	return mem_strdup(name);
}

static void
remember(char *reserved, const char *path)
{
	memcpy(reserved, path, strlen(path) + 1);
	unfinished[unfinished_count++] = reserved;
}

static void
release_unfinished(void)
{
	free(unfinished);
	unfinished = NULL;
	unfinished_capacity = 0;
}

static void
forget(const char *path)
{
	for (size_t i = 0; i < unfinished_count; i++) {
		if (strcmp(unfinished[i], path) != 0)
			continue;
		free(unfinished[i]);
		unfinished[i] = unfinished[--unfinished_count];
		break;
	}
	if (unfinished_count == 0)
		release_unfinished();
}

void
file_remove_unfinished(void)
{
	while (unfinished_count > 0) {
		struct err ignored = {0};
		char *path = unfinished[--unfinished_count];

		file_remove_tree(path, &ignored);
		free(path);
	}
	release_unfinished();
}

void
file_lend(const struct file_lent *output)
{
	while (unfinished_count > 0)
		forget(unfinished[unfinished_count - 1]);
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

/* "path" -> ".path.XXXXXX" in the same folder. */
static char *
temp_name(const char *path)
{
	const char *base = file_basename(path);

	return mem_printf("%.*s.%s.XXXXXX", (int)(base - path), path, base);
}

/*
 * A file without a name, which vanishes when the process ends in any way; -1 where the file system
 * does not support it, or where a name could not be given later.
 */
static int
open_nameless(const char *path)
{
	char *folder = mem_printf("%.*s.", (int)(file_basename(path) - path), path);
	int fd = access(OWN_FILES, X_OK) == 0 ? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600)
					      : -1;

	free(folder);
	return fd;
}

/* Links the draft to a name like mkstemp()'s. */
static int
give_name(struct file_draft *draft)
{
	char own[sizeof(OWN_FILES) + 16];
	unsigned char random[6];
	char *name = temp_name(draft->path);
	char *end = name + strlen(name) - sizeof(random);
	int result = -1;

	snprintf(own, sizeof(own), "%s/%d", OWN_FILES, draft->fd);
	errno = EEXIST;
	for (int i = 0; i < TRIES && result < 0 && errno == EEXIST; i++) {
		if (getentropy(random, sizeof(random)) < 0)
			break;
		for (size_t k = 0; k < sizeof(random); k++)
			end[k] = (char)('a' + random[k] % 26);
		result = linkat(AT_FDCWD, own, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
	}
	if (result == 0)
		draft->temp_path = name;
	else
		free(name);
	return result;
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
	draft->fd = draft->is_lent ? dup(lent.fd) : open_nameless(path);
	if (draft->fd >= 0)
		return 0;
	draft->temp_path = temp_name(path);
	char *reserved = reserve(draft->temp_path);

	draft->fd = draft->is_lent ? -1 : mkostemp(draft->temp_path, O_CLOEXEC);
	if (draft->fd < 0) {
		err_set_errno(err, ERR_SYSTEM, errno, "cannot write '%s'", path);
		free(reserved);
		free(draft->path);
		free(draft->temp_path);
		*draft = (struct file_draft){.fd = -1};
		return -1;
	}
	remember(reserved, draft->temp_path);
	return 0;
}

static void
release(struct file_draft *draft)
{
	if (draft->temp_path)
		forget(draft->temp_path);
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
	release(draft);
}

/* mkstemp() gives 0600; an ordinary file has what the umask allows. */
static mode_t
ordinary_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

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
	release(draft);
	return 0;
}

static int
commit(struct file_draft *draft, bool flushed, struct err *err)
{
	if (draft->is_lent)
		return commit_lent(draft, err);
	int fd = draft->fd;
	bool good = fchmod(fd, draft->secret ? 0600 : ordinary_mode()) == 0 &&
		    (!flushed || fsync(fd) == 0) && (draft->temp_path || give_name(draft) == 0);

	draft->fd = -1;
	good = close(fd) == 0 && good;
	if (!good || rename(draft->temp_path, draft->path) < 0) {
		err_set_errno(err, ERR_SYSTEM, errno, "cannot write '%s'", draft->path);
		file_abandon(draft);
		return -1;
	}
	release(draft);
	return 0;
}

int
file_commit(struct file_draft *draft, struct err *err)
{
	return commit(draft, true, err);
}

int
file_commit_unflushed(struct file_draft *draft, struct err *err)
{
	return commit(draft, false, err);
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
	char *temp = temp_name(path);
	char *reserved = reserve(temp);

	if (!mkdtemp(temp)) {
		err_set_errno(err, ERR_SYSTEM, errno, "cannot make a folder beside '%s'", path);
		free(reserved);
		free(temp);
		return -1;
	}
	remember(reserved, temp);
	*temp_path = temp;
	return 0;
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

	/* mkdtemp() gives 0700. */
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
	forget(temp_path);
	free(temp_path);
	return 0;
}

void
file_dir_abandon(char *temp_path)
{
	struct err ignored = {0};

	if (!is_lent_folder(temp_path)) {
		file_remove_tree(temp_path, &ignored);
		forget(temp_path);
	}
	free(temp_path);
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
