/*
 * The ways into the kernel: what its functions are compared as where their names tell nothing.
 *
 * Another build of the kernel has other functions inside: they are renamed, inlined, or replaced by
 * those of another hypervisor. What stays is the way in: the system call, a page fault, an
 * interrupt. And what runs below an interrupt's entry is of no program: which function it hits is
 * chance.
 */
#ifndef PROFILE_KERNEL_WAY_H
#define PROFILE_KERNEL_WAY_H

#include "base/buf.h"
#include "profile/profile.h"

#include <stdbool.h>

enum kernel_way {
	KERNEL_WAY_NONE,      /* not in the kernel */
	KERNEL_WAY_UNKNOWN,   /* in it */
	KERNEL_WAY_CALL,      /* a system call, not known which */
	KERNEL_WAY_FAULT,     /* a page fault */
	KERNEL_WAY_NAMED,     /* a system call by name */
	KERNEL_WAY_INTERRUPT, /* an interrupt, wherever it came */
};

/*
 * The way that a frame `name` of the kernel makes known by itself. Puts the way's name into `text`:
 * "system call read", "page fault", "interrupt".
 */
enum kernel_way kernel_way_of(const char *name, struct buf *text);

/*
 * The way that is known at a frame which by itself makes `own` known, below one at which `above`
 * was: the first that is found holds, but for an interrupt. A page fault of a system call is the
 * call's.
 */
enum kernel_way kernel_way_below(enum kernel_way above, enum kernel_way own);

/*
 * Whether both profiles are known to be of other builds of the kernel, by its release in
 * profile->host.
 */
bool kernel_way_is_needed(const struct profile *a, const struct profile *b);

#endif
