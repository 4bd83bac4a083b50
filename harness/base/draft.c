#include "base/draft.h"

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
 * The name of a draft is ".NAME.BOOT-RANDOM.profile_run", in the folder of NAME. BOOT is the same
 * for all processes that see each other's locks: those of one running kernel.
 */
#define SUFFIX ".profile_run"
#define BOOT_BYTES 8
#define RANDOM_BYTES 8
/* As much of NAME as leaves room for the rest within NAME_MAX. */
#define NAME_BYTES 200
#define BOOT_ID "/proc/sys/kernel/random/boot_id"
/* A draft of another machine, or from before a reboot, that is older than this is left behind. */
#define OLD_SECONDS (24L * 60 * 60)
/* Here the kernel has a link to each open file, also to those without a name. */
#define OWN_FILES "/proc/self/fd"
/* Names that are tried for one draft. */
#define TRIES 100
/* Folders that are remembered as swept. */
#define SWEPT_MAX 16

/*
 * A draft of this process. It is registered before it exists, so that a signal at any moment
 * removes it. Entries are used again and never freed, so that a signal finds the list whole.
 */
struct entry {
	struct entry *next;
	volatile sig_atomic_t used;
	int lock;            /* -1: the file system has no locks */
	char name[PATH_MAX]; /* the path of the draft */
};

static struct entry *volatile entries;
/* The process that made them, and the one that writes to them for it: draft_set_writer(). */
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
	/* The signal is blocked until the handler returns, and then ends the process. */
	signal(number, SIG_DFL);
	raise(number);
}

/* Removes drafts on the signals that end the process, unless they are ignored (nohup) or handled.
 */
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

/* An unused entry of the list, added if needed. */
static struct entry *
find_unused_entry(void)
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

/* Takes the draft out of the list, and unlocks it. */
static void
release_entry(struct entry *entry)
{
	entry->used = false;
	if (entry->lock >= 0)
		close(entry->lock);
	entry->lock = -1;
}

void
draft_forget(const char *name)
{
	for (struct entry *entry = entries; entry; entry = entry->next) {
		if (entry->used && strcmp(entry->name, name) == 0)
			release_entry(entry);
	}
}

void
draft_forget_all(void)
{
	for (struct entry *entry = entries; entry; entry = entry->next) {
		if (entry->used)
			release_entry(entry);
	}
}

/* BOOT in the name of a draft: the begin of the kernel's boot id; zeros where it cannot be read. */
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

/* The part behind NAME in the name of a draft; NULL where `entry` is no such name. */
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

/*
 * Whether `entry` of a folder is a draft of this user that was left by a process that is dead. Sets
 * *lock to a descriptor to close, by which the draft is locked; -1: to none.
 */
static bool
is_left_behind(int folder_fd, const char *entry, int *lock)
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
	/* A link cannot be locked; draft_link() makes another where its own was removed. */
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

		if (is_left_behind(dirfd(dir), entry->d_name, &lock)) {
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

/* Sweeps the folder of `path`, unless it is one of the last that were swept. */
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

/* Writes the path of a new draft of `path`, with a random name. -1 with errno. */
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

/* Whether `name` is still the file or folder that was locked: a sweep can have removed it before.
 */
static bool
is_still_there(const char *name, int lock)
{
	struct stat there;
	struct stat locked;

	return lstat(name, &there) == 0 && fstat(lock, &locked) == 0 &&
	       there.st_ino == locked.st_ino && there.st_dev == locked.st_dev;
}

/*
 * Makes the draft entry->name. Returns 1 where it was swept before it was locked, and has to be
 * made again; -1 with errno.
 */
typedef int draft_maker(struct entry *entry, void *context);

/* Makes a draft of `path`, with another name where one exists. Returns its path; NULL with errno.
 */
static char *
make_draft(const char *path, draft_maker *maker, void *context)
{
	sweep_folder_of(path);
	struct entry *entry = find_unused_entry();
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

/*
 * Locks a new draft, open at entry->lock; results as of a draft_maker. A file system without locks
 * is no error: nothing is swept there.
 */
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
	return is_still_there(entry->name, entry->lock) ? 0 : 1;
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

char *
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

char *
draft_make_file(const char *path, int *fd)
{
	return make_draft(path, make_file, fd);
}

int
draft_open_nameless(const char *path)
{
	char *folder = mem_printf("%.*s.", (int)(file_basename(path) - path), path);
	int fd = access(OWN_FILES, X_OK) == 0 ? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600)
					      : -1;

	free(folder);
	return fd;
}

/* Locks a file without a name, and gives it the name of the entry. */
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

char *
draft_name_file(const char *path, int fd)
{
	return make_draft(path, name_file, &fd);
}

/* A symbolic link: the path it leads to, and its own. */
struct link_paths {
	const char *target;
	const char *path;
};

static int
make_link(struct entry *entry, void *context)
{
	const struct link_paths *link = context;

	if (symlink(link->target, entry->name) < 0)
		return -1;
	if (rename(entry->name, link->path) == 0)
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
	struct link_paths link = {target, path};
	char *name = make_draft(path, make_link, &link);

	if (!name)
		return -1;
	draft_forget(name);
	free(name);
	return 0;
}
