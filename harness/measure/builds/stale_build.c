#include "builds/stale_build.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "builds/git.h"
#include "builds/program_files.h"
#include "elf/elf_image.h"
#include "elf/elf_symbols.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Whether the symbol table of the program at `path` names this source file. */
static bool
product_names_source(const char *path, const char *source)
{
	struct elf_image image;
	struct elf_symbols symbols;
	GElf_Sym sym;
	bool found = false;

	if (!elf_image_open(&image, path))
		return false;
	elf_symbols_begin(&symbols, &image, SHT_SYMTAB);
	while (!found && elf_symbols_next(&symbols, &sym)) {
		const char *name = ELF64_ST_TYPE(sym.st_info) == STT_FILE
					   ? elf_symbols_name(&symbols, &sym)
					   : NULL;

		found = name && strcmp(file_basename(name), file_basename(source)) == 0;
	}
	elf_image_close(&image);
	return found;
}

/* More files are only counted. */
#define FILES_NAMED_MAX 3

static bool
is_newer(const struct stat *one, const struct stat *other)
{
	return one->st_mtim.tv_sec != other->st_mtim.tv_sec
		       ? one->st_mtim.tv_sec > other->st_mtim.tv_sec
		       : one->st_mtim.tv_nsec > other->st_mtim.tv_nsec;
}

/* False for documents and profile_run's settings, which are no part of a program. */
static bool
may_be_built(const char *path)
{
	static const char *const endings[] = {".md", ".rst", ".txt", ".yaml", ".yml", ".json"};
	const char *name = file_basename(path);
	const char *ending = strrchr(name, '.');
	bool may = name[0] != '.';

	/* CMakeLists.txt, meson_options.txt */
	if (strcmp(name, "CMakeLists.txt") == 0 || strcmp(name, "meson_options.txt") == 0)
		return true;
	for (size_t i = 0; ending && i < sizeof(endings) / sizeof(endings[0]); i++)
		may = may && strcmp(ending, endings[i]) != 0;
	return may;
}

/* Whether a changed line of the file is more than a comment. */
static bool
changes_code(const char *commit, const char *path)
{
	const char *const args[] = {"diff", "--ignore-all-space", "--unified=0", "--no-color",
		"--no-ext-diff", commit, "--", path, NULL};
	struct err ignored = {0};
	char *diff = git_line(NULL, args, &ignored);
	char *rest = NULL;
	bool changes = false;
	bool in_hunk = false;

	for (char *line = diff ? strtok_r(diff, "\n", &rest) : NULL; line && !changes;
		line = strtok_r(NULL, "\n", &rest)) {
		const char *text = line + 1 + strspn(line + 1, " \t");

		in_hunk = in_hunk || strncmp(line, "@@", 2) == 0;
		changes = in_hunk && strchr("+-", line[0]) && *text && *text != '*' &&
			  strncmp(text, "//", 2) != 0 && strncmp(text, "/*", 2) != 0;
	}
	free(diff);
	return changes;
}

/*
 * Whether no other file of the repository has this name: symbols name sources without their
 * folders.
 */
static bool
has_name_alone(const char *path)
{
	char *pattern = mem_printf(":(top,glob)**/%s", file_basename(path));
	const char *const args[] = {"ls-files", "--", pattern, NULL};
	struct err ignored = {0};
	char *list = git_line(NULL, args, &ignored);
	const bool alone = list && !strchr(list, '\n');

	free(list);
	free(pattern);
	return alone;
}

/*
 * Whether the build has not used the changed file at `path`: the program is older than the file, or
 * its symbols name this source though it was linked without the change.
 */
static bool
was_not_seen(const char *program, const struct stat *built, const char *path, const char *commit)
{
	struct stat source;

	if (!may_be_built(path) || stat(path, &source) < 0)
		return false;
	return is_newer(&source, built) ||
	       (product_names_source(program, path) && has_name_alone(path) &&
		       changes_code(commit, path));
}

char *
stale_build_files(const struct workload *workload, const char *commit)
{
	const char *const args[] = {"diff", "--name-only", "--relative", commit, NULL};
	char *program = program_path(workload, workload->run[0]);
	struct stat built;
	struct err ignored = {0};
	struct buf text = {0};
	size_t count = 0;
	const bool known = workload->build && commit[0] && strchr(workload->run[0], '/') &&
			   stat(program, &built) == 0;
	char *list = known ? git_line(NULL, args, &ignored) : NULL;
	char *rest = NULL;

	for (char *path = list ? strtok_r(list, "\n", &rest) : NULL; path;
		path = strtok_r(NULL, "\n", &rest)) {
		if (!was_not_seen(program, &built, path, commit))
			continue;
		if (count++ < FILES_NAMED_MAX)
			buf_printf(&text, "%s%s", count > 1 ? ", " : "", path);
	}
	if (count > FILES_NAMED_MAX)
		buf_printf(&text, " and %zu more", count - FILES_NAMED_MAX);
	char *files = count > 0 ? mem_strdup(buf_text(&text)) : NULL;

	buf_release(&text);
	free(list);
	free(program);
	return files;
}
