/*
 * The system calls that a confined process may make (sandbox.h). Those that are refused fail with
 * EPERM; ones newer than Linux 5.0 with ENOSYS, for which the C library has older ones.
 */
#ifndef PROCESS_SANDBOX_FILTER_H
#define PROCESS_SANDBOX_FILTER_H

#include <stdbool.h>
#include <sys/types.h>

struct sandbox_filter {
	bool files; /* may be made, where Landlock allows it; with the modes that the umask leaves
		     */
	mode_t mask;
	bool programs;
	bool network;
};

/* For all threads and processes to come; -1 and errno. */
int sandbox_filter_set(const struct sandbox_filter *filter);

#endif
