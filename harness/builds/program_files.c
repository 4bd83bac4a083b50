#include "builds/program_files.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "elf/elf_loaded.h"
#include "process/find_program.h"

#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than a repository has; a walk of a whole disk ends here. */
#define WALK_ENTRIES_MAX 200000
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

/* A walk over the files below a folder, hidden ones left out. */
struct walk {
	FTS *fts;
	size_t entries;
	size_t root_len;
	bool broken; /* not all of it was seen */
};

static int
by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void
walk_begin(struct walk *walk, const char *root)
{
	char *const roots[] = {(char *)root, NULL};

	*walk = (struct walk){.fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name),
		.root_len = strlen(root)};
	walk->broken = !walk->fts;
}

static FTSENT *
walk_next(struct walk *walk)
{
	FTSENT *entry = NULL;

	while (!walk->broken && (entry = fts_read(walk->fts))) {
		if (++walk->entries > WALK_ENTRIES_MAX)
			walk->broken = true;
		else if (entry->fts_level > 0 && entry->fts_name[0] == '.')
			fts_set(walk->fts, entry, FTS_SKIP);
		else if (entry->fts_info == FTS_F)
			return entry;
		else if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR)
			walk->broken = true;
	}
	return NULL;
}

/* Whether all was seen. */
static bool
walk_end(struct walk *walk)
{
	if (walk->fts)
		fts_close(walk->fts);
	return !walk->broken;
}

static bool
ends_with_any(const FTSENT *entry, const char *const *endings)
{
	for (; *endings; endings++) {
		size_t len = strlen(*endings);

		if (entry->fts_namelen > len &&
			strcmp(entry->fts_name + entry->fts_namelen - len, *endings) == 0)
			return true;
	}
	return false;
}

bool
program_hash_scripts(const char *root, const char *const *endings, char hash[HASH_TEXT_SIZE])
{
	struct walk walk;
	struct buf all = {0};
	struct err ignored = {0};
	size_t count = 0;
	FTSENT *entry;

	walk_begin(&walk, root);
	while ((entry = walk_next(&walk))) {
		char one[HASH_TEXT_SIZE];

		if (!ends_with_any(entry, endings))
			continue;
		if (++count > SCRIPTS_MAX || hash_file(entry->fts_path, one, &ignored) < 0)
			walk.broken = true;
		else
			buf_printf(&all, "%s %s\n", one, entry->fts_path + walk.root_len);
	}
	hash_text(buf_text(&all), all.len, hash);
	buf_release(&all);
	return walk_end(&walk);
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

bool
program_folders_agree(const char *one, const char *other)
{
	struct walk walk;
	FTSENT *entry;

	walk_begin(&walk, one);
	while ((entry = walk_next(&walk))) {
		char hashes[2][HASH_TEXT_SIZE];

		if (!is_program(entry->fts_path, hashes[0]))
			continue;
		char *counterpart = mem_printf("%s%s", other, entry->fts_path + walk.root_len);

		if (!is_program(counterpart, hashes[1]))
			walk.broken = strstr(entry->fts_name, ".so") != NULL;
		else if (strcmp(hashes[0], hashes[1]) != 0)
			walk.broken = true;
		free(counterpart);
	}
	return walk_end(&walk);
}
