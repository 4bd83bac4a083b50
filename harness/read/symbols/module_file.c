/*
 * Finds and opens the file of a module: the path that was recorded, the file that a living process
 * has mapped, or the copy beside the capture.
 */
#include "symbols/module_file.h"

#include "base/file.h"
#include "base/mem.h"
#include "elf/debug_file.h"
#include "elf/elf_image.h"
#include "elf/program_copies.h"
#include "symbols/module.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DELETED " (deleted)"
/* Some 100 bytes a mapping, and 65,530 mappings unless the kernel is set otherwise. */
#define MAPS_BYTES_MAX (16u << 20)

bool
module_file_is_deleted(const char *path)
{
	return module_file_path_len(path) < strlen(path);
}

size_t
module_file_path_len(const char *path)
{
	size_t len = strlen(path);
	size_t part = strlen(DELETED);

	return len > part && strcmp(path + len - part, DELETED) == 0 ? len - part : len;
}

/* Steps over `text` and digits; NULL if it is not there. */
static const char *
skip_numbered(const char *at, const char *text)
{
	const size_t len = strlen(text);

	if (!at || strncmp(at, text, len) != 0 || !isdigit((unsigned char)at[len]))
		return NULL;
	for (at += len; isdigit((unsigned char)*at);)
		at++;
	return at;
}

bool
jit_dump_is_path(const char *path)
{
	const char *end = skip_numbered(file_basename(path), "jit-");

	return end && strcmp(end, ".dump") == 0;
}

bool
jit_dump_is_program(const char *path)
{
	const char *end = skip_numbered(skip_numbered(file_basename(path), "jitted-"), "-");

	return end && strcmp(end, ".so") == 0;
}

struct stat
module_file_stat(const char *root, const char *path)
{
	char *below = mem_printf("%s%s", root, path);
	struct stat seen;

	if (stat(below, &seen) < 0)
		seen = (struct stat){0};
	free(below);
	return seen;
}

static enum module_file
judge(const struct module *module, const struct module_key *key, const struct elf_image *image,
	const struct stat *seen)
{
	if (module->build_id.len > 0)
		return build_id_equal(&module->build_id, &image->build_id) ? MODULE_FILE_SAME
									   : MODULE_FILE_CHANGED;
	/* Inodes are those of the system that it was recorded on. */
	if (module->root[0] || (key->inode && key->inode == seen->st_ino))
		return MODULE_FILE_SAME;
	if (module_file_is_deleted(key->path))
		return MODULE_FILE_REPLACED;
	return key->inode ? MODULE_FILE_UNSURE : MODULE_FILE_SAME;
}

/* Opens the file at `path`, if it is one, and judges it; it is open where SAME or UNSURE. */
static enum module_file
try_path(const struct module *module, const struct module_key *key, const char *path,
	struct elf_image *image, struct stat *seen)
{
	if (!elf_image_open(image, path))
		return MODULE_FILE_GONE;
	*seen = image->seen;
	enum module_file result = judge(module, key, image, seen);

	if (result != MODULE_FILE_SAME && result != MODULE_FILE_UNSURE)
		elf_image_close(image);
	return result;
}

/*
 * One line of /proc/PID/maps: "START-END rwxp OFFSET DEV INODE   PATH". Writes the link to the file
 * that is mapped there if it may be the wanted one.
 */
static bool
link_of_line(const char *line, size_t len, const struct module *module,
	const struct module_key *key, char *link, size_t link_bytes)
{
	uint64_t start;
	uint64_t end;
	uint64_t inode;
	char text[PATH_MAX + 128];
	int path_at = 0;

	if (len >= sizeof(text))
		return false;
	memcpy(text, line, len);
	text[len] = '\0';
	if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %" SCNu64 " %n", &start, &end, &inode,
		    &path_at) < 3 ||
		path_at == 0 || (key->inode && key->inode != inode))
		return false;

	const char *path = text + path_at;
	size_t path_len = module_file_path_len(path);

	if (path_len != strlen(module->path) || memcmp(path, module->path, path_len) != 0)
		return false;
	snprintf(link, link_bytes, "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, key->pid,
		start, end);
	return true;
}

