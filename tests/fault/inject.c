/*
 * A preload that lets the Nth call of a group fail in the process it is loaded into, and in what
 * that process forks before an exec. Other programs, the measured ones included, are left alone.
 *
 *   FAULT_POINT=GROUP:N:ERROR   the Nth call fails with ERROR (ENOSPC ...); "short" does half of
 * what was asked; "kill" ends the process there by SIGKILL; N+ means that all later ones do the
 * same FAULT_COUNTS=FILE           for each group a line is written there at the end: how many
 * calls were made, then which of them were the first of their call stack
 *
 * Calls within the C library are not seen, except for those of malloc. Call stacks can be told
 * apart only where addresses are not random (setarch -R).
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define INJECTED "profile_run"

enum group {
	GROUP_WRITE,
	GROUP_FSYNC,
	GROUP_RENAME,
	GROUP_OPEN,
	GROUP_MKDIR,
	GROUP_MMAP,
	GROUP_MALLOC,
	GROUP_CLONE,
	GROUP_PERF,
	GROUP_READ,
	GROUP_TRUNCATE,
	GROUP_IOCTL,
	GROUP_POLL,
	GROUPS
};

static const char *const group_names[GROUPS] = {"write", "fsync", "rename", "open", "mkdir", "mmap",
	"malloc", "clone", "perf_event_open", "read", "truncate", "ioctl", "poll"};

#define STACK_DEPTH 24
#define STACKS_MAX (1U << 16)

/* In memory that forked processes share, so that a point is one of the whole run. */
struct counts {
	unsigned made[GROUPS];
	uint64_t stacks[STACKS_MAX]; /* hashes; 0: free */
	unsigned nfirst;
	struct {
		unsigned group;
		unsigned number;
	} first[STACKS_MAX];
};

static struct counts *counts;
static enum group fault_group = GROUPS;
static unsigned fault_number;
static bool fault_stays;
static bool fault_is_short;
static bool fault_kills;
static int fault_errnum;
static const char *counts_path;
static pid_t first_process;
/* Taking a call stack may call what is counted. */
static __thread bool in_backtrace;

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static int
find_errnum(const char *name)
{
	static const int known[] = {
		ENOSPC, EIO, EMFILE, EINTR, ENOMEM, EPERM, EAGAIN, EINVAL, EACCES, ENOENT, EEXIST};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(strerrorname_np(known[i]), name) == 0)
			return known[i];
	fprintf(stderr, "inject: unknown error '%s'\n", name);
	_exit(99);
}

static void
read_point(const char *point)
{
	char group[32];
	char plus[2] = "";
	char error[16];

	if (sscanf(point, "%31[^:]:%u%1[+]:%15s", group, &fault_number, plus, error) != 4) {
		plus[0] = '\0';
		if (sscanf(point, "%31[^:]:%u:%15s", group, &fault_number, error) != 3)
			_exit(99);
	}
	fault_stays = plus[0] == '+';
	fault_is_short = strcmp(error, "short") == 0;
	fault_kills = strcmp(error, "kill") == 0;
	if (!fault_is_short && !fault_kills)
		fault_errnum = find_errnum(error);
	for (unsigned i = 0; i < GROUPS; i++)
		if (strcmp(group_names[i], group) == 0)
			fault_group = (enum group)i;
	if (fault_group == GROUPS)
		_exit(99);
}

static bool
is_injected(void)
{
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (len < 0)
		return false;
	path[len] = '\0';
	const char *slash = strrchr(path, '/');

	return slash && strcmp(slash + 1, INJECTED) == 0;
}

__attribute__((constructor)) static void
begin(void)
{
	const char *point = getenv("FAULT_POINT");

	if (!is_injected())
		return;
	if (point)
		read_point(point);
	counts_path = getenv("FAULT_COUNTS");
	first_process = getpid();
	/* By the system call: our own mmap() counts. */
	void *shared = (void *)syscall(SYS_mmap, NULL, sizeof(*counts), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0L);

	if (counts_path) {
		void *frames[1];

		/* The first one loads a library. */
		backtrace(frames, 1);
	}
	if (shared != MAP_FAILED)
		counts = shared;
}

/* FNV-1a, of the group and the return addresses. */
static uint64_t
hash_stack(enum group group)
{
	void *frames[STACK_DEPTH];
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ group;
	int nframes = backtrace(frames, STACK_DEPTH);

	for (int i = 0; i < nframes; i++)
		hash = (hash ^ (uintptr_t)frames[i]) * UINT64_C(0x100000001b3);
	return hash | 1;
}

