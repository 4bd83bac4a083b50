/* Finding the command that builds a program, by the files of its build system. */
#include "builds/program.h"

#include "base/buf.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/mem.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES_MAX (4U << 20)

/* Where a build system is looked for. */
struct place {
	const char *folder;  /* that has its files: "." or "bench" */
	const char *program; /* the path below the folder; NULL: it is not built there */
	struct arena *arena;
};

static bool
has(const struct place *place, const char *name)
{
	char *path = file_join(place->folder, name);
	const bool there = file_exists(path);

	free(path);
	return there;
}

static const char *
quoted(const struct place *place, const char *word)
{
	struct buf text = {0};

	escape_shell_word(&text, word);
	const char *copy = arena_strdup(place->arena, buf_text(&text));

	buf_release(&text);
	return copy;
}

/* The line of a file in the folder that starts with `start`, without that; NULL: none. */
static const char *
line_after(const struct place *place, const char *name, const char *start)
{
	char *path = file_join(place->folder, name);
	struct buf text = {0};
	struct err ignored = {0};
	const char *rest = NULL;
	const char *line =
		file_read(path, &text, TEXT_BYTES_MAX, &ignored) == 0 ? buf_text(&text) : NULL;

	while (line && !rest) {
		const size_t len = strcspn(line, "\r\n");

		if (strncmp(line, start, strlen(start)) == 0)
			rest = arena_dup(place->arena, line + strlen(start), len - strlen(start));
		line = line[len] ? line + len + 1 : NULL;
	}
	buf_release(&text);
	free(path);
	return rest;
}

/*
 * The folder of the build that the program is in: the nearest one above it that has `mark`, or else
 * the first part of its path. NULL: the program is in no subfolder.
 */
static const char *
build_folder(const struct place *place, const char *mark)
{
	char *folder = place->program ? arena_strdup(place->arena, place->program) : NULL;
	char *slash;

	while (folder && (slash = strrchr(folder, '/'))) {
		*slash = '\0';
		if (has(place, arena_printf(place->arena, "%s/%s", folder, mark)))
			return folder;
	}
	const size_t first = place->program ? strcspn(place->program, "/") : 0;

	return first > 0 && place->program[first] ? arena_dup(place->arena, place->program, first)
						  : NULL;
}

static bool
has_makefile(const struct place *place)
{
	return has(place, "Makefile") || has(place, "makefile") || has(place, "GNUmakefile");
}

static bool
find_cmake(struct build_system *found, const struct place *place)
{
	const char *folder = build_folder(place, "CMakeCache.txt");

	if (!has(place, "CMakeLists.txt") || !place->program || (!folder && has_makefile(place)))
		return false;
	folder = folder ? folder : ".";
	const char *type =
		line_after(place, arena_printf(place->arena, "%s/CMakeCache.txt", folder),
			"CMAKE_BUILD_TYPE:STRING=");
	const char *build = quoted(place, folder);

	*found = (struct build_system){"CMake",
		arena_printf(place->arena,
			"cmake -S . -B %s -DCMAKE_BUILD_TYPE=%s && cmake --build %s --parallel",
			build, type && *type ? quoted(place, type) : "RelWithDebInfo", build),
		"Add the -D options that the program needs: other builds are configured again."};
	return true;
}

static bool
find_meson(struct build_system *found, const struct place *place)
{
	const char *folder = build_folder(place, "meson-info");

	if (!has(place, "meson.build") || !folder)
		return false;
	const char *build = quoted(place, folder);

	*found = (struct build_system){"Meson",
		arena_printf(place->arena,
			"meson setup %s --buildtype=debugoptimized && meson compile -C %s", build,
			build),
		"Add the -D options that the program needs: other builds are configured again."};
	return true;
}

/* "target/release/parse", "target/release/examples/parse", or with the name of another profile. */
static bool
find_cargo(struct build_system *found, const struct place *place)
{
	static const char target[] = "target/";

	if (!has(place, "Cargo.toml") || !place->program ||
		strncmp(place->program, target, strlen(target)) != 0)
		return false;
	const char *rest = place->program + strlen(target);
	const size_t len = strcspn(rest, "/");
	const char *profile = arena_dup(place->arena, rest, len);
	const bool is_example = strncmp(rest + len, "/examples/", 10) == 0;

	/* The profile of target/debug has debug information by itself. */
	const char *command = strcmp(profile, "debug") == 0 ? "cargo build"
			      : strcmp(profile, "release") == 0
				      ? "CARGO_PROFILE_RELEASE_DEBUG=1 cargo build --release"
				      : arena_printf(place->arena, "cargo build --profile %s",
						quoted(place, profile));

	*found = (struct build_system){.name = "Cargo",
		.command = is_example ? arena_printf(place->arena, "%s --example %s", command,
						quoted(place, file_basename(rest)))
				      : command};
	return true;
}

