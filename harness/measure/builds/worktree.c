/*
 * The cache of worktrees: making, locking, reusing and removing the checked-out commits of a
 * repository.
 */
#include "builds/worktree.h"

#include "base/err.h"
#include "base/file.h"
#include "base/file_links.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/mem.h"
#include "builds/toolchain.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The user's cache: ${XDG_CACHE_HOME:-$HOME/.cache}/profile_run, for builds of other commits.
 */

/* The path of the cache; the caller frees it. NULL if the environment names no place for it. */
static char *
find_base(struct err *err)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	/* The XDG Base Directory Specification says to ignore relative paths. */
	if (cache && cache[0] == '/')
		return file_join(cache, "profile_run");
	if (home && home[0] == '/')
		return file_join(home, ".cache/profile_run");
	err_set(err, ERR_SYSTEM,
		"no folder to check out commits in: neither XDG_CACHE_HOME nor HOME is "
		"set");
	return NULL;
}

/* Whether an open folder is this user's, and nobody else may write there. */
static int
check_owner(int fd, const char *folder, struct err *err)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot inspect '%s'", folder);
	if (status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0)
		return 0;
	err_set(err, ERR_SYSTEM,
		"'%s' is another user's, or others may write there; what is built there would be "
		"run",
		folder);
	return err_note(err, "remove it, or set XDG_CACHE_HOME to a folder of yours");
}

/* Makes a folder, or finds it there, that is this user's alone. */
static int
make_own_folder(const char *path, struct err *err)
{
	if (file_check_links(path, err) < 0)
		return -1;
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot make '%s'", path);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot open '%s'", path);
	int result = check_owner(fd, path, err);

	close(fd);
	return result;
}

/*
 * Makes all folders of `path` from its byte `from` on, each of them this user's alone: nobody else
 * can exchange one of them afterwards, so that the path can be trusted.
 */
static int
make_own_folders(char *path, size_t from, struct err *err)
{
	int result = 0;

	for (char *at = path + from; result == 0; at += 1 + strcspn(at + 1, "/")) {
		const char kept = *at;

		*at = '\0';
		result = make_own_folder(path, err);
		*at = kept;
		if (kept == '\0')
			break;
	}
	return result;
}

/*
 * The folder `part` of the cache, created if needed, for this user alone; free() it. NULL if it
 * cannot be created, or if it or a folder above it in the cache belongs to another user or others
 * may write there: the files in it must be our own.
 */
static char *
cache_dir(const char *part, struct err *err)
{
	char *base = find_base(err);

	if (!base)
		return NULL;
	char *folder = file_join(base, part);
	char *above = mem_dup(base, (size_t)(file_basename(base) - base) - 1);
	int result = file_make_output_folder(above, err);

	if (result == 0)
		result = make_own_folders(folder, strlen(base), err);
	free(base);
	free(above);
	if (result == 0)
		return folder;
	free(folder);
	return NULL;
}

/* As long as a build may take. */
#define LOCK_WAIT_S 3600
/* Bytes of the repository's name in the name of its folder. */
#define NAME_BYTES_MAX 64
#define HASH_DIGITS 12
#define IN_USE ".in_use"

/* Whether the variable PROFILE_RUN_NO_CACHE forbids using earlier worktrees and builds. */
static bool
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
	char *name =
		mem_printf("%.*s-%.*s", HASH_DIGITS, hash, NAME_BYTES_MAX, file_basename(path));

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

/* Removes the worktree, its notes and git's record of it. Its lock file stays. */
static int
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

#define MADE "made"
/* Largest note of what a worktree was made for. */
#define MADE_BYTES_MAX ((size_t)64 * 1024)

/* The worktree that is wanted. */
struct making {
	const char *folder; /* of the cache */
	const char *commit;
	char *name;                   /* in that folder */
	char tools[SHA256_TEXT_SIZE]; /* of toolchain_hash() */
	bool anew;                    /* also if there is one */
};

static char *
made_path(const struct worktree *worktree)
{
	return file_join(worktree->builds, MADE);
}

/* Whether the programs are no longer those that were built; logs how, and sets `changed`. */
static bool
has_changed_programs(struct worktree *worktree, const char *commit)
{
	char *difference = worktree_changed_program(worktree);

	if (!difference)
		return false;
	worktree->changed = mem_printf(
		"The kept build of %.12s was not used: %s since it was built. It was built again.",
		commit, difference);
	log_warn("the kept build of %.12s is not used: %s since it was built", commit, difference);
	free(difference);
	return true;
}

/* NULL if it is fit for use, else why it is made anew. */
static const char *
find_fault(struct worktree *worktree, const struct making *making)
{
	static const char *const status[] = {"status", "--porcelain", "--untracked-files=no",
		"--ignore-submodules=untracked", NULL};
	char *path = made_path(worktree);
	struct buf made = {0};
	struct err ignored = {0};
	char head[GIT_COMMIT_SIZE];
	char *changes = NULL;
	const char *fault = NULL;

	git_head(worktree->path, head);
	if (making->anew)
		fault = "that was requested";
	else if (worktree_cache_is_off())
		fault = "PROFILE_RUN_NO_CACHE is set";
	else if (file_read(path, &made, MADE_BYTES_MAX, &ignored) < 0)
		fault = "it was not finished";
	else if (strcmp(buf_text(&made), making->tools) != 0)
		fault = "it was made for another compiler or other flags";
	else if (strcmp(head, making->commit) != 0)
		fault = "another commit is checked out there";
	else if (!(changes = git_line(worktree->path, status, &ignored)) || *changes)
		fault = "its files have been changed";
	else if (has_changed_programs(worktree, making->commit))
		fault = "what was built has been changed";
	free(path);
	free(changes);
	buf_release(&made);
	return fault;
}