static void
note_stack(enum group group, unsigned number)
{
	if (in_backtrace)
		return;
	in_backtrace = true;
	uint64_t hash = hash_stack(group);

	in_backtrace = false;
	for (unsigned probe = 0; probe < STACKS_MAX; probe++) {
		uint64_t *place = &counts->stacks[(hash + probe) % STACKS_MAX];
		uint64_t found = 0;

		if (__atomic_compare_exchange_n(
			    place, &found, hash, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			unsigned at = __atomic_fetch_add(&counts->nfirst, 1, __ATOMIC_RELAXED);

			counts->first[at].group = group;
			counts->first[at].number = number;
			return;
		}
		if (found == hash)
			return;
	}
}

__attribute__((destructor)) static void
end(void)
{
	if (!counts || !counts_path || getpid() != first_process)
		return;
	struct counts *made = counts;

	counts = NULL;
	FILE *file = fopen(counts_path, "w");

	if (!file)
		_exit(99);
	for (unsigned group = 0; group < GROUPS; group++) {
		fprintf(file, "%s %u", group_names[group], made->made[group]);
		for (unsigned i = 0; i < made->nfirst; i++)
			if (made->first[i].group == group)
				fprintf(file, " %u", made->first[i].number);
		fputc('\n', file);
	}
	if (fclose(file) != 0)
		_exit(99);
}

/* Counts a call; whether it is the one that is to fail. */
static bool
is_the_one(enum group group)
{
	if (!counts)
		return false;
	unsigned number = __atomic_add_fetch(&counts->made[group], 1, __ATOMIC_RELAXED);

	if (counts_path)
		note_stack(group, number);
	if (group != fault_group || (fault_stays ? number < fault_number : number != fault_number))
		return false;
	if (fault_kills)
		kill(getpid(), SIGKILL);
	return true;
}

/* Whether the call fails, with errno set. One that can be short is shortened by the caller. */
static bool
fails(enum group group)
{
	if (!is_the_one(group) || fault_is_short)
		return false;
	errno = fault_errnum;
	return true;
}

/* Pipes and the like move a few bytes at once or not at all. */
static bool
can_be_short(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

/* For calls that move bytes: -1, or how many of them are moved. */
static ssize_t
allowed(enum group group, int fd, size_t bytes)
{
	if (!is_the_one(group))
		return (ssize_t)bytes;
	if (fault_is_short)
		return (ssize_t)(bytes > 1 && can_be_short(fd) ? bytes / 2 : bytes);
	errno = fault_errnum;
	return -1;
}

/* The C library's own function of the name. */
#define REAL(name) ((__typeof__(&name))real(#name))

static void *
real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

ssize_t
write(int fd, const void *bytes, size_t len)
{
	ssize_t most = allowed(GROUP_WRITE, fd, len);

	return most < 0 ? -1 : syscall(SYS_write, fd, bytes, most);
}

ssize_t
pwrite(int fd, const void *bytes, size_t len, off_t at)
{
	ssize_t most = allowed(GROUP_WRITE, fd, len);

	return most < 0 ? -1 : syscall(SYS_pwrite64, fd, bytes, most, at);
}

/* A short one writes half of the first piece. */
ssize_t
writev(int fd, const struct iovec *pieces, int npieces)
{
	const size_t unlimited = SIZE_MAX >> 1;
	ssize_t most = allowed(GROUP_WRITE, fd, unlimited);

	if (most < 0)
		return -1;
	if ((size_t)most < unlimited && npieces > 0)
		return syscall(SYS_write, fd, pieces[0].iov_base, pieces[0].iov_len / 2);
	return syscall(SYS_writev, fd, pieces, npieces);
}

int
fsync(int fd)
{
	return fails(GROUP_FSYNC) ? -1 : (int)syscall(SYS_fsync, fd);
}

int
fdatasync(int fd)
{
	return fails(GROUP_FSYNC) ? -1 : (int)syscall(SYS_fdatasync, fd);
}

int
rename(const char *from, const char *to)
{
	return fails(GROUP_RENAME) ? -1
				   : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int
renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	return fails(GROUP_RENAME) ? -1
				   : (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, 0);
}

int
renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
	return fails(GROUP_RENAME) ? -1
				   : (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
}

int
linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
	return fails(GROUP_RENAME) ? -1
				   : (int)syscall(SYS_linkat, from_dir, from, to_dir, to, flags);
}

int
symlink(const char *target, const char *path)
{
	return fails(GROUP_RENAME) ? -1 : (int)syscall(SYS_symlinkat, target, AT_FDCWD, path);
}

static int
open_at(int dir, const char *path, int flags, va_list args)
{
	bool makes = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
	mode_t mode = makes ? va_arg(args, mode_t) : 0;

	return fails(GROUP_OPEN) ? -1 : (int)syscall(SYS_openat, dir, path, flags, mode);
}

int
open(const char *path, int flags, ...)
{
	va_list args;

	va_start(args, flags);
	int fd = open_at(AT_FDCWD, path, flags, args);

	va_end(args);
	return fd;
}

int
open64(const char *path, int flags, ...)
{
	va_list args;

	va_start(args, flags);
	int fd = open_at(AT_FDCWD, path, flags, args);

	va_end(args);
	return fd;
}

int
openat(int dir, const char *path, int flags, ...)
{
	va_list args;

	va_start(args, flags);
	int fd = open_at(dir, path, flags, args);

	va_end(args);
	return fd;
}

DIR *
opendir(const char *path)
{
	return fails(GROUP_OPEN) ? NULL : REAL(opendir)(path);
}

FILE *
fopen(const char *path, const char *mode)
{
	return fails(GROUP_OPEN) ? NULL : REAL(fopen)(path, mode);
}

int
mkostemp(char *name, int flags)
{
	return fails(GROUP_OPEN) ? -1 : REAL(mkostemp)(name, flags);
}

int
pipe2(int ends[2], int flags)
{
	return fails(GROUP_OPEN) ? -1 : (int)syscall(SYS_pipe2, ends, flags);
}

int
memfd_create(const char *name, unsigned flags)
{
	return fails(GROUP_OPEN) ? -1 : (int)syscall(SYS_memfd_create, name, flags);
}

int
dup(int fd)
{
	return fails(GROUP_OPEN) ? -1 : (int)syscall(SYS_dup, fd);
}

char *
mkdtemp(char *name)
{
	return fails(GROUP_MKDIR) ? NULL : REAL(mkdtemp)(name);
}

int
mkdir(const char *path, mode_t mode)
{
	return fails(GROUP_MKDIR) ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

void *
mmap(void *at, size_t len, int protection, int flags, int fd, off_t offset)
{
	return fails(GROUP_MMAP)
		       ? MAP_FAILED
		       : (void *)syscall(SYS_mmap, at, len, protection, flags, fd, offset);
}

void *
malloc(size_t bytes)
{
	return fails(GROUP_MALLOC) ? NULL : __libc_malloc(bytes);
}

void *
calloc(size_t count, size_t bytes)
{
	return fails(GROUP_MALLOC) ? NULL : __libc_calloc(count, bytes);
}

void *
realloc(void *memory, size_t bytes)
{
	return fails(GROUP_MALLOC) ? NULL : __libc_realloc(memory, bytes);
}

void *
aligned_alloc(size_t alignment, size_t bytes)
{
	return fails(GROUP_MALLOC) ? NULL : __libc_memalign(alignment, bytes);
}

pid_t
fork(void)
{
	return fails(GROUP_CLONE) ? -1 : REAL(fork)();
}

int
pthread_create(
	pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
	return fails(GROUP_CLONE) ? errno : REAL(pthread_create)(thread, attributes, run, argument);
}

ssize_t
read(int fd, void *bytes, size_t len)
{
	ssize_t most = allowed(GROUP_READ, fd, len);

	return most < 0 ? -1 : syscall(SYS_read, fd, bytes, most);
}

ssize_t
pread(int fd, void *bytes, size_t len, off_t at)
{
	ssize_t most = allowed(GROUP_READ, fd, len);

	return most < 0 ? -1 : syscall(SYS_pread64, fd, bytes, most, at);
}

int
ftruncate(int fd, off_t bytes)
{
	return fails(GROUP_TRUNCATE) ? -1 : (int)syscall(SYS_ftruncate, fd, bytes);
}

int
fchmod(int fd, mode_t mode)
{
	return fails(GROUP_TRUNCATE) ? -1 : (int)syscall(SYS_fchmod, fd, mode);
}

int
ioctl(int fd, unsigned long request, ...)
{
	va_list args;

	va_start(args, request);
	void *argument = va_arg(args, void *);

	va_end(args);
	return fails(GROUP_IOCTL) ? -1 : (int)syscall(SYS_ioctl, fd, request, argument);
}

int
poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	return fails(GROUP_POLL) ? -1 : REAL(poll)(fds, count, timeout_ms);
}

/* Most system calls are made by their own functions above; this is for those that have none. */
long
syscall(long number, ...)
{
	long arguments[6];
	va_list args;

	va_start(args, number);
	for (unsigned i = 0; i < 6; i++)
		arguments[i] = va_arg(args, long);
	va_end(args);
	if ((number == SYS_perf_event_open && fails(GROUP_PERF)) ||
		(number == SYS_clone && fails(GROUP_CLONE)) ||
		(number == SYS_pidfd_open && fails(GROUP_OPEN)))
		return -1;
	static __typeof__(&syscall) own;

	if (!own)
		own = REAL(syscall);
	return own(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
		arguments[5]);
}
