/* The files that a run used: noted from each call that the seccomp filter reports. */
#include "process/file_watch.h"

#include "base/hash.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Scripts whose interpreters are scripts: binfmt_script(5) of Linux follows four. */
#define INTERPRETERS_MAX 5
#define SHEBANG_MAX 256
/* More files than any program uses. */
#define FILES_MAX 200000
#define NAME_MAX_BYTES (2 * PATH_MAX + 64)

void
run_files_release(struct run_files *files)
{
	map_release(&files->by_path);
	arena_release(&files->arena);
	free(files->files);
	*files = (struct run_files){0};
}

static struct run_file *
find_path(const struct run_files *files, const char *path, uint64_t hash)
{
	for (struct map_search search = map_search(&files->by_path, hash); map_next(&search);)
		if (strcmp(files->files[search.id].path, path) == 0)
			return &files->files[search.id];
	return NULL;
}

const struct run_file *
run_files_find(const struct run_files *files, const char *path)
{
	return find_path(files, path, hash_bytes(path, strlen(path)));
}

void
run_files_add(struct run_files *files, const struct run_file *file)
{
	const uint64_t hash = hash_bytes(file->path, strlen(file->path));
	struct run_file *there = find_path(files, file->path, hash);

	if (there) {
		there->uses |= file->uses;
		return;
	}
	files->files =
		mem_grow(files->files, &files->capacity, files->count + 1, sizeof(*files->files));
	files->files[files->count] = (struct run_file){
		.path = arena_strdup(&files->arena, file->path),
		.name = arena_strdup(&files->arena, file->name),
		.by = arena_strdup(&files->arena, file->by),
		.uses = file->uses,
	};
	map_add(&files->by_path, hash, (uint32_t)files->count++);
}

void
run_files_doubt(struct run_files *files, const char *why)
{
	if (files->why[0] == '\0')
		snprintf(files->why, sizeof(files->why), "%s", why);
}

/* The target of a link of /proc; false where it has none that is a path. */
static bool
read_path(const char *link, char path[PATH_MAX])
{
	ssize_t len = readlink(link, path, PATH_MAX - 1);

	if (len <= 0 || path[0] != '/')
		return false;
	path[len] = '\0';
	return true;
}

/* A path that a process has named, as it can be opened by us. */
static void
seen_from_here(pid_t tid, int folder, const char *path, char name[NAME_MAX_BYTES])
{
	static const char *const own[] = {"/proc/self/", "/proc/thread-self/"};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		const size_t len = strlen(own[i]);

		if (strncmp(path, own[i], len) == 0) {
			snprintf(name, NAME_MAX_BYTES, "/proc/%d/%s", (int)tid, path + len);
			return;
		}
	}
	if (path[0] == '/')
		snprintf(name, NAME_MAX_BYTES, "%s", path);
	else if (folder == AT_FDCWD)
		snprintf(name, NAME_MAX_BYTES, "/proc/%d/cwd/%s", (int)tid, path);
	else
		snprintf(name, NAME_MAX_BYTES, "/proc/%d/fd/%d%s%s", (int)tid, folder,
			path[0] ? "/" : "", path);
}

/* The path that a process has named, made absolute, as people know it. */
static void
made_absolute(pid_t tid, int folder, const char *path, char name[NAME_MAX_BYTES])
{
	char link[64];
	char base[PATH_MAX];

	if (folder == AT_FDCWD)
		snprintf(link, sizeof(link), "/proc/%d/cwd", (int)tid);
	else
		snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)tid, folder);
	if (path[0] == '/' || !read_path(link, base))
		snprintf(name, NAME_MAX_BYTES, "%s", path);
	else
		snprintf(name, NAME_MAX_BYTES, "%s%s%s", base, path[0] ? "/" : "", path);
}

/* A file as a process has named it. */
struct named {
	pid_t tid;
	int folder; /* that the path starts from, or AT_FDCWD */
	const char *path;
	unsigned uses;
	const char *by; /* NULL: the program of the process */
	int open_flags; /* O_NOFOLLOW or 0 */
};

/* A descriptor of the file (O_PATH) and its path here, without links; -1 where there is none. */
static int
open_named(const struct named *named, char path[PATH_MAX])
{
	const bool elsewhere = other_mounts_has(named->tid);
	char name[NAME_MAX_BYTES];
	char link[64];
	int fd;

	seen_from_here(named->tid, named->folder, named->path, name);
	if (elsewhere && name[0] == '/' && strncmp(name, "/proc/", 6) != 0)
		fd = other_mounts_open(named->tid, name, named->open_flags);
	else
		fd = open(name, O_PATH | O_CLOEXEC | named->open_flags);
	if (fd < 0)
		return -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (!read_path(link, path)) {
		close(fd);
		return -1;
	}
	if (elsewhere)
		other_mounts_path(named->tid, fd, path);
	return fd;
}

/* Notes a plain file that is there; true and its path without links if it is one. */
static bool
note_file(struct run_files *files, const struct named *named, char path[PATH_MAX])
{
	char name[NAME_MAX_BYTES];
	char link[64];
	char by[PATH_MAX] = "";
	struct stat status;

	int fd = open_named(named, path);

	if (fd < 0)
		return false;
	const bool is_file =
		fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink > 0;

	close(fd);
	if (!is_file || strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0)
		return false;
	if (named->uses == RUN_FILE_EXECUTED && !(status.st_mode & 0111))
		return false;
	if (files->count >= FILES_MAX) {
		run_files_doubt(files, "the run used too many files");
		return true;
	}
	made_absolute(named->tid, named->folder, named->path, name);
	if (!named->by) {
		snprintf(link, sizeof(link), "/proc/%d/exe", (int)named->tid);
		if (!read_path(link, by))
			by[0] = '\0';
	}
	run_files_add(files, &(struct run_file){.path = path,
				     .name = name,
				     .by = named->by ? named->by : by,
				     .uses = named->uses});
	return true;
}

