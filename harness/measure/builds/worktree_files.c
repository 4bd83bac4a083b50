/*
 * Links from a worktree to files outside git. They are listed in COMMIT.builds/links before they
 * are made, and removed when the worktree is opened again: it then has the commit's files alone.
 */
#include "builds/worktree.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "builds/program_files.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

/*
 * The programs of a worktree as its builds left them: a run of one pull request could otherwise
 * exchange the base that the next one is compared with. COMMIT.builds/programs has the hash and the
 * path of each, and is written when a build is done.
 */

#define PROGRAMS "programs"
/* Largest list of them. */
#define LIST_BYTES_MAX ((size_t)64 * 1024 * 1024)

static char *
programs_list_path(const struct worktree *worktree)
{
	return file_join(worktree->builds, PROGRAMS);
}

/* Files that are loaded by their names, in addition to shared libraries. */
static bool
is_script(const char *name)
{
	static const char *const endings[] = {".py", ".js", ".mjs", ".cjs", ".pl", ".pm", ".rb",
		".php", ".lua", ".tcl", ".R", ".jl", ".sh", ".jar", ".class", ".wasm", ".beam"};
	const char *ending = strrchr(name, '.');

	for (size_t i = 0; ending && i < sizeof(endings) / sizeof(endings[0]); i++) {
		if (strcmp(ending, endings[i]) == 0)
			return true;
	}
	return false;
}

/* Whether it can be loaded: not an object to be linked. */
static bool
is_loadable(const char *path)
{
	unsigned char head[EI_NIDENT + 2];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t got = fd >= 0 ? read(fd, head, sizeof(head)) : -1;

	if (fd >= 0)
		close(fd);
	if (got != (ssize_t)sizeof(head) || memcmp(head, ELFMAG, SELFMAG) != 0)
		return false;
	/* The type's low byte: none of the types of interest is above 255. */
	unsigned type = head[EI_NIDENT + (head[EI_DATA] == ELFDATA2MSB)];

	return type == ET_EXEC || type == ET_DYN;
}

/* A file that is used once it is there; other programs are run by those who know of them. */
static bool
is_loaded_if_present(const char *path)
{
	const char *name = file_basename(path);
	const char *ending = strrchr(name, '.');

	return strstr(name, ".so") ||
	       (ending && (strcmp(ending, ".py") == 0 || strcmp(ending, ".pth") == 0));
}

static bool
is_executed(const char *path)
{
	struct stat status;

	if (is_script(file_basename(path)) || is_loaded_if_present(path))
		return true;
	if (lstat(path, &status) == 0 && (status.st_mode & S_IXUSR))
		return true;
	return is_loadable(path);
}

/* Adds "HASH /PATH" and a NUL. */
static void
add_program(struct file_walk *walk, const char *path, void *context)
{
	struct buf *list = context;
	struct err ignored = {0};
	char hash[HASH_TEXT_SIZE];

	if (!is_executed(path))
		return;
	if (list->len > LIST_BYTES_MAX / 2 || hash_file(path, hash, &ignored) < 0) {
		walk->broken = true;
		return;
	}
	buf_printf(list, "%s %s", hash, path + walk->root_len);
	buf_putc(list, '\0');
}

int
worktree_note_programs(const struct worktree *worktree, struct err *err)
{
	char *path = programs_list_path(worktree);
	struct buf list = {0};
	int result = 0;

	if (file_walk(worktree->path, true, add_program, &list))
		result = file_write(path, list.data, list.len, err);
	else if (unlink(path) < 0 && errno != ENOENT)
		result = err_set_errno(err, ERR_SYSTEM, errno, "cannot remove '%s'", path);
	buf_release(&list);
	free(path);
	return result;
}

struct programs {
	struct buf text;
	const char **entries; /* in it, by path */
	size_t count;
};

static const char *
path_of(const char *entry)
{
	return entry + HASH_TEXT_SIZE;
}

static int
by_path(const void *a, const void *b)
{
	return strcmp(path_of(*(const char *const *)a), path_of(*(const char *const *)b));
}

/* False where an entry is none that we wrote. */
static bool
programs_sort(struct programs *programs)
{
	size_t capacity = 0;

	for (size_t at = 0; at < programs->text.len;) {
		const char *entry = programs->text.data + at;
		size_t len = strlen(entry);

		if (len <= HASH_TEXT_SIZE)
			return false;
		programs->entries = mem_grow(programs->entries, &capacity, programs->count + 1,
			sizeof(*programs->entries));
		programs->entries[programs->count++] = entry;
		at += len + 1;
	}
	if (programs->count > 0)
		qsort(programs->entries, programs->count, sizeof(*programs->entries), by_path);
	return true;
}

static void
programs_release(struct programs *programs)
{
	buf_release(&programs->text);
	free(programs->entries);
}

static char *
find_difference(const struct programs *before, const struct programs *now)
{
	size_t b = 0;
	size_t n = 0;

	while (b < before->count || n < now->count) {
		const char *was = b < before->count ? before->entries[b] : NULL;
		const char *is = n < now->count ? now->entries[n] : NULL;
		int order = !was ? 1 : !is ? -1 : strcmp(path_of(was), path_of(is));

		if (order < 0)
			return mem_printf("'%s' was removed", path_of(was) + 1);
		if (order == 0 && strcmp(was, is) != 0)
			return mem_printf("'%s' was changed", path_of(was) + 1);
		if (order > 0 && is_loaded_if_present(path_of(is)))
			return mem_printf("'%s' was added", path_of(is) + 1);
		b += order <= 0;
		n += order >= 0;
	}
	return NULL;
}

char *
worktree_changed_program(const struct worktree *worktree)
{
	char *path = programs_list_path(worktree);
	struct programs before = {0};
	struct programs now = {0};
	struct err ignored = {0};
	char *difference = NULL;

	if (file_exists(path)) {
		if (file_read(path, &before.text, LIST_BYTES_MAX, &ignored) < 0 ||
			!programs_sort(&before) ||
			!file_walk(worktree->path, true, add_program, &now.text) ||
			!programs_sort(&now))
			difference = mem_strdup("its programs cannot be checked");
		else
			difference = find_difference(&before, &now);
	}
	programs_release(&before);
	programs_release(&now);
	free(path);
	return difference;
}
