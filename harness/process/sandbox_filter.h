/*
 * The system calls that a confined process may make (sandbox.h). Those that are refused fail with
 * EPERM; ones newer than Linux 5.0 with ENOSYS, for which the C library has older ones.
 */
#ifndef PROCESS_SANDBOX_FILTER_H
#define PROCESS_SANDBOX_FILTER_H

#include "process/sandbox.h"

#include <sys/types.h>

/* `mask` is the process's umask: files get the modes that it leaves, and no others. */
int sandbox_filter_set(const struct sandbox_rules *rules, mode_t mask);

#endif
