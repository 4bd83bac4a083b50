#include "builds/program_files.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "elf/elf_image.h"
#include "process/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than a repository has; a walk of a whole disk ends here. */
#define WALK_ENTRIES_MAX 200000

/* fts_open() of glibc crashes where it has no memory. */
static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool
is_left_out(const struct file_walk *walk, const char *name)
{
	if (name[0] != '.')
		return false;
	return !walk->hidden || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
	       strcmp(name, ".git") == 0;
}

/* The names in a folder, sorted; free() each and the array. NULL and a broken walk if unreadable.
 */
static char **
read_names(struct file_walk *walk, const char *path, size_t *count)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char **names = NULL;
	size_t capacity = 0;

	*count = 0;
	walk->broken = walk->broken || !dir;
	while (!walk->broken && (entry = readdir(dir))) {
		if (++walk->entries > WALK_ENTRIES_MAX)
			walk->broken = true;
		if (is_left_out(walk, entry->d_name))
			continue;
		names = mem_grow(names, &capacity, *count + 1, sizeof(*names));
		names[(*count)++] = mem_strdup(entry->d_name);
	}
	if (dir)
		closedir(dir);
	if (names)
		qsort(names, *count, sizeof(*names), by_name);
	return names;
}

static void
walk_folder(struct file_walk *walk, const char *path)
{
	size_t count;
	char **names = read_names(walk, path, &count);

	for (size_t i = 0; i < count; i++) {
		char *child = mem_printf("%s/%s", path, names[i]);
		struct stat seen;

		if (!walk->broken && lstat(child, &seen) == 0) {
			if (S_ISDIR(seen.st_mode))
				walk_folder(walk, child);
			else if (S_ISREG(seen.st_mode) || (walk->links && S_ISLNK(seen.st_mode)))
				walk->visit(walk, child, walk->context);
		}
		free(child);
		free(names[i]);
	}
	free(names);
}

bool
file_walk(const char *root, bool hidden,
	void (*visit)(struct file_walk *walk, const char *path, void *context), void *context)
{
	struct file_walk walk = {
		.root_len = strlen(root), .hidden = hidden, .visit = visit, .context = context};

	walk_folder(&walk, root);
	return !walk.broken;
}

bool
file_walk_all(const char *root,
	void (*visit)(struct file_walk *walk, const char *path, void *context), void *context)
{
	struct file_walk walk = {.root_len = strlen(root),
		.hidden = true,
		.links = true,
		.visit = visit,
		.context = context};

	walk_folder(&walk, root);
	return !walk.broken;
}

#define SCRIPTS_MAX 20000
#define SHEBANG_MAX 256

char *
program_path(const struct workload *workload, const char *path)
{
	return workload->cwd && path[0] != '/' ? file_join(workload->cwd, path) : mem_strdup(path);
}

/* `path` as the program finds it; NULL if that is no plain file. */
static char *
plain_file(const struct workload *workload, const char *path)
{
	struct stat file;
	char *found = program_path(workload, path);

	/* Reading a FIFO or a device might never end. */
	if (stat(found, &file) == 0 && S_ISREG(file.st_mode))
		return found;
	free(found);
	return NULL;
}

char *
program_file(const struct workload *workload, size_t word)
{
	const char *argument = workload->run[word];

	return strchr(argument, '/') || word > 0
		       ? plain_file(workload, argument)
		       : find_program(argument, workload->env, workload->cwd);
}

/* Endings that an interpreter, named by the beginning of its name, loads by itself. */
static const struct {
	const char *name;
	const char *endings[4];
} interpreters[] = {
	{"python", {".py"}},
	{"pypy", {".py"}},
	{"node", {".js", ".mjs", ".cjs"}},
	{"perl", {".pl", ".pm"}},
	{"ruby", {".rb"}},
	{"php", {".php"}},
	{"lua", {".lua"}},
	{"tclsh", {".tcl"}},
	{"Rscript", {".R"}},
	{"julia", {".jl"}},
	{"bash", {".sh"}},
	{"dash", {".sh"}},
	{"sh", {".sh"}},
};

