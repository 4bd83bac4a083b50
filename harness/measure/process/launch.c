#include "process/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Since Linux 6.3 files in memory that are to be executed say so. */
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif
/* More words of a command line than any of a workload has; others are started without us. */
#define WORDS_MAX 4096

/* launcher.S */
extern const char launcher_program[];
extern const uint64_t launcher_program_bytes; /* 0: none for this kind of processor */

/* A file in memory with the launcher; -1 where there can be none. */
static int
open_program(void)
{
	const size_t len = launcher_program_bytes;

	if (len == 0)
		return -1;
	int fd = memfd_create("launcher", MFD_CLOEXEC | MFD_EXEC);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("launcher", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, launcher_program, len) != (ssize_t)len) {
		close(fd);
		return -1;
	}
	return fd;
}

static void
set_close_on_exec(int fd, bool close_on_exec)
{
	fcntl(fd, F_SETFD, close_on_exec ? FD_CLOEXEC : 0);
}

void
launch_become(int start_fd, int report_fd, int parent, const char *path, const char *const *argv)
{
	char numbers[3][16];
	const char *words[LAUNCH_ARGV + WORDS_MAX + 1] = {
		[LAUNCH_NAME] = "launcher",
		[LAUNCH_START_FD] = numbers[0],
		[LAUNCH_REPORT_FD] = numbers[1],
		[LAUNCH_PARENT] = numbers[2],
		[LAUNCH_PATH] = path,
	};
	int fd = open_program();
	size_t n = 0;

	while (argv[n])
		n++;
	if (fd < 0 || n > WORDS_MAX)
		return;
	memcpy(words + LAUNCH_ARGV, argv, n * sizeof(*argv));
	snprintf(numbers[0], sizeof(numbers[0]), "%d", start_fd);
	snprintf(numbers[1], sizeof(numbers[1]), "%d", report_fd);
	snprintf(numbers[2], sizeof(numbers[2]), "%d", parent);
	set_close_on_exec(start_fd, false);
	set_close_on_exec(report_fd, false);
	fexecve(fd, (char *const *)words, environ);
	set_close_on_exec(start_fd, true);
	set_close_on_exec(report_fd, true);
	close(fd);
}

/* Whether the file would be run; else why not, in errno. */
static bool
can_be_run(const char *path)
{
	struct stat file;

	if (access(path, X_OK) < 0 || stat(path, &file) < 0)
		return false;
	errno = EACCES;
	return S_ISREG(file.st_mode);
}

bool
launch_find_in_path(const char *name, char path[4096])
{
	const char *at = getenv("PATH");
	int errnum = ENOENT;

	if (strchr(name, '/') || name[0] == '\0') {
		if (snprintf(path, 4096, "%s", name) < 4096)
			return can_be_run(path);
		errno = ENAMETOOLONG;
		return false;
	}
	if (!at)
		at = "/bin:/usr/bin";
	for (;;) {
		size_t len = strcspn(at, ":");

		/* An empty entry is the current folder. */
		if (snprintf(path, 4096, "%.*s%s%s", (int)len, at, len > 0 ? "/" : "", name) <
				4096 &&
			can_be_run(path))
			return true;
		if (errno == EACCES)
			errnum = EACCES;
		if (at[len] == '\0')
			break;
		at += len + 1;
	}
	errno = errnum;
	return false;
}
