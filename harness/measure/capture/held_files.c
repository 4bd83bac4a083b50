/*
 * Holding the files that a program executes open, and copying those that are gone or were replaced.
 */
#include "capture/capture_internal.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sysfs.h"
#include "base/text.h"
#include "elf/program_copies.h"
#include "perf_event/ring.h"
#include "perfdata/records.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Files held at a time: a program with more of them is a build or a test suite. */
#define HELD_MAX 256
/* Files met, whether held or not, and processes with their own code. */
#define MET_MAX 4096
#define JITS_MAX 64
/* For all copies in a folder of captures together. */
#define COPIES_BYTES_MAX ((uint64_t)512 << 20)
/* While files come, and while none do. */
#define PAUSE_MIN_MS 1
#define PAUSE_MAX_MS 10
/* statfs(2). A deleted file that is held there keeps its folder from being removed. */
#define NFS_MAGIC 0x6969

/* A file that was mapped as code. */
struct met_file {
	char *path; /* as the process sees it, without " (deleted)" */
	struct build_id build_id;
	uint64_t inode;  /* 0 where the build-id is known */
	int fd;          /* -1: not open */
	bool is_useless; /* no program: not to be opened again */
	int problem;     /* errno of the last try; 0: there was none */
};

/* A process that makes code of its own, and that has another pid or /tmp for itself than for us. */
struct met_jit {
	uint32_t pid;
	uint32_t inner_pid;
	uid_t owner;
	int tmp_fd; /* its /tmp; -1: it has ours, or none */
	int map_fd; /* the file of the names; -1: not there yet */
};

struct held_files {
	struct record_layout layout;
	uint64_t *seen; /* by CPU: the position in its buffer up to which records were taken */
	size_t seen_capacity;
	struct key_map by_key;
	struct met_file *files; /* by number in by_key */
	size_t files_capacity;
	size_t nheld;
	struct key_map jit_pids;
	struct met_jit jits[JITS_MAX];
	bool is_new; /* a file was met since the last pause */
	unsigned pause_ms;
};

struct held_files *
held_files_new(const struct perf_event_attr *attr)
{
	struct held_files *held = mem_zalloc(1, sizeof(*held));

	record_layout_init(&held->layout, attr);
	held->pause_ms = PAUSE_MIN_MS;
	return held;
}

static void
close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void
held_files_free(struct held_files *held)
{
	if (!held)
		return;
	for (size_t i = 0; i < held->by_key.count; i++) {
		close_fd(held->files[i].fd);
		free(held->files[i].path);
	}
	for (size_t i = 0; i < held->jit_pids.count; i++) {
		close_fd(held->jits[i].tmp_fd);
		close_fd(held->jits[i].map_fd);
	}
	key_map_release(&held->by_key);
	key_map_release(&held->jit_pids);
	free(held->files);
	free(held->seen);
	free(held);
}

static bool
is_anonymous(const char *path)
{
	return text_begins(path, "//anon") || text_begins(path, "/memfd:") ||
	       text_begins(path, "/dev/zero") || text_begins(path, "/anon_hugepage") ||
	       text_begins(path, "/SYSV") || text_begins(path, "[anon") ||
	       strcmp(path, "[heap]") == 0;
}

/* Whether it text_begins as a program or as a JIT's dump of its code does. */
static bool
may_be_code(int fd)
{
	static const char *const magics[] = {"\177ELF", "DTiJ", "JiTD"};
	char bytes[4];

	if (pread(fd, bytes, sizeof(bytes), 0) != sizeof(bytes))
		return false;
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (memcmp(bytes, magics[i], sizeof(bytes)) == 0)
			return true;
	return false;
}

/* Opens the file as the process has it: where it is mapped, as its program, by its path. */
static int
open_mapped(const struct record_mmap *map, const char *path)
{
	char link[64];
	char target[4096];

	snprintf(link, sizeof(link), "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, map->pid,
		map->start, map->start + map->size);
	int fd = file_open_ordinary(link);

	if (fd >= 0)
		return fd;
	/* Following that link needs rights that this one does not. */
	snprintf(link, sizeof(link), "/proc/%" PRIu32 "/exe", map->pid);
	ssize_t len = readlink(link, target, sizeof(target) - 1);

	if (len > 0 && (size_t)len >= strlen(path) && memcmp(target, path, strlen(path)) == 0)
		fd = file_open_ordinary(link);
	if (fd >= 0)
		return fd;
	char *below = mem_printf("/proc/%" PRIu32 "/root%s", map->pid, path);

	fd = file_open_ordinary(below);
	free(below);
	return fd >= 0 ? fd : file_open_ordinary(path);
}

