/*
 * Drafts: files and folders that are written beside their final place and then put there in one
 * step (file.h). In order: the list of drafts, which a signal removes; their names, and the removal
 * of those that killed processes left; making one; and the outputs made by them: file_draft_*,
 * file_dir_*, file_output_*, file_write().
 */
#include "base/file.h"

#include "base/lock.h"
#include "base/log.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * The names of drafts. One is registered before it exists, so that nothing is missing to remove it.
 * While its process lives it is locked; one that is not was left by a process that could not remove
 * it (SIGKILL, a crash), and the next one that makes a draft in the same folder removes it.
 *
 * ".NAME.BOOT-RANDOM.profile_run" in the folder of NAME. BOOT is the same for all processes that
 * see each other's locks: those of one running kernel.
 */
#define SUFFIX ".profile_run"
#define BOOT_BYTES 8
#define RANDOM_BYTES 8
/* As much of NAME as leaves room for the rest within NAME_MAX. */
#define NAME_BYTES 200
#define BOOT_ID "/proc/sys/kernel/random/boot_id"
/* After that a draft of another machine, or from before a reboot, is taken for left behind. */
#define OLD_SECONDS (24L * 60 * 60)
/* Has links to open files, also to those without a name. */
#define OWN_FILES "/proc/self/fd"
#define TRIES 100
#define SWEPT_MAX 16

/*
 * Registered drafts. Entries are used again and never freed, so that a signal finds the list whole
 * at any moment.
 */
struct entry {
	struct entry *next;
	volatile sig_atomic_t used;
	int lock; /* -1: the file system has no locks */
	char name[PATH_MAX];
};

static struct entry *volatile entries;
static pid_t owner;
static volatile sig_atomic_t writer;

void
draft_remove_all(void)
{
	/* A process that was forked from ours has a copy of the list. */
	if (owner != getpid())
		return;
	for (struct entry *entry = entries; entry; entry = entry->next) {
		if (!entry->used)
			continue;
		file_remove_at(AT_FDCWD, entry->name);
		entry->used = false;
	}
}

void
draft_set_writer(pid_t pid)
{
	writer = pid;
}

bool
draft_take_signal(int number)
{
	if (syscall(SYS_gettid) == getpid())
		return true;
	syscall(SYS_tgkill, getpid(), getpid(), number);
	return false;
}

static void
end_by_signal(int number)
{
	if (!draft_take_signal(number))
		return;
	if (owner == getpid() && writer > 0 && kill(writer, SIGKILL) == 0)
		waitpid(writer, NULL, 0);
	draft_remove_all();
	/* It is blocked until we return, and then ends the process. */
	signal(number, SIG_DFL);
	raise(number);
}

