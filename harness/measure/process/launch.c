#include "process/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
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
launch_exec(int start_fd, int report_fd, int parent, const char *path, const char *const *argv)
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
launch_find(const char *name, char path[4096])
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

static int
write_text(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	const size_t len = strlen(text);

	if (fd < 0)
		return -1;
	const bool written = write(fd, text, len) == (ssize_t)len;

	close(fd);
	return written ? 0 : -1;
}

/* The user stays the one that it is; there may be no other in the namespace. */
static int
map_user(uid_t user, gid_t group)
{
	char users[64];
	char groups[64];

	snprintf(users, sizeof(users), "%u %u 1\n", (unsigned)user, (unsigned)user);
	snprintf(groups, sizeof(groups), "%u %u 1\n", (unsigned)group, (unsigned)group);
	/* Before Linux 3.19 there is no such file, and no need of it. */
	if (write_text("/proc/self/setgroups", "deny") < 0 && errno != ENOENT)
		return -1;
	return write_text("/proc/self/uid_map", users) < 0 ||
			       write_text("/proc/self/gid_map", groups) < 0
		       ? -1
		       : 0;
}

static int
leave_namespace(void)
{
	const uid_t user = geteuid();
	const gid_t group = getegid();

	if (unshare(CLONE_NEWNS) < 0 &&
		(unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0 || map_user(user, group) < 0))
		return -1;
	/* No other process may see what is mounted here. */
	return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

static int
show(const char *folder, const char *at)
{
	if (mkdir(at, 0755) < 0)
		return -1;
	return folder ? mount(folder, at, NULL, MS_BIND | MS_REC, NULL) : 0;
}

/* Mounted on the folder itself: another user may have made it a link. */
static int
mount_empty(void)
{
	char path[64];

	if (mkdir(FIXED_PLACE, 0755) < 0 && errno != EEXIST)
		return -1;
	const int fd = open(FIXED_PLACE, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	const int status = mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, "size=16m,mode=755");

	close(fd);
	return status;
}

int
fixed_place_enter(const struct fixed_place *place)
{
	/* A home that is not there is none. */
	const char *home = place->home && access(place->home, F_OK) == 0 ? place->home : NULL;

	return leave_namespace() < 0 || mount_empty() < 0 ||
			       show(place->folder, FIXED_PLACE_FOLDER) < 0 ||
			       show(home, FIXED_PLACE_HOME) < 0
		       ? -1
		       : 0;
}

int
fixed_place_try(void)
{
	const struct fixed_place place = {.folder = "/"};
	const pid_t child = fork();
	int status = 0;

	if (child < 0)
		return errno;
	if (child == 0)
		_exit(fixed_place_enter(&place) < 0 ? errno : 0);
	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return errno;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}
