#include "perf_event/tracepoint.h"

#include "base/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The root of a tracefs that is mounted nowhere; -1 and errno. */
static int
open_detached(void)
{
	int filesystem = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	int root = -1;

	if (filesystem < 0)
		return -1;
	if (syscall(SYS_fsconfig, filesystem, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		root = (int)syscall(SYS_fsmount, filesystem, FSMOUNT_CLOEXEC, 0);
	int errnum = errno;

	close(filesystem);
	errno = errnum;
	return root;
}

static uint64_t
read_detached(const char *path)
{
	char text[32] = "";
	int root = open_detached();
	int fd = root < 0 ? -1 : openat(root, path, O_RDONLY | O_CLOEXEC);
	int errnum = errno;

	if (fd >= 0 && read(fd, text, sizeof(text) - 1) < 0)
		errnum = errno;
	if (fd >= 0)
		close(fd);
	if (root >= 0)
		close(root);
	errno = errnum;
	return strtoull(text, NULL, 10);
}

uint64_t
tracepoint_id(const char *name, struct err *err)
{
	static const char *const mounts[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	char path[256];

	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		snprintf(path, sizeof(path), "%s/events/%s/id", mounts[i], name);
		double id = sysfs_number("", path);

		if (id > 0)
			return (uint64_t)id;
	}
	snprintf(path, sizeof(path), "events/%s/id", name);
	uint64_t id = read_detached(path);

	if (id == 0)
		err_set_errno(err, ERR_MEASURE, errno,
			"the tracepoint '%s' is not accessible: tracefs cannot be read", name);
	return id;
}
