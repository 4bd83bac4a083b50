/* Mounting the folders of the fixed place, in a mount namespace that only the program has. */
#include "process/fixed_place.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

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
show_folder(const char *folder, const char *at)
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
			       show_folder(place->folder, FIXED_PLACE_FOLDER) < 0 ||
			       show_folder(home, FIXED_PLACE_HOME) < 0
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