static void
open_file(struct held_files *held, struct met_file *file, const struct record_mmap *map)
{
	struct statfs system;

	if (held->nheld >= HELD_MAX) {
		file->problem = EMFILE;
		return;
	}
	file->fd = open_mapped(map, file->path);
	file->problem = file->fd < 0 ? errno : 0;
	if (file->fd < 0)
		return;
	if (fstatfs(file->fd, &system) == 0 && system.f_type == NFS_MAGIC)
		file->problem = EREMOTE;
	file->is_useless = !may_be_code(file->fd);
	if (file->problem == 0 && !file->is_useless) {
		held->nheld++;
		return;
	}
	close(file->fd);
	file->fd = -1;
}

static void
meet_file(struct held_files *held, const struct record_mmap *map)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(map->path);
	const struct build_id id = {
		.len = map->build_id_len <= BUILD_ID_MAX ? map->build_id_len : 0};

	if (len > strlen(deleted) && strcmp(map->path + len - strlen(deleted), deleted) == 0)
		len -= strlen(deleted);
	const uint64_t which = map->build_id ? hash_bytes(map->build_id, id.len) : map->inode;
	const uint64_t key = hash_pair(hash_bytes(map->path, len), which);
	uint32_t number = key_map_find(&held->by_key, key);

	if (number == KEY_MAP_NONE) {
		if (held->by_key.count >= MET_MAX)
			return;
		number = key_map_add(&held->by_key, key);
		held->files = mem_grow(held->files, &held->files_capacity, (size_t)number + 1,
			sizeof(*held->files));
		held->files[number] = (struct met_file){
			.path = mem_dup(map->path, len),
			.build_id = build_id_of(map->build_id, map->build_id_len),
			.inode = map->inode,
			.fd = -1,
		};
		held->is_new = true;
	}
	struct met_file *file = &held->files[number];

	if (file->fd < 0 && !file->is_useless)
		open_file(held, file, map);
}

/* Looks at a process that is met for the first time: tmp_fd and map_fd are -1 if it is as ours. */
static struct met_jit
look_at_jit(uint32_t pid)
{
	struct met_jit jit = {.pid = pid, .tmp_fd = -1, .map_fd = -1};
	struct buf status = {0};
	struct stat info;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", pid);
	jit.inner_pid = sysfs_inner_pid(sysfs_text("", path, &status));
	buf_release(&status);
	snprintf(path, sizeof(path), "/proc/%" PRIu32, pid);
	if (stat(path, &info) == 0)
		jit.owner = info.st_uid;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/root%s", pid, "/tmp");
	if (jit.inner_pid > 0 && (jit.inner_pid != pid || !file_is_same(path, "/tmp")))
		jit.tmp_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return jit;
}