/* The interpreter that the first line of a script names; false where it is no script. */
static bool
read_interpreter(const char *path, char interpreter[SHEBANG_MAX])
{
	char line[SHEBANG_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t got = fd >= 0 ? read(fd, line, sizeof(line) - 1) : 0;

	if (fd >= 0)
		close(fd);
	line[got > 0 ? got : 0] = '\0';
	if (strncmp(line, "#!", 2) != 0)
		return false;
	const char *at = line + 2 + strspn(line + 2, " \t");

	snprintf(interpreter, SHEBANG_MAX, "%.*s", (int)strcspn(at, " \t\r\n"), at);
	return interpreter[0] != '\0';
}

static void
note_executed(struct run_files *files, pid_t tid, int folder, const char *path)
{
	char script[PATH_MAX];
	char interpreter[SHEBANG_MAX];
	char found[PATH_MAX];
	struct named named = {
		.tid = tid, .folder = folder, .path = path, .uses = RUN_FILE_EXECUTED};

	if (!note_file(files, &named, script))
		return;
	for (int i = 0; i < INTERPRETERS_MAX && read_interpreter(script, interpreter); i++) {
		named = (struct named){.tid = tid,
			.folder = AT_FDCWD,
			.path = interpreter,
			.uses = RUN_FILE_EXECUTED,
			.by = script};
		if (!note_file(files, &named, found))
			return;
		memcpy(script, found, sizeof(script));
	}
}

/* The flags of open(2) as uses. */
static unsigned
uses_of(uint64_t flags)
{
	switch (flags & O_ACCMODE) {
	case O_RDONLY:
		return RUN_FILE_READ;
	case O_WRONLY:
		return RUN_FILE_WRITTEN;
	}
	return RUN_FILE_READ | RUN_FILE_WRITTEN;
}

static void
note_opened(struct run_files *files, pid_t tid, int folder, const char *path, uint64_t flags)
{
	char found[PATH_MAX];
	const struct named named = {.tid = tid,
		.folder = folder,
		.path = path,
		.uses = flags & O_TRUNC ? RUN_FILE_WRITTEN : uses_of(flags),
		.open_flags = flags & O_NOFOLLOW ? O_NOFOLLOW : 0};

	if (!(flags & (O_PATH | O_DIRECTORY)) && path[0] != '\0')
		note_file(files, &named, found);
}

/* Reads memory of a process up to `bytes`, or to where a page is not there. */
static size_t
read_memory(pid_t tid, uint64_t address, void *into, size_t bytes)
{
	const size_t page = 4096;
	size_t got = 0;

	while (got < bytes) {
		size_t part = page - (address + got) % page;

		if (part > bytes - got)
			part = bytes - got;
		/* NOLINTNEXTLINE(performance-no-int-to-ptr): an address of another process */
		const struct iovec there = {(void *)(uintptr_t)(address + got), part};
		const struct iovec here = {(char *)into + got, part};

		if (process_vm_readv(tid, &here, 1, &there, 1, 0) != (ssize_t)part)
			break;
		got += part;
		if (memchr(here.iov_base, '\0', part))
			break;
	}
	return got;
}

static bool
read_argument(struct run_files *files, pid_t tid, uint64_t address, char text[PATH_MAX])
{
	const size_t got = read_memory(tid, address, text, PATH_MAX);

	if (memchr(text, '\0', got))
		return true;
	if (got == 0 && errno == EPERM)
		run_files_doubt(files, "the memory of a process may not be read");
	return false;
}

void
run_files_note_call(struct run_files *files, const struct seccomp_notif *call)
{
	const uint64_t *args = (const uint64_t *)call->data.args;
	const pid_t tid = (pid_t)call->pid;
	char path[PATH_MAX];
	char found[PATH_MAX];
	struct open_how how = {0};

	switch (call->data.nr) {
#ifdef SYS_open
	case SYS_open:
		if (read_argument(files, tid, args[0], path))
			note_opened(files, tid, AT_FDCWD, path, args[1]);
		break;
	case SYS_creat:
		if (read_argument(files, tid, args[0], path))
			note_opened(files, tid, AT_FDCWD, path, O_WRONLY | O_TRUNC);
		break;
#endif
	case SYS_openat:
		if (read_argument(files, tid, args[1], path))
			note_opened(files, tid, (int)args[0], path, args[2]);
		break;
	case SYS_openat2:
		if (read_memory(tid, args[2], &how.flags, sizeof(how.flags)) > 0 &&
			read_argument(files, tid, args[1], path))
			note_opened(files, tid, (int)args[0], path, how.flags);
		break;
	case SYS_execve:
		if (read_argument(files, tid, args[0], path))
			note_executed(files, tid, AT_FDCWD, path);
		break;
	case SYS_execveat:
		if (read_argument(files, tid, args[1], path))
			note_executed(files, tid, (int)args[0], path);
		break;
	case SYS_mmap:
		note_file(files,
			&(struct named){.tid = tid,
				.folder = (int)args[4],
				.path = "",
				.uses = RUN_FILE_MAPPED},
			found);
		break;
	}
}
