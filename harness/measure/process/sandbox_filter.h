/*
 * The system calls that a sandboxed process (process/sandbox.h) may make, as a seccomp filter.
 * Other calls fail with EPERM; those newer than Linux 5.0 with ENOSYS, for which the C library has
 * older ones.
 */
#ifndef PROCESS_SANDBOX_FILTER_H
#define PROCESS_SANDBOX_FILTER_H

#include <stdbool.h>
#include <sys/types.h>

struct sandbox_filter {
	bool files;    /* files may be made, where Landlock allows it, with the modes that the umask
			  leaves */
	mode_t mask;   /* the umask */
	bool programs; /* other programs may be run */
	bool network;
};

/* Sets the filter for this process and all its threads and children to come; -1 and errno. */
int sandbox_filter_set(const struct sandbox_filter *rules);

#endif