/*
 * Submodules in use in the repository itself (`git submodule init`) are updated; others are not in
 * the candidate either. Nested submodules are known only to the worktree.
 */
static int
fill_submodules(struct worktree *worktree, const char *commit, struct err *err)
{
	static const char *const update[] = {"submodule", "--quiet", "update", NULL};
	static const char *const deeper[] = {"submodule", "--quiet", "foreach", "--quiet",
		"git submodule --quiet update --init --recursive", NULL};
	char *list = file_join(worktree->path, ".gitmodules");
	struct err problem = {0};

	worktree->whole = !file_exists(list) ||
			  (git_run_checked(worktree->path, update, &problem) == 0 &&
				  git_run_checked(worktree->path, deeper, &problem) == 0);
	free(list);
	if (problem.kind == ERR_INTERRUPTED) {
		*err = problem;
		return -1;
	}
	if (!worktree->whole)
		log_warn("submodules of %.12s are missing: %s", commit, problem.text);
	return 0;
}

static int
make(struct worktree *worktree, const struct making *making, struct err *err)
{
	const char *commit = making->commit;
	/* By force: the path may be known to git from before, when the folder was removed. */
	const char *const args[] = {
		"worktree", "add", "--force", "--detach", worktree->path, commit, NULL};
	char *path = made_path(worktree);

	log_step("checking out %.12s", commit);
	int result = worktree_cache_remove(making->folder, making->name, err);

	if (result == 0)
		result = git_run_checked(NULL, args, err);
	if (result == 0 && mkdir(worktree->builds, 0700) < 0)
		result =
			err_set_errno(err, ERR_SYSTEM, errno, "cannot make '%s'", worktree->builds);
	if (result == 0)
		result = fill_submodules(worktree, commit, err);
	if (result == 0 && worktree->whole)
		result = worktree_note_programs(worktree, err);
	if (result == 0 && worktree->whole)
		result = file_write(path, making->tools, strlen(making->tools), err);
	log_progress_end();
	free(path);
	return result;
}

/* Under the folder's lock: makes it fit for use, and marks it as used. */
static int
take_over(struct worktree *worktree, const struct making *making, struct err *err)
{
	if (lock_try(worktree->in_use)) {
		worktree_unlink_all(worktree);
		const char *fault = find_fault(worktree, making);

		worktree->whole = fault == NULL;
		if (fault && file_exists(worktree->path))
			log_info("'%s' is built again: %s", worktree->path, fault);
		if (fault && make(worktree, making, err) < 0)
			return -1;
	} else {
		/* Another process that uses it has checked it, and may now be building. */
		char *path = made_path(worktree);

		worktree->whole = file_exists(path);
		free(path);
	}
	if (flock(worktree->in_use, LOCK_SH) < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot lock '%s'", worktree->path);
	futimens(worktree->in_use, NULL);
	worktree_cache_prune(making->folder, WORKTREES_KEPT);
	return 0;
}

static int
open_in(struct worktree *worktree, const struct making *making, struct err *err)
{
	const char *folder = making->folder;
	char *in_use = worktree_cache_path(folder, making->name, ".in_use");
	char *lock_path = file_join(folder, "lock");
	int result = -1;
	int lock = worktree_cache_lock(lock_path, "checks out a commit", err);

	worktree->path = worktree_cache_path(folder, making->name, "");
	worktree->builds = worktree_cache_path(folder, making->name, ".builds");
	if (lock >= 0) {
		worktree->in_use = open(in_use, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (worktree->in_use < 0)
			err_set_errno(err, ERR_SYSTEM, errno, "cannot lock '%s'", in_use);
		else
			result = take_over(worktree, making, err);
		close(lock);
	}
	free(in_use);
	free(lock_path);
	return result;
}

int
worktree_open(struct worktree *worktree, const struct repository *repository, const char *commit,
	bool anew, struct err *err)
{
	char *folder = worktree_cache_folder(repository, err);
	struct making making = {.folder = folder, .commit = commit, .anew = anew};

	*worktree = (struct worktree){.in_use = -1};
	if (!folder)
		return -1;
	toolchain_hash(making.tools);
	making.name = mem_printf("%s-%.*s", commit, HASH_DIGITS, making.tools);
	int result = open_in(worktree, &making, err);

	free(making.name);
	free(folder);
	if (result < 0) {
		err_note(err, "while checking out %s", commit);
		worktree_close(worktree);
	}
	return result;
}

void
worktree_close(struct worktree *worktree)
{
	if (worktree->in_use >= 0)
		close(worktree->in_use);
	free(worktree->path);
	free(worktree->builds);
	free(worktree->changed);
	*worktree = (struct worktree){.in_use = -1};
}

bool
worktree_has_done(const struct worktree *worktree, const char *name)
{
	char *path = file_join(worktree->builds, name);
	bool done = worktree->whole && !worktree_cache_is_off() && file_exists(path);

	free(path);
	return done;
}

int
worktree_note_done(const struct worktree *worktree, const char *name, struct err *err)
{
	char *path = file_join(worktree->builds, name);
	int result = worktree->whole ? file_write(path, "", 0, err) : 0;

	free(path);
	return result;
}

void
worktree_forget(const struct worktree *worktree, const char *name)
{
	char *path = file_join(worktree->builds, name);

	unlink(path);
	free(path);
}

void
worktree_spoil(const struct worktree *worktree)
{
	char *path = made_path(worktree);

	unlink(path);
	free(path);
}

int
worktree_lock_builds(const struct worktree *worktree, struct err *err)
{
	char *path = file_join(worktree->builds, "lock");
	int fd = worktree_cache_lock(path, "builds the same commit", err);

	free(path);
	return fd;
}
