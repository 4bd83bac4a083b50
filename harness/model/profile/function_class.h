/*
 * The purpose of functions, as far as their names show: the C library's, the kernel's and a few
 * runtimes' own. A program's functions are recognised by the ends of their names only.
 */
#ifndef PROFILE_FUNCTION_CLASS_H
#define PROFILE_FUNCTION_CLASS_H

#include "base/buf.h"
#include "profile/functions.h"
#include "profile/profile.h"

#include <stdbool.h>

#define CLASS_KERNEL 0x001u
#define CLASS_SYSCALL 0x002u   /* the kernel's side of a system call */
#define CLASS_INTERRUPT 0x004u /* what the kernel does for others */
#define CLASS_FAULT 0x008u     /* page faults ... */
#define CLASS_FRESH 0x010u     /* ... of memory that is used for the first time */
#define CLASS_FILE 0x020u      /* ... of pages of files */
#define CLASS_COPY 0x040u      /* ... that copy a page after fork() */
#define CLASS_LOCK 0x080u      /* taking and releasing locks */
#define CLASS_WAIT 0x100u      /* ... that another had */
#define CLASS_ALLOC 0x200u     /* allocating and freeing memory */
#define CLASS_START 0x400u     /* loading, linking and initialising */
#define CLASS_SCHEDULE 0x800u  /* switching between processes, and the ways out of interrupts */
#define CLASS_MACHINE 0x2000u  /* the kernel's part that depends on the hypervisor and the CPU */
#define CLASS_REASON 0x1000u   /* no function, but what a thread waited for */

/* The classes of one function. */
unsigned function_class(const char *name, enum frame_kind kind);

/* By frame; free() it. */
unsigned *function_classes(const struct profile *profile);

/* "write" of __x64_sys_write, ksys_write and so on, as a part of `name`; 0: it is none. */
size_t function_class_syscall(const char *name, const char **call);

/*
 * By frame: whether it is scheduling or interrupts, or a kernel function that mostly runs below
 * them. Other load makes them cost more, in whatever program they hit. free() it.
 */
bool *function_class_background(const struct profile *profile);

#endif