/* Signals that are ignored (nohup) or handled already stay so. */
static void
handle_signals(void)
{
	static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};
	struct sigaction action = {.sa_handler = end_by_signal, .sa_flags = SA_RESTART};
	struct sigaction old;

	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++) {
		if (sigaction(ending[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			sigaction(ending[i], &action, NULL);
	}
}

static struct entry *
free_entry(void)
{
	struct entry *entry = entries;

	while (entry && entry->used)
		entry = entry->next;
	if (entry)
		return entry;
	mem_on_exhaustion(draft_remove_all);
	entry = mem_zalloc(1, sizeof(*entry));
	entry->next = entries;
	entries = entry;
	return entry;
}

static void
release_entry(struct entry *entry)
{
	entry->used = false;
	if (entry->lock >= 0)
		close(entry->lock);
	entry->lock = -1;
}

/* The draft `name` has its final name now, or is removed. */
static void
draft_forget(const char *name)
{
	for (struct entry *entry = entries; entry; entry = entry->next) {
		if (entry->used && strcmp(entry->name, name) == 0)
			release_entry(entry);
	}
}

/* All drafts so far are another process's. */
static void
draft_forget_all(void)
{
	for (struct entry *entry = entries; entry; entry = entry->next) {
		if (entry->used)
			release_entry(entry);
	}
}

/* Names, and the removal of drafts that killed processes left. */

static const char *
boot(void)
{
	static char id[BOOT_BYTES + 1];
	int fd = id[0] ? -1 : open(BOOT_ID, O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && read(fd, id, BOOT_BYTES) != BOOT_BYTES)
		id[0] = '\0';
	if (fd >= 0)
		close(fd);
	return id[0] ? id : memset(id, '0', BOOT_BYTES);
}

/* The part behind NAME in the name of a draft; NULL: it is none. */
static const char *
after_name(const char *entry)
{
	const size_t rest = 1 + BOOT_BYTES + 1 + RANDOM_BYTES + strlen(SUFFIX);
	const size_t len = strlen(entry);

	if (entry[0] != '.' || len <= rest + 1)
		return NULL;
	const char *at = entry + len - rest;

	return at[0] == '.' && at[1 + BOOT_BYTES] == '-' &&
			       strcmp(entry + len - strlen(SUFFIX), SUFFIX) == 0
		       ? at
		       : NULL;
}

bool
draft_is_name(const char *entry, const char *name)
{
	const char *after = after_name(entry);

	if (!after || !name)
		return after;
	const size_t len = strnlen(name, NAME_BYTES);

	return (size_t)(after - entry) == 1 + len && strncmp(entry + 1, name, len) == 0;
}

/* Whether its process is dead; then it is locked by us at *lock, unless that is -1. */
static bool
is_left(int folder_fd, const char *entry, int *lock)
{
	struct stat status;
	const char *after = after_name(entry);

	*lock = -1;
	if (!after || fstatat(folder_fd, entry, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
		status.st_uid != geteuid())
		return false;
	if (strncmp(after + 1, boot(), BOOT_BYTES) != 0 &&
		time(NULL) - status.st_mtime < OLD_SECONDS)
		return false;
	/* It cannot be locked, and is made again by who misses it: draft_link(). */
	if (S_ISLNK(status.st_mode))
		return true;
	if (S_ISDIR(status.st_mode) || S_ISREG(status.st_mode))
		*lock = openat(folder_fd, entry,
			(S_ISDIR(status.st_mode) ? O_RDONLY | O_DIRECTORY : O_RDWR) | O_NOFOLLOW |
				O_NONBLOCK | O_CLOEXEC);
	return *lock >= 0 && lock_try(*lock);
}

void
draft_sweep(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		int lock;

		if (is_left(dirfd(dir), entry->d_name, &lock)) {
			log_debug("removing '%s/%s', left behind by a killed process", folder,
				entry->d_name);
			file_remove_at(dirfd(dir), entry->d_name);
		}
		if (lock >= 0)
			close(lock);
	}
	if (dir)
		closedir(dir);
}

/* Once for each of the folders that were used last. */
static void
sweep_folder_of(const char *path)
{
	static char swept[SWEPT_MAX][PATH_MAX];
	static size_t next;
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%.*s.", (int)(file_basename(path) - path), path);
	for (size_t i = 0; i < SWEPT_MAX; i++) {
		if (strcmp(swept[i], folder) == 0)
			return;
	}
	memcpy(swept[next++ % SWEPT_MAX], folder, sizeof(folder));
	draft_sweep(folder);
}

/* Writes a new name for a draft of `path`. */
static int
choose_name(char name[PATH_MAX], const char *path)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
	const char *base = file_basename(path);
	unsigned char random[RANDOM_BYTES];
	char word[RANDOM_BYTES + 1] = "";

	if (getentropy(random, sizeof(random)) < 0)
		return -1;
	for (size_t i = 0; i < RANDOM_BYTES; i++)
		word[i] = letters[random[i] % (sizeof(letters) - 1)];
	const int len = snprintf(name, PATH_MAX, "%.*s.%.*s.%s-%s" SUFFIX, (int)(base - path), path,
		NAME_BYTES, base, boot(), word);

	errno = ENAMETOOLONG;
	return len < PATH_MAX ? 0 : -1;
}

/* Making a draft. */

/* Whether `name` is still the one that was locked: a sweep may have come first. */
static bool
is_still(const char *name, int lock)
{
	struct stat there;
	struct stat locked;

	return lstat(name, &there) == 0 && fstat(lock, &locked) == 0 &&
	       there.st_ino == locked.st_ino && there.st_dev == locked.st_dev;
}

/* 1: the draft was swept before it was locked, and another is to be made. -1 and errno. */
typedef int draft_maker(struct entry *entry, void *context);

static char *
make_draft(const char *path, draft_maker *maker, void *context)
{
	sweep_folder_of(path);
	struct entry *entry = free_entry();
	char *result = mem_zalloc(PATH_MAX, 1);
	int made = 1;

	owner = getpid();
	handle_signals();
	for (int i = 0; i < TRIES && made != 0; i++) {
		if (choose_name(entry->name, path) < 0)
			break;
		entry->lock = -1;
		entry->used = true;
		made = maker(entry, context);
		if (made == 0)
			return memcpy(result, entry->name, PATH_MAX);
		const int problem = errno;

		release_entry(entry);
		errno = problem;
		if (made < 0 && problem != EEXIST)
			break;
	}
	free(result);
	return NULL;
}

/* Where there are no locks, nothing is swept either. */
static int
lock_new(struct entry *entry)
{
	if (entry->lock < 0 && errno == ENOENT)
		return 1;
	if (entry->lock < 0) {
		const int problem = errno;

		file_remove_at(AT_FDCWD, entry->name);
		errno = problem;
		return -1;
	}
	while (flock(entry->lock, LOCK_EX) < 0) {
		if (errno != EINTR)
			return 0;
	}
	return is_still(entry->name, entry->lock) ? 0 : 1;
}

static int
make_folder(struct entry *entry, void *context)
{
	(void)context;
	if (mkdir(entry->name, 0700) < 0)
		return -1;
	entry->lock = open(entry->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return lock_new(entry);
}

/* An empty folder that is to become `path`, for its owner only; owned. NULL with errno. */
static char *
draft_make_folder(const char *path)
{
	return make_draft(path, make_folder, NULL);
}

static int
make_file(struct entry *entry, void *context)
{
	int *fd = context;

	*fd = open(entry->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (*fd < 0)
		return -1;
	entry->lock = fcntl(*fd, F_DUPFD_CLOEXEC, 0);
	const int locked = lock_new(entry);
	const int problem = errno;

	if (locked != 0)
		close(*fd);
	errno = problem;
	return locked;
}

/* An empty file, open for writing at *fd, which is the caller's. NULL with errno. */
static char *
draft_make_file(const char *path, int *fd)
{
	return make_draft(path, make_file, fd);
}

/*
 * A file without a name, which vanishes when the process ends in any way; -1 where the file system
 * does not support it, or where a name could not be given later.
 */
static int
draft_open_nameless(const char *path)
{
	char *folder = mem_printf("%.*s.", (int)(file_basename(path) - path), path);
	int fd = access(OWN_FILES, X_OK) == 0 ? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600)
					      : -1;

	free(folder);
	return fd;
}

/* Locked before it has a name. */
static int
name_file(struct entry *entry, void *context)
{
	const int *fd = context;
	char own[sizeof(OWN_FILES) + 16];

	snprintf(own, sizeof(own), "%s/%d", OWN_FILES, *fd);
	entry->lock = fcntl(*fd, F_DUPFD_CLOEXEC, 0);
	if (entry->lock < 0)
		return -1;
	lock_try(entry->lock);
	return linkat(AT_FDCWD, own, AT_FDCWD, entry->name, AT_SYMLINK_FOLLOW);
}

/* A name for such a file. NULL with errno. */
static char *
draft_name_file(const char *path, int fd)
{
	return make_draft(path, name_file, &fd);
}

static int
make_link(struct entry *entry, void *context)
{
	const char *const *way = context;

	if (symlink(way[0], entry->name) < 0)
		return -1;
	if (rename(entry->name, way[1]) == 0)
		return 0;
	if (errno == ENOENT)
		return 1;
	const int problem = errno;

	unlink(entry->name);
	errno = problem;
	return -1;
}

int
draft_link(const char *target, const char *path)
{
	const char *way[] = {target, path};
	char *name = make_draft(path, make_link, way);

	if (!name)
		return -1;
	draft_forget(name);
	free(name);
	return 0;
}

/* Outputs: files and folders that take their place when they are whole. */

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

static void
release(struct file_draft *draft)
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
	release(draft);
}

/* A draft has 0600; an ordinary file has what the umask allows. */
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
		    (!flushed || fsync(fd) == 0);

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

	/* A draft has 0700. */
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