/* Finds the link to the file as a living process maps it; false where it does not. */
static bool
find_map_link(const struct module *module, const struct module_key *key, char *link, size_t bytes)
{
	struct err err = {0};
	struct buf maps = {0};
	char path[64];
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", key->pid);
	if (file_read(path, &maps, MAPS_BYTES_MAX, &err) == 0) {
		const char *end = buf_text(&maps) + maps.len;

		for (const char *line = buf_text(&maps); line < end && !found;) {
			const char *newline = memchr(line, '\n', (size_t)(end - line));
			const char *line_end = newline ? newline : end;

			found = link_of_line(
				line, (size_t)(line_end - line), module, key, link, bytes);
			line = line_end + 1;
		}
	}
	buf_release(&maps);
	return found;
}

/*
 * Tries the files of the process that mapped it: its program, what it has mapped, and the path as
 * it sees it, which may be another file system than ours. Its pid may be another process's by now:
 * only a file that is certainly the same is taken.
 */
static bool
try_process(const struct module *module, const struct module_key *key, char path[PATH_MAX],
	struct elf_image *image, struct stat *seen)
{
	if (module->root[0] || key->pid == 0 || (module->build_id.len == 0 && key->inode == 0))
		return false;
	for (int i = 0; i < 3; i++) {
		if (i == 0)
			snprintf(path, PATH_MAX, "/proc/%" PRIu32 "/exe", key->pid);
		else if (i == 1 && !find_map_link(module, key, path, PATH_MAX))
			continue;
		else if (i == 2)
			snprintf(
				path, PATH_MAX, "/proc/%" PRIu32 "/root%s", key->pid, module->path);

		enum module_file result = try_path(module, key, path, image, seen);

		if (result == MODULE_FILE_SAME)
			return true;
		if (result == MODULE_FILE_UNSURE)
			elf_image_close(image);
	}
	return false;
}

/* Opens a copy of the file that was made when it was there; *path is to be freed. */
static bool
try_copies(const struct module *module, const struct module_key *key, char **path,
	struct elf_image *image, struct stat *seen)
{
	bool opened = false;

	*path = NULL;
	if (module->build_id.len > 0) {
		opened = program_copies_open(image, module->beside,
			module->root[0] ? NULL : getenv("HOME"), &module->build_id, path);
	} else if (module->beside) {
		*path = program_copies_path(
			module->beside, &module->build_id, module->path, key->inode);
		opened = *path && elf_image_open(image, *path);
	}
	if (opened)
		*seen = image->seen;
	return opened;
}

enum module_file
module_file_open(struct arena *arena, struct debuginfod *servers, struct module *module,
	const struct module_key *key, struct elf_image *image)
{
	struct elf_image other;
	struct stat seen = {0};
	char path[PATH_MAX];
	char *copied = NULL;
	char *below = mem_printf("%s%s", module->root, module->path);
	enum module_file result = try_path(module, key, below, image, &seen);

	if (result == MODULE_FILE_SAME) {
		module->code = arena_strdup(arena, below);
	} else if (try_process(module, key, path, &other, &seen)) {
		if (result == MODULE_FILE_UNSURE)
			elf_image_close(image);
		*image = other;
		module->code = arena_strdup(arena, path);
		result = MODULE_FILE_SAME;
	} else if (try_copies(module, key, &copied, &other, &seen)) {
		if (result == MODULE_FILE_UNSURE)
			elf_image_close(image);
		*image = other;
		module->code = arena_strdup(arena, copied);
		result = MODULE_FILE_SAME;
	} else if (result == MODULE_FILE_UNSURE) {
		module->code = arena_strdup(arena, below);
		seen = module->seen;
	} else {
		char *copy = debuginfod_fetch(servers, &module->build_id, true);

		if (copy && try_path(module, key, copy, image, &seen) == MODULE_FILE_SAME) {
			module->code = arena_strdup(arena, copy);
			result = MODULE_FILE_SAME;
		}
		free(copy);
	}
	module->code_seen = seen;
	free(copied);
	free(below);
	return result;
}
