/*
 * Which call is to fail: inject.c decides, inject_calls.c asks.
 */
#ifndef FAULT_INJECT_H
#define FAULT_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

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
	GROUP_LOCK,
	GROUPS
};

/* Whether this call fails, with errno set. One that can be short is shortened by the caller. */
bool fails(enum group group);
/* Whether names cannot be exchanged, as in some file systems. */
bool lacks_exchange(void);
/* For calls that move bytes of a file: -1 and errno, or how many of them are moved. */
ssize_t allowed(enum group group, int fd, size_t bytes);

#endif
