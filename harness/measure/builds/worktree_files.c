/*
 * The files of a worktree: which of them are links to files outside git, and whether all are still
 * as its builds left them.
 */
#include "builds/worktree.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "builds/program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Links from a worktree to files outside git. They are listed in NAME.builds/links before they are
 * made, and removed when the worktree is opened again: it then has the commit's files alone.
 */

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
 * The files of a worktree as its builds left them, to find out whether somebody changed them: a run
 * of one pull request could otherwise exchange the base that the next one is compared with.
 * NAME.builds/programs has an entry for each file and link, and is written when the commit is
 * checked out and when a build is done.
 */

#define PROGRAMS "programs"
/* Largest list of them. */
#define LIST_BYTES_MAX ((size_t)64 * 1024 * 1024)

/*
 * "KIND HASH STATE /PATH" and a NUL. A file whose STATE is as it was need not be read: no program
 * can choose the time of st_ctim.
 */
#define HASH_AT 2
#define STATE_AT (HASH_AT + SHA256_TEXT_SIZE)
#define STATE_BYTES 64
#define PATH_AT (STATE_AT + STATE_BYTES + 1)

enum kind { PLAIN = 'f', EXECUTABLE = 'x', LINK = 'l', LINK_OUT = 'o' };

struct programs {
	struct buf text;
	const char **entries; /* in it, by path */
	size_t count;
};

struct noting {
	const struct programs *known; /* as they were noted before */
	struct buf *list;
};

static char *
programs_list_path(const struct worktree *worktree)
{
	return file_join(worktree->builds, PROGRAMS);
}

static const char *
path_of(const char *entry)
{
	return entry + PATH_AT;
}

static int
by_path(const void *a, const void *b)
{
	return strcmp(path_of(*(const char *const *)a), path_of(*(const char *const *)b));
}

static int
path_order(const void *path, const void *entry)
{
	return strcmp(path, path_of(*(const char *const *)entry));
}

static bool
is_same(const char *entry, const char *other)
{
	return strncmp(entry, other, STATE_AT) == 0;
}

/* The hash of the contents, or of where a link leads. */
static int
hash_entry(const char *path, enum kind *kind, char hash[SHA256_TEXT_SIZE])
{
	char target[PATH_MAX];
	struct err ignored = {0};

	if (*kind != LINK)
		return sha256_file(path, hash, &ignored);
	const ssize_t len = readlink(path, target, sizeof(target));

	if (len <= 0)
		return -1;
	sha256_text(target, (size_t)len, hash);
	if (target[0] == '/')
		*kind = LINK_OUT;
	return 0;
}

static void
add_file(struct file_walk *walk, const char *path, void *context)
{
	const struct noting *noting = context;
	const struct programs *known = noting->known;
	const char *below = path + walk->root_len;
	char hash[SHA256_TEXT_SIZE];
	char state[STATE_BYTES + 1];
	struct stat status;

	if (noting->list->len > LIST_BYTES_MAX / 2 || lstat(path, &status) < 0) {
		walk->broken = true;
		return;
	}
	enum kind kind = S_ISLNK(status.st_mode)    ? LINK
			 : status.st_mode & S_IXUSR ? EXECUTABLE
						    : PLAIN;

	snprintf(state, sizeof(state), "%016llx%016llx%016llx%016llx",
		(unsigned long long)status.st_ino, (unsigned long long)status.st_size,
		(unsigned long long)status.st_ctim.tv_sec,
		(unsigned long long)status.st_ctim.tv_nsec);
	const char *const *before = known->count > 0 ? bsearch(below, known->entries, known->count,
							       sizeof(*known->entries), path_order)
						     : NULL;

	if (before && (*before)[0] == (char)kind &&
		strncmp(*before + STATE_AT, state, STATE_BYTES) == 0)
		snprintf(hash, sizeof(hash), "%.*s", SHA256_TEXT_SIZE - 1, *before + HASH_AT);
	else if (hash_entry(path, &kind, hash) < 0)
		walk->broken = true;
	if (walk->broken)
		return;
	buf_printf(noting->list, "%c %s %s %s", (char)kind, hash, state, below);
	buf_putc(noting->list, '\0');
}

/* False where an entry is none that we wrote. */
static bool
programs_sort(struct programs *programs)
{
	size_t capacity = 0;

	for (size_t at = 0; at < programs->text.len;) {
		const char *entry = programs->text.data + at;
		size_t len = strlen(entry);

		if (len <= PATH_AT)
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

static bool
programs_read(struct programs *programs, const struct worktree *worktree)
{
	char *path = programs_list_path(worktree);
	struct err ignored = {0};
	bool is_read = file_read(path, &programs->text, LIST_BYTES_MAX, &ignored) == 0 &&
		       programs_sort(programs);

	free(path);
	return is_read;
}

int
worktree_note_programs(const struct worktree *worktree, struct err *err)
{
	char *path = programs_list_path(worktree);
	struct programs known = {0};
	struct buf list = {0};
	struct noting noting = {.known = &known, .list = &list};
	int result = 0;

	if (!programs_read(&known, worktree))
		known.count = 0;
	if (file_walk_all(worktree->path, add_file, &noting))
		result = file_write(path, list.data, list.len, err);
	else if (unlink(path) < 0 && errno != ENOENT)
		result = err_set_errno(err, ERR_SYSTEM, errno, "cannot remove '%s'", path);
	programs_release(&known);
	buf_release(&list);
	free(path);
	return result;
}

/* Runs leave files: the next one begins without them. */
static char *
remove_added(const struct worktree *worktree, const char *entry)
{
	char *path = mem_printf("%s%s", worktree->path, path_of(entry));
	char *difference = NULL;

	log_debug("removing '%s', which is no part of the kept build", path);
	if (unlink(path) < 0)
		difference = mem_printf("'%s' was added", path_of(entry) + 1);
	free(path);
	return difference;
}

static char *
find_difference(
	const struct worktree *worktree, const struct programs *before, const struct programs *now)
{
	char *difference = NULL;
	size_t b = 0;
	size_t n = 0;

	while (!difference && (b < before->count || n < now->count)) {
		const char *was = b < before->count ? before->entries[b] : NULL;
		const char *is = n < now->count ? now->entries[n] : NULL;
		int order = !was ? 1 : !is ? -1 : strcmp(path_of(was), path_of(is));

		/* A link out may be one of worktree_link(), which are removed by now. */
		if (order < 0 && was[0] != LINK_OUT)
			difference = mem_printf("'%s' was removed", path_of(was) + 1);
		else if (order == 0 && !is_same(was, is) &&
			 (was[0] != LINK_OUT || is[0] == LINK_OUT))
			difference = mem_printf("'%s' was changed", path_of(was) + 1);
		else if (order > 0)
			difference = remove_added(worktree, is);
		b += order <= 0;
		n += order >= 0;
	}
	return difference;
}

char *
worktree_changed_program(const struct worktree *worktree)
{
	struct programs before = {0};
	struct programs now = {0};
	struct noting noting = {.known = &before, .list = &now.text};
	char *difference = NULL;

	if (!programs_read(&before, worktree) ||
		!file_walk_all(worktree->path, add_file, &noting) || !programs_sort(&now))
		difference = mem_strdup("its programs cannot be checked");
	else
		difference = find_difference(worktree, &before, &now);
	programs_release(&before);
	programs_release(&now);
	return difference;
}
