/* The calls that inject.c lets fail. What they call in turn are system calls, not functions of
 * their own. */
#include "inject.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

/* The C library's own function of the name. */
#define REAL(name) ((__typeof__(&(name)))real(#name))

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
flock(int fd, int operation)
{
	return fails(GROUP_LOCK) ? -1 : (int)syscall(SYS_flock, fd, operation);
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
	if (lacks_exchange() && (flags & RENAME_EXCHANGE)) {
		errno = EINVAL;
		return -1;
	}
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
	if (fails(GROUP_MMAP))
		return MAP_FAILED;
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): from the kernel. */
	return (void *)syscall(SYS_mmap, at, len, protection, flags, fd, offset);
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
