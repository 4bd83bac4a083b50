#include "symbols/kernel_cache_file.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than a cache of any kernel has. */
#define CACHE_BYTES_MAX (512 << 20)
#define MODULES_BYTES_MAX (16u << 20)
/* What is hashed before the modules: a page of names and the boot. */
#define BOOT_BYTES_MAX (8u << 10)

/*
 * The first page of /proc/kallsyms. Where the kernel hides its addresses they are all 0; where it
 * does not a few of the first ones can be, as they were in per-CPU memory.
 */
static bool
put_first_names(struct buf *out)
{
	char page[4096];
	bool readable = false;
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, page, sizeof(page) - 1);

	if (fd >= 0)
		close(fd);
	if (got <= 0)
		return false;
	page[got] = '\0';
	for (const char *line = page; line && !readable; line = strchr(line, '\n')) {
		line += *line == '\n';
		readable = strtoull(line, NULL, 16) != 0;
	}
	buf_put(out, page, (size_t)got);
	return readable;
}

/*
 * One line of /proc/modules: "ext4 1019904 2 jbd2,crc16, Live 0xffffffffc0a00000". The number of
 * users changes all the time and is left out. The inode of the module's folder in sysfs is a new
 * one each time it is loaded, be it the same name at the same place.
 */
static bool
put_module(struct buf *out, const char *line)
{
	char name[128];
	char size[32];
	char state[32];
	char address[32];
	char folder[160];
	struct stat status = {0};

	if (sscanf(line, "%127s %31s %*s %*s %31s %31s", name, size, state, address) != 4 ||
		strcmp(state, "Live") != 0 || strchr(name, '/'))
		return false;
	snprintf(folder, sizeof(folder), "/sys/module/%s", name);
	if (stat(folder, &status) < 0)
		status.st_ino = 0;
	buf_printf(out, "%s %s %s %llu\n", name, size, address, (unsigned long long)status.st_ino);
	return true;
}

/* False where a module is just being loaded or unloaded. A kernel without modules has no list. */
static bool
put_modules(struct buf *out)
{
	struct err ignored = {0};
	struct buf text;
	bool good = true;

	if (!file_exists("/proc/modules"))
		return true;
	buf_init(&text);
	if (file_read("/proc/modules", &text, MODULES_BYTES_MAX, &ignored) < 0)
		good = false;
	for (char *line = text.data; good && line && *line;) {
		char *end = strchrnul(line, '\n');
		char *next = *end ? end + 1 : end;

		*end = '\0';
		good = put_module(out, line);
		line = next;
	}
	buf_release(&text);
	return good;
}

enum kernel_access
kernel_cache_key(char key[HASH_TEXT_SIZE])
{
	struct err ignored = {0};
	enum kernel_access access = KERNEL_HIDDEN;
	struct buf about;

	buf_init(&about);
	if (put_first_names(&about)) {
		access = KERNEL_KEYLESS;
		if (file_read("/proc/sys/kernel/random/boot_id", &about, BOOT_BYTES_MAX,
			    &ignored) == 0 &&
			put_modules(&about)) {
			access = KERNEL_KEYED;
			hash_text(about.data, about.len, key);
		}
	}
	buf_release(&about);
	return access;
}

/* A folder of another user's is no place for our files: as root we would leave ours in it. */
static bool
is_own_folder(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
	       (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* `dir`/`name`, made if missing and `dir` is the user's own; frees `dir`. */
static char *
own_folder_in(char *dir, const char *name)
{
	char *path = dir && is_own_folder(dir) ? file_join(dir, name) : NULL;

	free(dir);
	if (path)
		mkdir(path, 0700);
	return path;
}

char *
kernel_cache_path(void)
{
	const char *off = getenv("PROFILE_RUN_NO_CACHE");
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	char *base = NULL;

	if (off && *off)
		return NULL;
	/* The XDG Base Directory Specification has relative paths ignored. */
	if (cache && cache[0] == '/')
		base = mem_strdup(cache);
	else if (home && home[0] == '/')
		base = own_folder_in(mem_strdup(home), ".cache");

	char *folder = own_folder_in(base, "profile_run");
	char *path = folder && is_own_folder(folder) ? file_join(folder, "kernel_names") : NULL;

	free(folder);
	return path;
}

/* A descriptor of a regular file that is the user's and that nobody else may write; -1 if not. */
static int
open_own(const char *path, size_t *len)
{
	struct stat status;
	/* Not to wait for a writer, should it be a pipe. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return -1;
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
		(status.st_mode & (S_IWGRP | S_IWOTH)) != 0 || status.st_size <= 0 ||
		status.st_size > CACHE_BYTES_MAX) {
		close(fd);
		return -1;
	}
	*len = (size_t)status.st_size;
	return fd;
}

bool
kernel_cache_open(struct kernel_cache_file *file, const char *path, const char key[HASH_TEXT_SIZE])
{
	size_t len;
	int fd = open_own(path, &len);

	*file = (struct kernel_cache_file){0};
	if (fd < 0)
		return false;
	/* All of it is about to be read for its checksum. */
	void *map = mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);

	close(fd);
	if (map == MAP_FAILED)
		return false;
	file->map = map;
	file->map_bytes = len;
	if (kernel_cache_use(&file->cache, map, len, key))
		return true;
	kernel_cache_close(file);
	return false;
}

void
kernel_cache_close(struct kernel_cache_file *file)
{
	if (file->map)
		munmap(file->map, file->map_bytes);
	*file = (struct kernel_cache_file){0};
}

void
kernel_cache_store(
	const char *path, const struct symtab *tab, uint64_t text, const char key[HASH_TEXT_SIZE])
{
	struct err ignored = {0};
	struct file_draft draft;
	struct buf bytes;
	/* An ordinary file is readable by all; these addresses are for those who may see them. */
	mode_t mask = umask(077);

	buf_init(&bytes);
	if (!file_is_dir(path) && kernel_cache_build(tab, text, key, &bytes) &&
		file_draft_open(&draft, path, &ignored) == 0) {
		if (file_put(draft.fd, bytes.data, bytes.len, path, &ignored) == 0)
			file_commit(&draft, &ignored);
		else
			file_abandon(&draft);
	}
	buf_release(&bytes);
	umask(mask);
}
