/*
 * The names of code that a process made while it ran: its perf map and its jitdump are found and
 * read.
 */
#include "base/buf.h"
#include "base/file_view.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sysfs.h"
#include "elf/program_copies.h"
#include "symbols/symbols_internal.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMES_BYTES_MAX (256u << 20)
#define STATUS_BYTES_MAX (64u << 10)

/* Reads the file; false where there is none, or none of `owner`'s or ours or root's. */
static bool
read_trusted(const char *path, uid_t owner, struct buf *out)
{
	char opened[64];
	struct err ignored = {0};
	struct stat info;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	bool trusted = false;

	if (fd < 0)
		return false;
	snprintf(opened, sizeof(opened), "/proc/self/fd/%d", fd);
	if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
		trusted = info.st_uid == 0 || info.st_uid == geteuid() || info.st_uid == owner;
	bool good = trusted && file_read(opened, out, NAMES_BYTES_MAX, &ignored) == 0;

	close(fd);
	return good;
}

/* A process as it is now. */
struct process_now {
	uint32_t inner_pid; /* 0: it does not live */
	uid_t owner;
};

static struct process_now
look_up(const char *root, uint32_t pid)
{
	struct process_now now = {.owner = geteuid()};
	char path[64];
	struct err ignored = {0};
	struct stat info;
	struct buf status = {0};

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", pid);
	if (!root[0] && stat(path, &info) == 0 &&
		file_read(path, &status, STATUS_BYTES_MAX, &ignored) == 0) {
		now.inner_pid = sysfs_inner_pid(buf_text(&status));
		now.owner = info.st_uid;
	}
	buf_release(&status);
	return now;
}

/* As the living process sees the file, under its own number; else below `root`. */
static bool
read_of(const char *root, uint32_t pid, const char *inner_path, const char *path, struct buf *out,
	const struct process_now *now)
{
	char *seen = mem_printf("/proc/%" PRIu32 "/root%s", pid, inner_path);
	bool good = now->inner_pid > 0 && read_trusted(seen, now->owner, out);

	free(seen);
	if (good)
		return true;
	char *below = mem_printf("%s%s", root, path);

	good = read_trusted(below, geteuid(), out);
	free(below);
	return good;
}

void
jit_names_load_map(struct symtab *tab, const char *root, const char *beside, uint32_t pid)
{
	const struct process_now now = look_up(root, pid);
	struct buf text = {0};
	char inner[64];
	char path[64];

	snprintf(inner, sizeof(inner), "/tmp/perf-%" PRIu32 ".map", now.inner_pid);
	snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", pid);
	char *copy = beside ? program_copies_jit_map(beside, pid) : NULL;

	/* The map was copied where the process saw another /tmp, or had another pid there. */
	if ((copy && read_trusted(copy, geteuid(), &text)) ||
		read_of(root, pid, inner, path, &text, &now))
		jit_map_parse(tab, buf_text(&text), text.len);
	buf_release(&text);
	free(copy);
}

/* Reads the dump at `path`, as the process sees it, on the same terms. False if it is not there. */
static bool
jit_names_load_dump(struct symtab *tab, const char *root, uint32_t pid, const char *path)
{
	const struct process_now now = look_up(root, pid);
	struct buf bytes = {0};
	bool good = read_of(root, pid, path, path, &bytes, &now) &&
		    jit_dump_parse(tab, bytes.data, bytes.len);

	buf_release(&bytes);
	return good;
}

struct jit_process {
	const char *dump; /* read; NULL: none */
	struct symtab tab;
};

struct symtab *
jit_names_of(struct jit_names *names, uint32_t pid, const char *dump)
{
	const size_t known = names->pids.count;
	const uint32_t number = key_map_add(&names->pids, pid);

	if (names->pids.count > known) {
		names->processes = mem_grow(names->processes, &names->capacity, names->pids.count,
			sizeof(*names->processes));
		names->processes[number] = (struct jit_process){.dump = NULL};
		jit_names_load_map(&names->processes[number].tab, names->modules->root,
			names->modules->beside, pid);
	}
	struct jit_process *process = &names->processes[number];

	if (dump && process->dump != dump) {
		process->dump = dump;
		if (!jit_names_load_dump(&process->tab, names->modules->root, pid, dump))
			module_note(names->modules,
				"%s%s: cannot be read as a jitdump: no names for the code of process %" PRIu32,
				names->modules->root, dump, pid);
	}
	return &process->tab;
}

void
jit_names_release(struct jit_names *names)
{
	for (size_t i = 0; i < names->pids.count; i++)
		symtab_release(&names->processes[i].tab);
	free(names->processes);
	key_map_release(&names->pids);
}
