/*
 * Files of a process that has another root folder or other mounts than this one: opened by the path
 * that the process has for them, and found by a path that leads to them here.
 */
#include "process/file_watch.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Thousands of mounts. */
#define MOUNTS_BYTES_MAX ((size_t)8 * 1024 * 1024)
/* The most that a line of mountinfo can have: two paths, each byte of which may be escaped. */
#define FIELD_MAX ((size_t)4 * PATH_MAX)

/* A line of /proc/PID/mountinfo. */
struct mount_line {
	int id;
	char device[32];      /* "259:1" */
	char root[PATH_MAX];  /* the folder of the file system that is mounted */
	char point[PATH_MAX]; /* where, seen from the root folder of the process */
};

bool
other_mounts_has(pid_t tid)
{
	char mounts[64];
	char root[64];

	snprintf(mounts, sizeof(mounts), "/proc/%d/ns/mnt", (int)tid);
	snprintf(root, sizeof(root), "/proc/%d/root", (int)tid);
	return !file_is_same(mounts, "/proc/self/ns/mnt") || !file_is_same(root, "/");
}

int
other_mounts_open(pid_t tid, const char *path, int open_flags)
{
	const struct open_how how = {
		.flags = (uint64_t)(O_PATH | O_CLOEXEC | open_flags), .resolve = RESOLVE_IN_ROOT};
	char root[64];

	snprintf(root, sizeof(root), "/proc/%d/root", (int)tid);
	int folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (folder < 0)
		return -1;
	int fd = (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));
	const int errnum = errno;

	close(folder);
	errno = errnum;
	return fd;
}

/* Spaces and the like are octal numbers there: "\040". */
static void
unescape(const char *field, char path[PATH_MAX])
{
	size_t len = 0;

	while (*field && len + 1 < PATH_MAX) {
		unsigned code;

		if (field[0] == '\\' && sscanf(field + 1, "%3o", &code) == 1) {
			path[len++] = (char)code;
			field += 4;
		} else
			path[len++] = *field++;
	}
	path[len] = '\0';
}

static bool
read_mount(const char *line, struct mount_line *mount)
{
	char *root = mem_zalloc(FIELD_MAX, 1);
	char *point = mem_zalloc(FIELD_MAX, 1);
	_Static_assert(FIELD_MAX == 16384, "the widths below are one less");
	const bool known = sscanf(line, "%d %*d %31s %16383s %16383s", &mount->id, mount->device,
				   root, point) == 4;

	if (known) {
		unescape(root, mount->root);
		unescape(point, mount->point);
	}
	free(root);
	free(point);
	return known;
}

/* The text that follows the folder in a path that is at or below it: "" or "/..."; else NULL. */
static const char *
below(const char *path, const char *folder)
{
	const size_t len = strcmp(folder, "/") == 0 ? 0 : strlen(folder);

	if (strncmp(path, folder, len) != 0 || (path[len] != '/' && path[len] != '\0'))
		return NULL;
	return path + len;
}

/* The mount that a descriptor was opened through; -1 if not known. */
static int
mount_id_of(int fd)
{
	struct buf text = {0};
	struct err ignored = {0};
	char name[64];
	int id = -1;

	snprintf(name, sizeof(name), "/proc/self/fdinfo/%d", fd);
	if (file_read(name, &text, PATH_MAX, &ignored) == 0) {
		const char *at = strstr(buf_text(&text), "mnt_id:");

		if (at)
			id = (int)strtol(at + strlen("mnt_id:"), NULL, 10);
	}
	buf_release(&text);
	return id;
}

/* A path as seen from the root folder of the process. */
static const char *
seen_by(pid_t tid, const char *path)
{
	char link[64];
	char root[PATH_MAX];

	snprintf(link, sizeof(link), "/proc/%d/root", (int)tid);
	ssize_t len = readlink(link, root, sizeof(root) - 1);

	if (len <= 0)
		return path;
	root[len] = '\0';
	const char *rest = below(path, root);

	return rest ? rest : path;
}

static bool
read_mounts(const char *of, struct buf *text)
{
	struct err ignored = {0};
	char name[64];

	snprintf(name, sizeof(name), "/proc/%s/mountinfo", of);
	return file_read(name, text, MOUNTS_BYTES_MAX, &ignored) == 0;
}

/* The device of a file, and its path within the file system. */
static bool
place_in_device(pid_t tid, int fd, const char *path, struct mount_line *place)
{
	const int id = mount_id_of(fd);
	struct buf text = {0};
	char of[16];
	char *rest = NULL;
	bool found = false;

	snprintf(of, sizeof(of), "%d", (int)tid);
	if (id >= 0 && read_mounts(of, &text)) {
		for (char *line = text.len > 0 ? strtok_r(text.data, "\n", &rest) : NULL;
			line && !found; line = strtok_r(NULL, "\n", &rest))
			found = read_mount(line, place) && place->id == id;
	}
	buf_release(&text);
	const char *tail = found ? below(seen_by(tid, path), place->point) : NULL;

	if (!tail)
		return false;
	const size_t len = strcmp(place->root, "/") == 0 ? 0 : strlen(place->root);
	const size_t more = strlen(tail);

	if (len + more >= sizeof(place->root))
		return false;
	memcpy(place->root + len, tail, more + 1);
	return true;
}

/* The path of a file of the device through a mount of ours, if that leads to the same file. */
static bool
path_through(const struct mount_line *mount, const struct mount_line *place,
	const struct stat *status, char path[PATH_MAX])
{
	const char *tail =
		strcmp(mount->device, place->device) == 0 ? below(place->root, mount->root) : NULL;
	struct stat here;

	if (!tail)
		return false;
	char *whole = mem_printf("%s%s", strcmp(mount->point, "/") == 0 ? "" : mount->point, tail);
	const bool found = strlen(whole) < PATH_MAX && lstat(whole, &here) == 0 &&
			   here.st_dev == status->st_dev && here.st_ino == status->st_ino;

	if (found)
		memcpy(path, whole, strlen(whole) + 1);
	free(whole);
	return found;
}

bool
other_mounts_path(pid_t tid, int fd, char path[PATH_MAX])
{
	struct mount_line *place = mem_zalloc(1, sizeof(*place));
	struct mount_line *mount = mem_zalloc(1, sizeof(*mount));
	struct buf text = {0};
	struct stat status;
	char *rest = NULL;
	bool found = false;

	if (fstat(fd, &status) == 0 && place_in_device(tid, fd, path, place) &&
		read_mounts("self", &text)) {
		for (char *line = text.len > 0 ? strtok_r(text.data, "\n", &rest) : NULL;
			line && !found; line = strtok_r(NULL, "\n", &rest))
			found = read_mount(line, mount) &&
				path_through(mount, place, &status, path);
	}
	buf_release(&text);
	free(mount);
	free(place);
	return found;
}
