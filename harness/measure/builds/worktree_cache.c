#include "builds/worktree_cache.h"

#include "base/cache.h"
#include "base/file.h"
#include "base/file_links.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "process/signals.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* As long as a build may take. */
#define LOCK_WAIT_S 3600
/* Bytes of the repository's name in the name of its folder. */
#define NAME_BYTES_MAX 64
#define IN_USE ".in_use"

bool
worktree_cache_is_off(void)
{
	const char *off = getenv("PROFILE_RUN_NO_CACHE");

	return off && *off;
}

/* "0123456789ab-name": the folder of "/path/name/.git" or "/path/name.git". */
static char *
folder_name(const struct repository *repository)
{
	char hash[SHA256_TEXT_SIZE];
	size_t len = strlen(repository->common);
	const char *base = file_basename(repository->common);
	char *path = mem_dup(repository->common,
		strcmp(base, ".git") == 0 && len > 5 ? len - strlen("/.git") : len);

	sha256_text(repository->common, len, hash);
	char *name = mem_printf(
		"%.*s-%.*s", WORKTREE_HASH_DIGITS, hash, NAME_BYTES_MAX, file_basename(path));

	for (char *at = name; *at; at++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-",
			    *at))
			*at = '_';
	free(path);
	return name;
}

char *
worktree_cache_folder(const struct repository *repository, struct err *err)
{
	char *name = folder_name(repository);
	char *part = file_join("worktrees", name);
	char *folder = cache_dir(part, err);

	free(name);
	free(part);
	return folder;
}

char *
worktree_cache_path(const char *folder, const char *name, const char *part)
{
	return mem_printf("%s/%s%s", folder, name, part);
}

int
worktree_cache_lock(const char *path, const char *what, struct err *err)
{
	const struct lock_wait wait = {
		.seconds = LOCK_WAIT_S, .what = what, .check = signals_check};

	return lock_file(path, &wait, err);
}

int
worktree_cache_remove(const char *folder, const char *name, struct err *err)
{
	char *path = worktree_cache_path(folder, name, "");
	char *builds = worktree_cache_path(folder, name, ".builds");
	/*
	 * Twice: even if somebody has locked it. A worktree that git does not know is removed all
	 * the same.
	 */
	const char *const args[] = {"worktree", "remove", "--force", "--force", path, NULL};
	struct err ignored = {0};
	int result = file_remove_tree(builds, err);

	if (result == 0 && git_run_checked(NULL, args, &ignored) < 0) {
		if (ignored.kind == ERR_INTERRUPTED)
			*err = ignored;
		result = ignored.kind == ERR_INTERRUPTED ? -1 : 0;
	}
	if (result == 0)
		result = file_remove_tree(path, err);
	free(path);
	free(builds);
	return result;
}

/* One worktree of the folder. */
struct kept_one {
	char name[GIT_COMMIT_SIZE + SHA256_TEXT_SIZE];
	struct timespec used;
};

struct kept_list {
	struct kept_one *items;
	size_t count;
	size_t capacity;
};

/* COMMIT-HASH, and COMMIT as earlier versions named them. */
static bool
is_ours(const char *name, size_t len)
{
	char commit[GIT_COMMIT_SIZE];
	const size_t commit_len = strspn(name, "0123456789abcdef");

	if (commit_len >= sizeof(commit) || len >= sizeof(((struct kept_one *)0)->name))
		return false;
	memcpy(commit, name, commit_len);
	commit[commit_len] = '\0';
	return git_is_commit(commit) && (len == commit_len || name[commit_len] == '-');
}

static void
list_add(struct kept_list *list, int folder_fd, const char *name)
{
	size_t len = strlen(name);
	struct stat status;

	if (len <= strlen(IN_USE) || strcmp(name + len - strlen(IN_USE), IN_USE) != 0)
		return;
	len -= strlen(IN_USE);
	if (!is_ours(name, len) || fstatat(folder_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	list->items = mem_grow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	struct kept_one *one = &list->items[list->count];

	memcpy(one->name, name, len);
	one->name[len] = '\0';
	one->used = status.st_mtim;
	list->count++;
}

/* The one used last comes first; of two at once, any, but always the same. */
static int
compare_use(const void *a, const void *b)
{
	const struct kept_one *x = a;
	const struct kept_one *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? 1 : -1;
	if (x->used.tv_nsec != y->used.tv_nsec)
		return x->used.tv_nsec < y->used.tv_nsec ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void
remove_unused(const char *folder, const char *name)
{
	char *in_use = worktree_cache_path(folder, name, IN_USE);
	int fd = open(in_use, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	struct err problem = {0};

	if (fd >= 0 && lock_try(fd)) {
		/*
		 * The lock file is opened only under the folder's lock, which we have: no process
		 * waits for it.
		 */
		if (worktree_cache_remove(folder, name, &problem) == 0)
			unlink(in_use);
		else if (problem.kind != ERR_INTERRUPTED)
			log_warn("an old worktree was not removed: %s", problem.text);
	}
	if (fd >= 0)
		close(fd);
	free(in_use);
}

void
worktree_cache_prune(const char *folder, size_t kept)
{
	struct kept_list list = {0};
	DIR *dir = opendir(folder);
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		list_add(&list, dirfd(dir), entry->d_name);
	closedir(dir);
	if (list.count > kept) {
		qsort(list.items, list.count, sizeof(*list.items), compare_use);
		for (size_t i = kept; i < list.count; i++)
			remove_unused(folder, list.items[i].name);
	}
	free(list.items);
}