static void
meet_jit(struct held_files *held, uint32_t pid)
{
	uint32_t number = key_map_find(&held->jit_pids, pid);
	char name[64];

	if (number == KEY_MAP_NONE) {
		if (held->jit_pids.count >= JITS_MAX)
			return;
		number = key_map_add(&held->jit_pids, pid);
		held->jits[number] = look_at_jit(pid);
	}
	struct met_jit *jit = &held->jits[number];

	if (jit->tmp_fd < 0 || jit->map_fd >= 0)
		return;
	/* As soon as it is there: the process may remove it at its end. */
	snprintf(name, sizeof(name), "perf-%" PRIu32 ".map", jit->inner_pid);
	jit->map_fd = openat(
		jit->tmp_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
}

static void
hold_mapped(void *context, const struct perf_event_header *header)
{
	struct held_files *held = context;
	const uint64_t *words = (const uint64_t *)(const void *)header;
	const struct raw_record raw = {
		.type = header->type,
		.misc = header->misc,
		.words = words + 1,
		.nwords = header->size / sizeof(*words) - 1,
	};
	struct record record;

	if (decode_record(&raw, &held->layout, &record))
		return;
	const struct record_mmap *map = &record.u.mmap;

	if (!(map->prot & PROT_EXEC) ||
		(header->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER)
		return;
	if (is_anonymous(map->path))
		meet_jit(held, map->pid);
	else if (map->path[0] == '/')
		meet_file(held, map);
}

void
held_files_look(struct held_files *held, const struct ring *ring, size_t cpu)
{
	held->seen = mem_grow(held->seen, &held->seen_capacity, cpu + 1, sizeof(*held->seen));
	ring_peek(ring, &held->seen[cpu], PERF_RECORD_MMAP2, hold_mapped, held);
}

void
held_files_take(struct held_files *held, const void *records, size_t bytes)
{
	const char *at = records;
	struct perf_event_header header;
	uint64_t copy[RING_PEEKED_BYTES / sizeof(uint64_t)];

	for (size_t left = bytes; left >= sizeof(header); left -= header.size, at += header.size) {
		memcpy(&header, at, sizeof(header));
		if (header.size < sizeof(header) || header.size > left)
			break;
		if (header.type != PERF_RECORD_MMAP2 || header.size > sizeof(copy))
			continue;
		memcpy(copy, at, header.size);
		hold_mapped(held, (const struct perf_event_header *)(const void *)copy);
	}
}

unsigned
held_files_pause_ms(struct held_files *held)
{
	if (held->is_new)
		held->pause_ms = PAUSE_MIN_MS;
	else if (held->pause_ms < PAUSE_MAX_MS)
		held->pause_ms *= 2;
	held->is_new = false;
	return held->pause_ms < PAUSE_MAX_MS ? held->pause_ms : PAUSE_MAX_MS;
}

/* Where we see the file: a process in another root has another path of it. */
static const char *
path_from_here(const struct met_file *file, char path[PATH_MAX])
{
	char link[64];
	struct stat status;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", file->fd);
	ssize_t len = file->fd >= 0 && fstat(file->fd, &status) == 0 && status.st_nlink > 0
			      ? readlink(link, path, PATH_MAX - 1)
			      : 0;

	path[len > 0 ? len : 0] = '\0';
	return path[0] == '/' ? path : file->path;
}

void
held_files_put(const struct held_files *held, struct run_files *files)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < held->by_key.count; i++) {
		const struct met_file *file = &held->files[i];

		run_files_add(files, &(struct run_file){.path = path_from_here(file, path),
					     .name = file->path,
					     .by = "",
					     .uses = RUN_FILE_MAPPED});
	}
}

/* The capture's end. */

struct keeping {
	char *dir; /* the capture's */
	struct allowance allowance;
	size_t ncopied;
	struct buf first; /* the first one that was copied */
	struct buf problems;
	size_t nproblems;
};

/* Whether the file at its path is the one that ran, as a reader will judge it. */
static bool
is_still_there(const struct met_file *file)
{
	struct elf_image image;
	struct stat at_path;
	struct stat held;

	if (stat(file->path, &at_path) < 0)
		return false;
	if (file->fd >= 0 && fstat(file->fd, &held) == 0 && elf_image_is_same_file(&held, &at_path))
		return true;
	if (file->build_id.len == 0)
		return file->inode == at_path.st_ino && file->fd < 0;
	if (!elf_image_open(&image, file->path))
		return false;
	const bool same = build_id_equal(&image.build_id, &file->build_id);

	elf_image_close(&image);
	return same;
}

/* Opens the held file; it is none where its build-id is not the one of the mapping. */
static int
copy_file(struct keeping *keeping, const struct met_file *file, const char *to, struct err *err)
{
	struct elf_image image;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
	if (!elf_image_open(&image, path))
		return program_copies_write_whole(file->fd, to, &keeping->allowance, err);
	int status = -1;

	if (file->build_id.len > 0 && !build_id_equal(&image.build_id, &file->build_id))
		err_set(err, ERR_SYSTEM, "another file was in its place when it could be opened");
	else
		status = program_copies_write(&image, to, &keeping->allowance, err);
	elf_image_close(&image);
	return status;
}

static const char *
problem_of(const struct met_file *file)
{
	switch (file->problem) {
	case EMFILE:
		return "too many files were executed to hold all of them open";
	case EREMOTE:
		return "it was on NFS, where a file is not held open";
	case EACCES:
	case EPERM:
		return "no permission to open it through its process";
	default:
		return "its process ended before it could be opened";
	}
}

