#include "base/file.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

char *
file_join(const char *dir, const char *name)
{
	size_t len = strlen(dir);

	if (len > 0 && dir[len - 1] == '/')
		return mem_printf("%s%s", dir, name);
	return mem_printf("%s/%s", dir, name);
}

const char *
file_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool
file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

bool
file_is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int
read_all(int fd, const char *path, struct buf *out, size_t limit_bytes, struct err *err)
{
	char chunk[16384]; /* the stack may be a small one */
	ssize_t got;

	while ((got = read(fd, chunk, sizeof(chunk))) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_set_errno(err, ERR_SYSTEM, errno, "cannot read '%s'", path);
		if (out->len + (size_t)got > limit_bytes)
			return err_set(
				err, ERR_INPUT, "'%s' is larger than %zu bytes", path, limit_bytes);
		buf_put(out, chunk, (size_t)got);
	}
	return 0;
}

static int
open_to_read(const char *path, struct err *err)
{
	int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		err_set_errno(err, ERR_INPUT, errno, "cannot open '%s'", path);
	return fd;
}

int
file_read(const char *path, struct buf *out, size_t limit_bytes, struct err *err)
{
	int fd = open_to_read(path, err);

	if (fd < 0)
		return -1;
	int result = read_all(fd, path, out, limit_bytes, err);

	close(fd);
	return result;
}

int
file_put(int fd, const void *bytes, size_t len, const char *path, struct err *err)
{
	const char *at = bytes;

	while (len > 0) {
		ssize_t put = write(fd, at, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return err_set_errno(err, ERR_SYSTEM, errno, "cannot write '%s'", path);
		at += put;
		len -= (size_t)put;
	}
	return 0;
}

int
file_put_pieces(
	int fd, const struct iovec *pieces, size_t npieces, const char *path, struct err *err)
{
	ssize_t put;

	if (npieces == 0)
		return 0;
	do
		put = writev(fd, pieces, (int)npieces);
	while (put < 0 && errno == EINTR);
	if (put < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot write '%s'", path);
	for (size_t i = 0; i < npieces; i++) {
		size_t len = pieces[i].iov_len;

		if ((size_t)put >= len) {
			put -= (ssize_t)len;
			continue;
		}
		if (file_put(fd, (const char *)pieces[i].iov_base + put, len - (size_t)put, path,
			    err) < 0)
			return -1;
		put = 0;
	}
	return 0;
}

/*
 * What is being written and not yet in its place, so that an interruption leaves nothing behind.
 * A handful at a time.
 */
static char **unfinished;
static size_t unfinished_count;
static size_t unfinished_capacity;

static void
remember(const char *path)
{
	unfinished = mem_grow(
		unfinished, &unfinished_capacity, unfinished_count + 1, sizeof(*unfinished));
	unfinished[unfinished_count++] = mem_strdup(path);
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
	if (unfinished_count == 0) {
		free(unfinished);
		unfinished = NULL;
		unfinished_capacity = 0;
	}
}

void
file_remove_unfinished(void)
{
	while (unfinished_count > 0) {
		struct err ignored = {0};
		char *path = mem_strdup(unfinished[unfinished_count - 1]);

		file_remove_tree(path, &ignored);
		forget(path);
		free(path);
	}
}

bool
file_is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* "path" -> ".path.XXXXXX" in the same folder. */
static char *
temp_name(const char *path)
{
	const char *base = file_basename(path);

	return mem_printf("%.*s.%s.XXXXXX", (int)(base - path), path, base);
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
	draft->path = mem_strdup(path);
	draft->temp_path = temp_name(path);
	draft->fd = mkostemp(draft->temp_path, O_CLOEXEC);
	if (draft->fd < 0) {
		err_set_errno(err, ERR_SYSTEM, errno, "cannot write '%s'", path);
		free(draft->path);
		free(draft->temp_path);
		*draft = (struct file_draft){.fd = -1};
		return -1;
	}
	remember(draft->temp_path);
	return 0;
}

void
file_abandon(struct file_draft *draft)
{
	if (!draft->path)
		return;
	if (draft->fd >= 0)
		close(draft->fd);
	unlink(draft->temp_path);
	forget(draft->temp_path);
	free(draft->path);
	free(draft->temp_path);
	*draft = (struct file_draft){.fd = -1};
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
commit(struct file_draft *draft, bool flushed, struct err *err)
{
	int fd = draft->fd;
	bool good = fchmod(fd, ordinary_mode()) == 0 && (!flushed || fsync(fd) == 0);

	draft->fd = -1;
	good = close(fd) == 0 && good;
	if (!good || rename(draft->temp_path, draft->path) < 0) {
		err_set_errno(err, ERR_SYSTEM, errno, "cannot write '%s'", draft->path);
		file_abandon(draft);
		return -1;
	}
	forget(draft->temp_path);
	free(draft->path);
	free(draft->temp_path);
	*draft = (struct file_draft){.fd = -1};
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

int
file_lock(const char *path, unsigned wait_seconds, struct err *err)
{
	struct timespec pause = {.tv_nsec = 50L * 1000 * 1000};
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);

	if (fd < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot lock '%s'", path);
	for (unsigned waited = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; waited++) {
		if (errno != EWOULDBLOCK && errno != EINTR) {
			err_set_errno(err, ERR_SYSTEM, errno, "cannot lock '%s'", path);
			close(fd);
			return -1;
		}
		if (waited >= wait_seconds * 20) {
			close(fd);
			return err_set(err, ERR_SYSTEM,
				"'%s' has been locked by another profile_run for %u s; try again when it is done",
				path, wait_seconds);
		}
		nanosleep(&pause, NULL);
	}
	return fd;
}

int
file_dir_draft(const char *path, char **temp_path, struct err *err)
{
	char *temp = temp_name(path);

	if (!mkdtemp(temp)) {
		err_set_errno(err, ERR_SYSTEM, errno, "cannot make a folder beside '%s'", path);
		free(temp);
		return -1;
	}
	chmod(temp, ordinary_mode() | 0111);
	remember(temp);
	*temp_path = temp;
	return 0;
}

int
file_dir_scratch(char **temp_path, struct err *err)
{
	const char *tmp = getenv("TMPDIR");
	char *path = file_join(tmp && *tmp ? tmp : "/tmp", "profile_run");
	int result = file_dir_draft(path, temp_path, err);

	free(path);
	return result;
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

int
file_dir_commit(char *temp_path, const char *path, struct err *err)
{
	bool replaces = file_exists(path);

	sync_dir(temp_path);
	int moved = replaces ? renameat2(AT_FDCWD, temp_path, AT_FDCWD, path, RENAME_EXCHANGE)
			     : rename(temp_path, path);

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

	file_remove_tree(temp_path, &ignored);
	forget(temp_path);
	free(temp_path);
}