/* Whether a folder of the module is a program: one of its files, tests aside, is of package main.
 */
static bool
is_go_program(const struct place *place, const char *package)
{
	char *path = file_join(place->folder, package);
	DIR *dir = opendir(path);
	bool found = false;

	for (struct dirent *entry; dir && !found && (entry = readdir(dir));) {
		const size_t len = strlen(entry->d_name);
		const struct place inside = {.folder = path, .arena = place->arena};

		if (len < 4 || strcmp(entry->d_name + len - 3, ".go") != 0 ||
			(len > 8 && strcmp(entry->d_name + len - 8, "_test.go") == 0))
			continue;
		const char *rest = line_after(&inside, entry->d_name, "package main");

		found = rest && (!*rest || strchr(" \t;/", *rest));
	}
	if (dir)
		closedir(dir);
	free(path);
	return found;
}

static bool
find_go(struct build_system *found, const struct place *place)
{
	if (!has(place, "go.mod") || !place->program)
		return false;
	const char *name = file_basename(place->program);
	const char *const packages[] = {".", arena_printf(place->arena, "./cmd/%s", name),
		arena_printf(place->arena, "./%s", name), "./cmd", NULL};

	*found = (struct build_system){.name = "Go",
		.advice = "Without these options the program differs with each commit and folder."};
	for (size_t i = 0; packages[i] && !found->command; i++) {
		if (is_go_program(place, packages[i]))
			found->command = arena_printf(place->arena,
				"go build -buildvcs=false -trimpath -o %s %s",
				quoted(place, place->program), quoted(place, packages[i]));
	}
	if (!found->command)
		found->advice = "Build with: go build -buildvcs=false -trimpath -o PROGRAM PACKAGE";
	return true;
}

static bool
find_make(struct build_system *found, const struct place *place)
{
	if (!has_makefile(place) || !place->program)
		return false;
	*found = (struct build_system){.name = "Make", .command = "make"};
	return true;
}

/* Programs of npm are run by node, which is found in PATH. */
static void
find_npm(struct build_system *found, const struct place *place)
{
	if (!has(place, "package.json"))
		return;
	*found = (struct build_system){.name = "npm",
		.command = has(place, "package-lock.json")
				   ? "npm ci --prefer-offline --no-audit --no-fund && "
				     "npm run build --if-present"
				   : "npm install --no-package-lock --no-audit --no-fund && "
				     "npm run build --if-present"};
}

static void
find_in(struct build_system *found, const struct place *place, bool by_node)
{
	if (by_node || (place->program && strncmp(place->program, "node_modules/", 13) == 0))
		find_npm(found, place);
	else if (!find_cargo(found, place) && !find_cmake(found, place) &&
		 !find_meson(found, place) && !find_go(found, place))
		find_make(found, place);
	if (found->command && strcmp(place->folder, ".") != 0)
		found->command = arena_printf(
			place->arena, "cd %s && %s", quoted(place, place->folder), found->command);
}

/* `path` without leading "./", if it is below the current folder. */
static const char *
below(const char *path)
{
	while (strncmp(path, "./", 2) == 0)
		path += 2;
	return path[0] == '/' || strncmp(path, "../", 3) == 0 ? NULL : path;
}

void
build_system_find(
	struct build_system *found, const char *program, const char *prefix, struct arena *arena)
{
	const char *name = file_basename(program);
	const bool by_node =
		strcmp(name, "node") == 0 || strcmp(name, "npm") == 0 || strcmp(name, "npx") == 0;
	const char *path = strchr(program, '/') ? below(program) : NULL;

	*found = (struct build_system){0};
	if (prefix) {
		const char *folder = arena_dup(arena, prefix, strlen(prefix) - 1);

		find_in(found, &(struct place){folder, path, arena}, by_node);
		path = path ? arena_printf(arena, "%s%s", prefix, path) : NULL;
	}
	if (!found->name)
		find_in(found, &(struct place){".", path, arena}, by_node);
}
