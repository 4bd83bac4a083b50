/*
 * Files of a process that has another root folder or other mounts than this one (chroot(2),
 * mount_namespaces(7)): opened by the path that the process has for them, and found by a path that
 * leads to them here. Linux; proc(5).
 */
#ifndef PROCESS_OTHER_MOUNTS_H
#define PROCESS_OTHER_MOUNTS_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* Whether an absolute path may be another file for the process than for us. */
bool other_mounts_has(pid_t tid);

/*
 * A descriptor (O_PATH) of the file that an absolute path names for the process; symbolic links
 * are followed in its root folder. -1 with errno.
 */
int other_mounts_open(pid_t tid, const char *path, int open_flags);

/*
 * Sets `path` to the path, absolute and without links, by which the process's file that `fd` is
 * open on is found here. False, and `path` is unchanged, where no mount of ours has the file.
 */
bool other_mounts_path(pid_t tid, int fd, char path[PATH_MAX]);

#endif
