/*
 * Whether a program or script outside of both builds is one that they make, installed there by
 * hand or by an earlier gate: one of this name or with this build-id is among their files, a
 * Cargo.toml names it, or a script is a copy of theirs. A program that was stripped, or is written
 * in Rust or for an interpreter, shows nothing else of where it is from.
 */
#include "builds/build_product.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "builds/path_map.h"
#include "builds/program.h"
#include "elf/elf_image.h"
#include "process/file_watch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A larger script is data, or was made of many. */
#define SCRIPT_BYTES_MAX ((size_t)4 * 1024 * 1024)
/* Shorter scripts are alike by chance: an empty __init__.py. */
#define SCRIPT_BYTES_MIN 32
#define MANIFEST_BYTES_MAX ((size_t)1024 * 1024)

static void
add_path(struct installed_files *files, struct installed_paths *paths, const char *path)
{
	paths->paths =
		mem_grow(paths->paths, &paths->capacity, paths->count + 1, sizeof(*paths->paths));
	paths->paths[paths->count++] = arena_strdup(&files->arena, path);
}

/* Packages of others are in a project, too, and may also be installed as tools. */
static bool
is_of_others(const char *path)
{
	static const char *const folders[] = {"/node_modules/", "/site-packages/",
		"/dist-packages/", "/vendor/", "/_vendor/", "/third_party/"};

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (strstr(path, folders[i]))
			return true;
	}
	return false;
}

static void
add_if_installable(struct file_walk *walk, const char *path, void *context)
{
	struct installed_files *files = context;
	struct stat status;
	struct elf_image image;

	if (is_of_others(path + walk->root_len) || stat(path, &status) < 0)
		return;
	if (strcmp(file_basename(path), "Cargo.toml") == 0)
		add_path(files, &files->cargo, path);
	if ((status.st_mode & S_IXUSR) && elf_image_open(&image, path)) {
		elf_image_close(&image);
		add_path(files, &files->programs, path);
	} else {
		add_path(files, &files->scripts, path);
	}
}

static void
find_installed(struct installed_files *files, const struct tree_text *texts)
{
	if (files->known)
		return;
	files->known = true;
	file_walk(tree_text_here(texts), false, add_if_installable, files);
	file_walk(tree_text_there(texts), false, add_if_installable, files);
}

void
installed_files_release(struct installed_files *files)
{
	free(files->programs.paths);
	free(files->scripts.paths);
	free(files->cargo.paths);
	arena_release(&files->arena);
	*files = (struct installed_files){0};
}

static const char *
program_evidence(const struct installed_files *files, const char *path)
{
	const char *evidence = NULL;
	struct elf_image image;
	struct elf_image other;

	if (!elf_image_open(&image, path))
		return NULL;
	for (size_t i = 0; i < files->programs.count && !evidence; i++) {
		const char *program = files->programs.paths[i];

		if (strcmp(file_basename(program), file_basename(path)) == 0) {
			evidence = "a program of this name is among the files of the builds";
		} else if (image.build_id.len > 0 && elf_image_open(&other, program)) {
			if (build_id_equal(&image.build_id, &other.build_id))
				evidence = "a program with its build-id is among the files of the "
					   "builds";
			elf_image_close(&other);
		}
	}
	elf_image_close(&image);
	return evidence;
}

/* Whether the text has a line `name = "NAME"`. */
static bool
names_program(const char *text, const char *name)
{
	const size_t len = strlen(name);

	for (const char *at = text; at; at = strchr(at, '\n'), at = at ? at + 1 : NULL) {
		const char *value = at + strspn(at, " \t");

		if (strncmp(value, "name", 4) != 0)
			continue;
		value += 4 + strspn(value + 4, " \t");
		value += *value == '=';
		value += strspn(value, " \t");
		if (*value == '"' && strncmp(value + 1, name, len) == 0 && value[len + 1] == '"')
			return true;
	}
	return false;
}

static const char *
cargo_evidence(const struct installed_files *files, const char *path)
{
	const char *evidence = NULL;

	for (size_t i = 0; i < files->cargo.count && !evidence; i++) {
		struct buf text = {0};
		struct err ignored = {0};

		if (file_read(files->cargo.paths[i], &text, MANIFEST_BYTES_MAX, &ignored) == 0 &&
			names_program(buf_text(&text), file_basename(path)))
			evidence = "the Cargo.toml of the builds has a program of this name";
		buf_release(&text);
	}
	return evidence;
}

/* "work/core.py" of ".../site-packages/work/core.py"; NULL where it is in no such folder. */
static const char *
path_in_packages(const char *path)
{
	static const char *const folders[] = {"/site-packages/", "/dist-packages/"};

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		const char *at = strstr(path, folders[i]);

		if (at && strchr(at + strlen(folders[i]), '/'))
			return at + strlen(folders[i]);
	}
	return NULL;
}

/* Whether a file of a build is that of a package: at its root, or below "src". */
static bool
is_in_package(const char *root, const char *path, const char *name)
{
	const char *rest = path_is_below(path, root) ? path + strlen(root) : "";

	rest += *rest == '/';
	if (strncmp(rest, "src/", 4) == 0)
		rest += 4;
	return strcmp(rest, name) == 0;
}

static bool
has_text(const char *path, const struct buf *text)
{
	struct buf other = {0};
	struct err ignored = {0};
	struct stat status;
	const bool same = stat(path, &status) == 0 && (size_t)status.st_size == text->len &&
			  file_read(path, &other, SCRIPT_BYTES_MAX, &ignored) == 0 &&
			  other.len == text->len && memcmp(other.data, text->data, text->len) == 0;

	buf_release(&other);
	return same;
}

static const char *
script_evidence(
	const struct installed_files *files, const struct tree_text *texts, const char *path)
{
	const char *name = path_in_packages(path);
	const char *evidence = NULL;
	struct buf text = {0};
	struct err ignored = {0};
	const bool read = file_read(path, &text, SCRIPT_BYTES_MAX, &ignored) == 0 &&
			  text.len >= SCRIPT_BYTES_MIN;

	for (size_t i = 0; i < files->scripts.count && !evidence; i++) {
		const char *script = files->scripts.paths[i];

		if (strcmp(file_basename(script), file_basename(path)) != 0)
			continue;
		if (name && (is_in_package(tree_text_here(texts), script, name) ||
				    is_in_package(tree_text_there(texts), script, name)))
			evidence = "it is of an installed package, whose files the builds have";
		else if (read && has_text(script, &text))
			evidence = "it is a copy of a file of the builds";
	}
	buf_release(&text);
	return evidence;
}

const char *
installed_files_evidence(
	struct installed_files *files, const struct tree_text *texts, const struct run_file *file)
{
	/* An interpreter, by its own name: a script's would be that of its first line. */
	if (program_script_endings(file_basename(file->path), ""))
		return NULL;
	find_installed(files, texts);
	if (!(file->uses & RUN_FILE_EXECUTED))
		return file->uses & RUN_FILE_MAPPED ? NULL
						    : script_evidence(files, texts, file->path);
	const char *evidence = program_evidence(files, file->path);

	if (!evidence)
		evidence = cargo_evidence(files, file->path);
	return evidence ? evidence : script_evidence(files, texts, file->path);
}
