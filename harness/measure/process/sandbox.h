/*
 * A process without rights, for reading input from strangers: no network, no other program, no file
 * written but below given folders, no signal to another process, no call of the kernel that it does
 * not need. It may read whatever its user may, and write to what was opened before.
 *
 * By a seccomp filter, and by Landlock where files may be made. Sources: seccomp(2), landlock(7).
 */
#ifndef PROCESS_SANDBOX_H
#define PROCESS_SANDBOX_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* All false: files are read and nothing else. */
struct sandbox_rules {
	/* Folders below which files may be made, replaced and removed. They are there already. */
	const char *const *folders;
	size_t nfolders;
	bool programs; /* other programs may be run, with the same rights as we have */
	bool network;
};

/* The features of the kernel for it. */
struct sandbox_support {
	bool filter;  /* without it sandbox_enter() refuses */
	int landlock; /* version of its interface; 0: none, and `folders` are not the only ones */
};

struct sandbox_support sandbox_support(void);

/*
 * Gives up all other rights, for ever, and also for threads and processes to come. The process must
 * have one thread.
 */
int sandbox_enter(const struct sandbox_rules *rules, struct err *err);

#endif