/* For "#!/usr/bin/env python3" it is "python3"; for a file that is no script, `path` itself. */
static void
interpreter_name(const char *path, char name[SHEBANG_MAX])
{
	char line[SHEBANG_MAX] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t got = fd >= 0 ? read(fd, line, sizeof(line) - 1) : 0;
	const char *at = path;

	if (fd >= 0)
		close(fd);
	line[got > 0 ? got : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (strncmp(line, "#!", 2) == 0) {
		at = line + 2 + strspn(line + 2, " ");
		size_t len = strcspn(at, " ");

		if (len >= 4 && strncmp(at + len - 4, "/env", 4) == 0)
			at += len + strspn(at + len, " ");
		line[at - line + (ptrdiff_t)strcspn(at, " ")] = '\0';
	}
	snprintf(name, SHEBANG_MAX, "%s", file_basename(at));
}

static const char *const *
endings_of(const char *name)
{
	for (size_t i = 0; i < sizeof(interpreters) / sizeof(interpreters[0]); i++) {
		size_t len = strlen(interpreters[i].name);

		/* "python3.11" */
		if (strncmp(name, interpreters[i].name, len) == 0 &&
			strspn(name + len, "0123456789.-") == strlen(name + len))
			return interpreters[i].endings;
	}
	return NULL;
}

const char *const *
program_script_endings(const char *word, const char *path)
{
	char name[SHEBANG_MAX];
	const char *const *endings = endings_of(file_basename(word));

	if (endings)
		return endings;
	interpreter_name(path, name);
	return endings_of(name);
}

static bool
ends_with_any(const char *path, const char *const *endings)
{
	const char *name = file_basename(path);
	size_t name_len = strlen(name);

	for (; *endings; endings++) {
		size_t len = strlen(*endings);

		if (name_len > len && strcmp(name + name_len - len, *endings) == 0)
			return true;
	}
	return false;
}

struct scripts {
	const char *const *endings;
	size_t count;
	struct buf all; /* a line each: hash and path */
};

static void
add_script(struct file_walk *walk, const char *path, void *context)
{
	struct scripts *scripts = context;
	struct err ignored = {0};
	char hash[HASH_TEXT_SIZE];

	if (!ends_with_any(path, scripts->endings))
		return;
	if (++scripts->count > SCRIPTS_MAX || hash_file(path, hash, &ignored) < 0)
		walk->broken = true;
	else
		buf_printf(&scripts->all, "%s %s\n", hash, path + walk->root_len);
}

bool
program_hash_scripts(const char *root, const char *const *endings, char hash[HASH_TEXT_SIZE])
{
	struct scripts scripts = {.endings = endings};
	bool whole = file_walk(root, false, add_script, &scripts);

	hash_text(buf_text(&scripts.all), scripts.all.len, hash);
	buf_release(&scripts.all);
	return whole;
}

/*
 * Whether it is a program or a shared library: one that can be loaded, not an object to be linked.
 */
static bool
is_program(const char *path, char hash[HASH_TEXT_SIZE])
{
	struct elf_image image;
	GElf_Ehdr header;
	bool is = false;

	if (!elf_image_open(&image, path))
		return false;
	if (gelf_getehdr(image.elf, &header) &&
		(header.e_type == ET_EXEC || header.e_type == ET_DYN))
		is = elf_loaded_hash(&image, hash);
	elf_image_close(&image);
	return is;
}

/* A program or library of one folder against that of the other; a missing program is none there. */
static void
compare_program(struct file_walk *walk, const char *path, void *context)
{
	const char *other = context;
	char hashes[2][HASH_TEXT_SIZE];

	if (!is_program(path, hashes[0]))
		return;
	char *counterpart = mem_printf("%s%s", other, path + walk->root_len);

	if (!is_program(counterpart, hashes[1]))
		walk->broken = strstr(file_basename(path), ".so") != NULL;
	else if (strcmp(hashes[0], hashes[1]) != 0)
		walk->broken = true;
	free(counterpart);
}

bool
program_folders_agree(const char *one, const char *other)
{
	return file_walk(one, false, compare_program, (void *)other);
}

const char *
program_path_from_here(const char *path)
{
	char *root = realpath(".", NULL);
	size_t len = root ? strlen(root) : 0;
	const char *below = len > 1 && strncmp(path, root, len) == 0 && path[len] == '/'
				    ? path + len + 1
				    : path;

	free(root);
	return below;
}
