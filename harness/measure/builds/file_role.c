#include "builds/file_role.h"

#include "base/file.h"
#include "elf/elf_image.h"

#include <string.h>

/* Whether the name of a file is one of `names`, or ends in one of `endings`; both NULL-ended. */
static bool
is_named(const char *path, const char *const *endings, const char *const *names)
{
	const char *name = file_basename(path);
	const char *ending = strrchr(name, '.');
	bool is = false;

	for (; ending && *endings; endings++)
		is = is || strcmp(ending, *endings) == 0;
	for (; *names; names++)
		is = is || strcmp(name, *names) == 0;
	return is;
}

/* Neither executed nor read by a run, nor part of a build. */
static bool
is_document(const char *path)
{
	static const char *const endings[] = {".md", ".rst", ".adoc", ".log", ".diff", ".patch",
		".1", ".3", ".5", ".7", ".8", NULL};
	static const char *const names[] = {
		"LICENSE", "COPYING", "README", "AUTHORS", "NEWS", "ChangeLog", NULL};

	return path[0] == '.' || is_named(path, endings, names);
}

/* Neither executed nor read by a run, but part of a build. */
static bool
is_source(const char *path)
{
	static const char *const endings[] = {".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp",
		".hxx", ".inl", ".S", ".s", ".rs", ".go", ".zig", ".f90", ".swift", ".d", ".mk",
		".cmake", ".am", ".ac", ".yaml", ".yml", NULL};
	static const char *const names[] = {"Makefile", "CMakeLists.txt", NULL};

	return is_named(path, endings, names);
}

static bool
is_program(const char *path)
{
	struct elf_image image;
	bool is = elf_image_open(&image, path);

	if (is)
		elf_image_close(&image);
	return is;
}

/* A new program is not read, for it is none of those that run. */
bool
file_may_be_read(const char *path, bool tracked)
{
	return !is_document(path) && !is_source(path) && (tracked || !is_program(path));
}

bool
file_is_of_program(const char *path, bool tracked)
{
	return !is_document(path) && (tracked || !is_program(path));
}