static void
put_problem(struct keeping *keeping, const struct met_file *file, const char *reason)
{
	/* A line each, for program_copies_problem(). */
	if (strpbrk(file->path, "\t\n"))
		return;
	buf_printf(&keeping->problems, "%s\t%s\n", file->path, reason);
	keeping->nproblems++;
}

static void
keep_file(struct keeping *keeping, const struct met_file *file)
{
	struct err err = {.kind = ERR_NONE};

	if (file->is_useless || is_still_there(file))
		return;
	char *to = program_copies_path(keeping->dir, &file->build_id, file->path, file->inode);

	if (file->fd < 0 || !to) {
		put_problem(keeping, file, problem_of(file));
	} else if (file->build_id.len == 0 || !file_exists(to)) {
		if (copy_file(keeping, file, to, &err) < 0)
			put_problem(keeping, file, err.text);
		else if (keeping->ncopied++ == 0)
			buf_puts(&keeping->first, file->path);
	}
	free(to);
}

static void
keep_jit(struct keeping *keeping, const struct met_jit *jit)
{
	struct err err = {.kind = ERR_NONE};
	struct stat status;

	if (jit->map_fd < 0 || fstat(jit->map_fd, &status) < 0 || !S_ISREG(status.st_mode) ||
		(status.st_uid != 0 && status.st_uid != geteuid() && status.st_uid != jit->owner))
		return;
	char *to = program_copies_jit_map(keeping->dir, jit->pid);

	if (program_copies_write_whole(jit->map_fd, to, &keeping->allowance, &err) < 0)
		log_warn("the names of the JIT code of process %" PRIu32 " cannot be copied: %s",
			jit->pid, err.text);
	free(to);
}

static void
tell(const struct keeping *keeping)
{
	char *to = program_copies_problems(keeping->dir);
	struct err err = {.kind = ERR_NONE};

	if (keeping->ncopied > 0)
		log_info("%s%s: gone or replaced by the end of the capture: copied to '%s/%s'",
			buf_text(&keeping->first), keeping->ncopied > 1 ? " and others" : "",
			keeping->dir, PROGRAM_COPIES);
	if (keeping->nproblems > 0 &&
		file_write(to, buf_text(&keeping->problems), keeping->problems.len, &err) < 0)
		log_debug("%s", err.text);
	free(to);
}

static char *
folder_of(const char *path)
{
	const size_t len = (size_t)(file_basename(path) - path);

	/* The root's, "/", keeps its slash. */
	return len > 0 ? mem_dup(path, len > 1 ? len - 1 : 1) : mem_strdup(".");
}

void
held_files_remove_copies(const char *perfdata_path)
{
	char *dir = folder_of(perfdata_path);

	program_copies_remove(dir);
	free(dir);
}

static bool
has_work(const struct held_files *held)
{
	for (size_t i = 0; i < held->by_key.count; i++)
		if (!held->files[i].is_useless && !is_still_there(&held->files[i]))
			return true;
	for (size_t i = 0; i < held->jit_pids.count; i++)
		if (held->jits[i].map_fd >= 0)
			return true;
	return false;
}

void
held_files_keep(struct held_files *held, const char *perfdata_path)
{
	struct keeping keeping = {.allowance = {COPIES_BYTES_MAX}};
	struct err err = {.kind = ERR_NONE};

	/* Those that were mapped once more, and whose file came late. */
	for (size_t i = 0; i < held->jit_pids.count; i++)
		meet_jit(held, held->jits[i].pid);
	if (!has_work(held))
		return;
	keeping.dir = folder_of(perfdata_path);

	const uint64_t used = program_copies_bytes(keeping.dir);

	keeping.allowance.left -= used < COPIES_BYTES_MAX ? used : COPIES_BYTES_MAX;
	char *folder = file_join(keeping.dir, PROGRAM_COPIES);

	if (file_make_dirs(folder, &err) < 0) {
		log_warn("programs that are gone cannot be copied: %s", err.text);
	} else {
		for (size_t i = 0; i < held->by_key.count; i++)
			keep_file(&keeping, &held->files[i]);
		for (size_t i = 0; i < held->jit_pids.count; i++)
			keep_jit(&keeping, &held->jits[i]);
		tell(&keeping);
	}
	free(folder);
	free(keeping.dir);
	buf_release(&keeping.first);
	buf_release(&keeping.problems);
}
