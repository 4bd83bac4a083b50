/*
 * What functions are for, as far as their names tell: the C library's, the kernel's and a few
 * runtimes' own. A program's functions are told by nothing but how their names end.
 */
#ifndef ANALYSIS_CLASS_H
#define ANALYSIS_CLASS_H

#include "analysis/data.h"

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

/* The classes of one function. */
unsigned class_of_function(const char *name, enum frame_kind kind);

/* By frame; free() it. */
unsigned *class_of_frames(const struct profile *profile);

/* The weight of the samples whose stack holds a function of each of the classes in `mask`. */
double class_weight(const struct analysis_data *data, const unsigned *classes, unsigned mask);

/*
 * The samples whose stack holds a function of any class in `mask`. The entry is the outermost such
 * function of a stack, the owner the function above it: both sorted, largest first.
 */
struct class_group {
	double weight;
	struct analysis_edges entries;
	struct analysis_edges owners; /* a process is none */
};

void class_group_init(struct class_group *group, const struct analysis_data *data,
	const unsigned *classes, unsigned mask);
void class_group_release(struct class_group *group);

/* Appends "write" for __x64_sys_write, ksys_write and so on; other names as they are. */
void class_put_syscall(struct buf *out, const struct profile *profile, frame_id frame);

#endif
