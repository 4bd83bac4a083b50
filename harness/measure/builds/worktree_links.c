/*
 * Links from a worktree to files outside git. They are listed in NAME.builds/links before they are
 * made, and removed when the worktree is opened again: it then has the commit's files alone.
 */
#include "base/file.h"
#include "base/mem.h"
#include "builds/worktree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS "links"
/* Largest list of links. */
#define LINKS_BYTES_MAX ((size_t)64 * 1024 * 1024)

/* Before the path: whether a file of the worktree stood there. */
enum replaced {
	NOTHING_REPLACED = '+',
	FILE_REPLACED = '!',
};

static char *
links_list_path(const struct worktree *worktree)
{
	return file_join(worktree->builds, LINKS);
}

/* Adds an entry, ended by a NUL, to the list. */
static int
note(const struct worktree *worktree, const char *below, enum replaced replaced, struct err *err)
{
	char *list = links_list_path(worktree);
	char *entry = mem_printf("%c%s", (char)replaced, below);
	int fd = open(list, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	int result = fd < 0 ? err_set_errno(err, ERR_SYSTEM, errno, "cannot write '%s'", list)
			    : file_put(fd, entry, strlen(entry) + 1, list, err);

	if (fd >= 0)
		close(fd);
	free(entry);
	free(list);
	return result;
}

/* Whether the folder of `path` is in the worktree, wherever links lead. */
static bool
lies_within(const struct worktree *worktree, const char *path)
{
	char *folder = mem_dup(path, (size_t)(file_basename(path) - path));
	char *real = realpath(folder, NULL);
	char *root = realpath(worktree->path, NULL);
	size_t len = root ? strlen(root) : 0;
	bool within = real && root && strncmp(real, root, len) == 0 &&
		      (real[len] == '/' || real[len] == '\0');

	free(folder);
	free(real);
	free(root);
	return within;
}

static int
put_link(const struct worktree *worktree, const char *target, const char *path, struct err *err)
{
	const char *below = path + strlen(worktree->path) + 1;
	struct stat there;
	bool is_there = lstat(path, &there) == 0;

	if (is_there && S_ISLNK(there.st_mode) && file_exists(path)) {
		err_set(err, ERR_MEASURE, "'%s' leads elsewhere in the build of another commit",
			below);
		return err_note(err,
			"another profile_run is measuring that commit from another working tree");
	}
	if (is_there && S_ISDIR(there.st_mode))
		return err_set(err, ERR_MEASURE,
			"'%s' is a folder in the build of another commit, and a file here", below);
	if (note(worktree, below, is_there ? FILE_REPLACED : NOTHING_REPLACED, err) < 0)
		return -1;
	if ((is_there && unlink(path) < 0) || symlink(target, path) < 0)
		return err_set_errno(
			err, ERR_SYSTEM, errno, "cannot link '%s' to '%s'", path, target);
	return 0;
}

int
worktree_link(
	const struct worktree *worktree, const char *target, const char *path, struct err *err)
{
	char *folder = mem_dup(path, (size_t)(file_basename(path) - path));
	int result = 0;

	if (!file_is_same(target, path)) {
		result = file_make_dirs(folder, err);
		if (result == 0 && !lies_within(worktree, path))
			result = err_set(err, ERR_MEASURE,
				"'%s' is not within the checkout of the commit", path);
		if (result == 0)
			result = put_link(worktree, target, path, err);
	}
	free(folder);
	return result;
}

/* One entry of the list. */
static void
undo(const struct worktree *worktree, const char *entry)
{
	const char *const restore[] = {"checkout", "--quiet", "HEAD", "--", entry + 1, NULL};
	char *path = file_join(worktree->path, entry + 1);
	struct err ignored = {0};
	struct stat there;

	if (lies_within(worktree, path) && lstat(path, &there) == 0 && S_ISLNK(there.st_mode))
		unlink(path);
	/* A file that is not the commit's was made by a build, which makes it again. */
	if (entry[0] == FILE_REPLACED)
		(void)git_run_checked(worktree->path, restore, &ignored);
	free(path);
}

void
worktree_unlink_all(const struct worktree *worktree)
{
	char *list = links_list_path(worktree);
	struct buf entries = {0};
	struct err ignored = {0};

	if (file_exists(list) && file_read(list, &entries, LINKS_BYTES_MAX, &ignored) == 0) {
		for (size_t at = 0; at < entries.len; at += strlen(entries.data + at) + 1)
			undo(worktree, entries.data + at);
		unlink(list);
	}
	buf_release(&entries);
	free(list);
}
