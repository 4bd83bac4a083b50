/*
 * Files of a process that has another root folder or other mounts than we (chroot(2),
 * mount_namespaces(7)): as it names them, and by their paths here. Linux; proc(5).
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
 * The path, absolute and without links, by which a file of the process is found here; `fd` is open
 * on it. False, and `path` is as it was, where no mount of ours has the file.
 */
bool other_mounts_path(pid_t tid, int fd, char path[PATH_MAX]);

#endif
