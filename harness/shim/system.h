/*
 * System calls of the shim: made directly, so that neither errno nor any state of the C library
 * changes, and nothing is interposed by others. Results are the kernel's: above -4096 an error.
 */
#ifndef SHIM_SYSTEM_H
#define SHIM_SYSTEM_H

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static inline long
system_call(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
#else
	/* Nothing is counted on other machines: no call can be made. */
	(void)number;
	(void)a;
	(void)b;
	(void)c;
	(void)d;
	(void)e;
	(void)f;
	return -ENOSYS;
#endif
}

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
