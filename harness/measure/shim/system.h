/*
 * System calls of the shim, made directly: neither errno nor any state of the C library changes,
 * and nothing is interposed by others.
 */
#ifndef SHIM_SYSTEM_H
#define SHIM_SYSTEM_H

#include "base/system_call.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static inline bool
system_failed(long result)
{
	return result < 0 && result > -4096;
}

static inline int
system_open(const char *path, int flags, unsigned mode)
{
	return (int)system_call(
		SYS_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC, (long)mode, 0, 0);
}

static inline void
system_close(int fd)
{
	system_call(SYS_close, fd, 0, 0, 0, 0, 0);
}

static inline long
system_read(int fd, void *bytes, size_t size)
{
	return system_call(SYS_read, fd, (long)bytes, (long)size, 0, 0, 0);
}

/* What is at an address that is known as a number. */
static inline void *
system_memory(uintptr_t address)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): from the kernel, or out of a register. */
	return (void *)address;
}

/* NULL where there is no memory. */
static inline void *
system_map(void *at, size_t size, int rights, int flags, int fd, uint64_t offset)
{
	long result = system_call(SYS_mmap, (long)at, (long)size, rights, flags, fd, (long)offset);

	return system_failed(result) ? NULL : system_memory((uintptr_t)result);
}

static inline void
system_unmap(void *at, size_t size)
{
	system_call(SYS_munmap, (long)at, (long)size, 0, 0, 0, 0);
}

/* Zeros, used only as far as they are touched; zeros again in a forked child if `wiped`. */
static inline void *
system_zeros(size_t size, bool wiped)
{
	void *at = system_map(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (!at)
		return NULL;
	system_call(SYS_madvise, (long)at, (long)size, MADV_NOHUGEPAGE, 0, 0, 0);
	if (wiped && system_failed(system_call(
			     SYS_madvise, (long)at, (long)size, MADV_WIPEONFORK, 0, 0, 0))) {
		system_unmap(at, size);
		return NULL;
	}
	return at;
}

/*
 * A lock that waits in the kernel: 0 free, 1 held, 2 held and waited for (U. Drepper, "Futexes are
 * tricky", section 5).
 */
static inline void
system_lock(uint32_t *lock)
{
	uint32_t seen = 0;

	if (__atomic_compare_exchange_n(lock, &seen, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	while (__atomic_exchange_n(lock, 2, __ATOMIC_ACQUIRE) != 0)
		system_call(SYS_futex, (long)lock, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
}

static inline void
system_unlock(uint32_t *lock)
{
	if (__atomic_exchange_n(lock, 0, __ATOMIC_RELEASE) == 2)
		system_call(SYS_futex, (long)lock, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

#endif
