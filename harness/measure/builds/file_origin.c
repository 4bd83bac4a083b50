#include "builds/file_origin.h"

#include "base/buf.h"
#include "base/file_view.h"
#include "base/mem.h"
#include "builds/tree_text.h"
#include "elf/elf_image.h"
#include "process/run_files.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Larger files are not searched for a path. */
#define SEARCHED_BYTES_MAX ((size_t)64 * 1024 * 1024)

/* Whether the text is in the file, as a path that ends there or goes on with its own part. */
static bool
has_path_text(const struct file_view *view, const char *path)
{
	static const char within[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				     "0123456789_-.";
	const size_t len = strlen(path);
	const char *end = view->data + view->len;
	const char *at = view->data;

	while ((at = memmem(at, (size_t)(end - at), path, len))) {
		at += len;
		if (at == end || *at == '\0' || !strchr(within, *at))
			return true;
	}
	return false;
}

bool
file_origin_mentions(const char *path, const char *text)
{
	struct file_view view;
	struct err ignored = {0};
	struct stat status;

	if (stat(path, &status) < 0 || status.st_size <= 0 ||
		(size_t)status.st_size > SEARCHED_BYTES_MAX ||
		file_view_open(&view, path, &ignored) < 0)
		return false;
	const bool found = has_path_text(&view, text);

	file_view_close(&view);
	return found;
}

/* The search for the way to one file. */
struct origin_search {
	const struct run_files *files;
	const struct run_file *file;
	const char *in;  /* the folder that the file is below */
	const char *own; /* the one that it should be below */
	char *named_in;  /* the folder that it was named in */
	struct buf *out;
};

/* The first part of the name that is a link, if a link leads to the file's folder. */
static bool
put_link(const struct origin_search *search)
{
	char *part = mem_strdup(search->file->name);
	bool found = false;

	for (char *at = strchr(part + 1, '/'); !found; at = at ? strchr(at + 1, '/') : NULL) {
		struct stat status;

		if (at)
			*at = '\0';
		/* A link within the folder is not what led there. */
		const bool outside =
			path_is_below(part, search->own) || !path_is_below(part, search->in);
		const bool is_link =
			outside && lstat(part, &status) == 0 && S_ISLNK(status.st_mode);
		char *real = is_link ? realpath(part, NULL) : NULL;

		found = real && path_is_below(real, search->in) &&
			!path_is_below(real, search->own);
		free(real);
		if (found)
			buf_printf(search->out, "through the symbolic link '%s'", part);
		if (!at)
			break;
		*at = '/';
	}
	free(part);
	return found;
}

static bool
put_interpreter(const struct origin_search *search)
{
	struct err ignored = {0};
	struct buf text = {0};
	bool is_script = false;

	if (search->file->uses & RUN_FILE_EXECUTED && search->file->by[0])
		is_script = file_read(search->file->by, &text, SEARCHED_BYTES_MAX, &ignored) == 0 &&
			    strncmp(buf_text(&text), "#!", 2) == 0 &&
			    memmem(text.data, strcspn(text.data, "\n"), search->file->name,
				    strlen(search->file->name));
	if (is_script)
		buf_printf(search->out, "by the first line of the script '%s'", search->file->by);
	buf_release(&text);
	return is_script;
}

/* Whether a list of the dynamic linker names the file, or with `folders` the one it is in. */
static bool
is_listed(const struct origin_search *search, const struct elf_image *image, int64_t tag,
	bool folders)
{
	struct buf list = {0};
	char *rest = NULL;
	bool found = false;

	elf_put_dynamic(image, tag, &list);
	for (char *at = list.data ? strtok_r(list.data, "\n:", &rest) : NULL; at && !found;
		at = strtok_r(NULL, "\n:", &rest)) {
		char *real = at[0] == '/' ? realpath(at, NULL) : NULL;

		if (folders)
			found = real && search->named_in && strcmp(real, search->named_in) == 0;
		else
			found = real && strcmp(real, search->file->path) == 0;
		free(real);
	}
	buf_release(&list);
	return found;
}

static bool
is_loader(const struct origin_search *search, const struct elf_image *image)
{
	char *loader = elf_interpreter(image);
	char *real = loader ? realpath(loader, NULL) : NULL;
	const bool is = real && strcmp(real, search->file->path) == 0;

	free(real);
	free(loader);
	return is;
}

/* Whether a program or library that was used tells the dynamic linker of the file. */
static bool
put_dynamic(const struct origin_search *search, const struct run_file *in)
{
	struct elf_image image;
	const char *what = NULL;

	if (in == search->file || !(in->uses & (RUN_FILE_EXECUTED | RUN_FILE_MAPPED)) ||
		!elf_image_open(&image, in->path))
		return false;
	if (is_listed(search, &image, DT_RPATH, true) ||
		is_listed(search, &image, DT_RUNPATH, true))
		what = "rpath";
	else if (is_listed(search, &image, DT_NEEDED, false))
		what = "list of libraries (DT_NEEDED)";
	else if (is_loader(search, &image))
		what = "program interpreter (PT_INTERP)";
	elf_image_close(&image);
	if (what)
		buf_printf(search->out, "by the %s of '%s'", what, in->path);
	return what;
}

static bool
put_text(const struct origin_search *search, const char *path)
{
	for (size_t i = 0; i < search->files->count; i++) {
		const struct run_file *in = &search->files->files[i];

		if (in == search->file || !file_origin_mentions(in->path, path))
			continue;
		buf_printf(search->out, "by the path '%s' in '%s'", path, in->path);
		return true;
	}
	return false;
}

bool
file_origin_put(const struct run_files *files, const struct run_file *file, const char *in,
	const char *own, struct buf *out)
{
	struct origin_search search = {
		.files = files, .file = file, .in = in, .own = own, .out = out};
	char *folder = mem_strdup(file->name);
	char *slash = strrchr(folder, '/');

	if (slash)
		*slash = '\0';
	search.named_in = realpath(folder, NULL);
	bool found = put_link(&search) || put_interpreter(&search);

	for (size_t i = 0; i < files->count && !found; i++)
		found = put_dynamic(&search, &files->files[i]);
	const char *const paths[] = {file->name, file->path, folder, search.named_in, in};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]) && !found; i++)
		found = paths[i] && paths[i][0] && put_text(&search, paths[i]);
	free(folder);
	free(search.named_in);
	return found;
}
