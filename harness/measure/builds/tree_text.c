#include "builds/tree_text.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "elf/elf_image.h"

#include <elf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Characters that end a path within a text: of lists, of shells and of quoting. */
#define ENDS ":;,= \t\r\n\"'`()[]{}<>|&$*?!@"
/* Those of these that a path may begin behind: "${ROOT}/lib" begins with the variable. */
#define BEGINS ":;,= \t\r\n\"'`([{<>|&!@"

struct tree_text {
	char *here;
	char *there;
	char *alias; /* `here` as the shell that started us has it, through links; NULL: as it is */
};

bool
path_is_below(const char *path, const char *folder)
{
	const size_t len = strlen(folder);

	return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/*
 * The folder as PWD has it: "/link/project" for "/data/project", where a link leads to the folder
 * or to one above it.
 */
static char *
find_alias(const char *here)
{
	const char *pwd = getenv("PWD");
	char *real = pwd && pwd[0] == '/' ? realpath(pwd, NULL) : NULL;
	char *alias = NULL;

	if (real && path_is_below(real, here) && strcmp(real, pwd) != 0) {
		const size_t rest = strlen(real) - strlen(here);
		const size_t len = strlen(pwd);

		if (len > rest && strcmp(pwd + len - rest, real + strlen(here)) == 0)
			alias = mem_dup(pwd, len - rest);
	}
	free(real);
	return alias;
}

struct tree_text *
tree_text_new(const char *here, const char *there)
{
	struct tree_text *texts = mem_zalloc(1, sizeof(*texts));

	texts->here = mem_strdup(here);
	texts->there = mem_strdup(there);
	texts->alias = find_alias(here);
	return texts;
}

void
tree_text_free(struct tree_text *texts)
{
	if (!texts)
		return;
	free(texts->here);
	free(texts->there);
	free(texts->alias);
	free(texts);
}

const char *
tree_text_here(const struct tree_text *texts)
{
	return texts->here;
}

const char *
tree_text_there(const struct tree_text *texts)
{
	return texts->there;
}

/* Takes "." and ".." out of an absolute path, by its text. */
static void
collapse(char *path)
{
	char *out = path;

	for (const char *at = path; *at;) {
		const size_t len = strcspn(at + 1, "/") + 1;

		if (len == 3 && at[1] == '.' && at[2] == '.') {
			while (out > path && *--out != '/')
				continue;
		} else if (len > 1 && !(len == 2 && at[1] == '.')) {
			memmove(out, at, len);
			out += len;
		}
		at += len;
	}
	*out = '\0';
}

/*
 * The path without links and "..", also where its end does not exist; free() it. NULL if not even
 * its first folder does.
 */
static char *
resolve(const char *path)
{
	char *begin = mem_strdup(path);
	char *real = realpath(begin, NULL);
	size_t len = strlen(begin);

	while (!real && len > 1) {
		while (len > 1 && begin[len - 1] != '/')
			len--;
		while (len > 1 && begin[len - 1] == '/')
			len--;
		begin[len] = '\0';
		real = realpath(begin, NULL);
	}
	free(begin);
	/* The root exists always. */
	char *whole = real && (len > 1 || path[len] == '\0') ? mem_printf("%s%s", real, path + len)
							     : NULL;

	free(real);
	if (whole)
		collapse(whole);
	return whole;
}

/* The part of the path behind the folder, if its text begins with that. */
static const char *
rest_behind(const char *path, const char *folder)
{
	return folder && path_is_below(path, folder) ? path + strlen(folder) : NULL;
}

static bool
is_there(const char *path)
{
	return access(path, F_OK) == 0;
}

/*
 * The path as it is below the other folder; NULL where it is none of those below ours. By its text,
 * unless a link or ".." leads out of the folder; else by where its links lead.
 */
static char *
move_path(const struct tree_text *texts, const char *path)
{
	char *real = resolve(path);
	const char *rest = rest_behind(path, texts->here);
	char *moved = NULL;

	if (!rest)
		rest = rest_behind(path, texts->alias);
	if (real && path_is_below(real, texts->there)) {
		/* The other folder may be below ours. */
	} else if (rest && !strstr(rest, "/..")) {
		moved = mem_printf("%s%s", texts->there, rest);
		if (real && !path_is_below(real, texts->here) && !is_there(moved)) {
			free(moved);
			moved = NULL;
		}
	} else if (real && path_is_below(real, texts->here)) {
		moved = mem_printf("%s%s", texts->there, real + strlen(texts->here));
	}
	free(real);
	return moved;
}

/* Whether a path may begin at `at`: at the start of a word, or behind an option's letters ("-I").
 */
static bool
can_begin(const char *text, const char *at)
{
	const char *word = at;

	while (word > text && !strchr(BEGINS, word[-1]))
		word--;
	/* A URL of a host: "http://host/path". */
	if (at == word + 1 && *word == '/' && word > text && word[-1] == ':' && at[1] != '/')
		return false;
	while (word < at && *word == '/')
		word++;
	if (word == at)
		return true;
	if (*word != '-')
		return false;
	word += strspn(word, "-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
	return word == at;
}

/* The length of a path that begins there: a name of our folder is one, whatever is in it. */
static size_t
path_length(const struct tree_text *texts, const char *at)
{
	const char *const names[] = {texts->here, texts->alias};
	size_t len = 0;

	for (size_t i = 0; i < 2 && len == 0; i++) {
		const size_t name_len = names[i] ? strlen(names[i]) : 0;

		if (name_len > 0 && strncmp(at, names[i], name_len) == 0)
			len = name_len;
	}
	return len + strcspn(at + len, ENDS);
}

static void
add_moved(struct moved_paths *moved, const struct moved_path *path)
{
	moved->paths =
		mem_grow(moved->paths, &moved->capacity, moved->count + 1, sizeof(*moved->paths));
	moved->paths[moved->count++] = *path;
}

const char *
tree_text_move(const struct tree_text *texts, const char *text, const char *in,
	struct moved_paths *moved, struct arena *arena)
{
	struct buf out = {0};
	bool any = false;
	const char *at = text;

	while (*at) {
		const bool begins = *at == '/' && at[1] != '/' && can_begin(text, at);
		const size_t len = begins ? path_length(texts, at) : 1;
		char *path = begins ? mem_dup(at, len) : NULL;
		char *there = begins && len < PATH_MAX ? move_path(texts, path) : NULL;

		if (there) {
			buf_puts(&out, there);
			any = true;
		} else {
			buf_put(&out, at, len);
		}
		if (there && moved)
			add_moved(moved, &(struct moved_path){.in = arena_strdup(arena, in),
						 .here = arena_strdup(arena, path),
						 .there = arena_strdup(arena, there)});
		at += len;
		free(path);
		free(there);
	}
	const char *result = any ? arena_dup(arena, buf_text(&out), out.len) : NULL;

	buf_release(&out);
	return result;
}

/* Larger files are not searched for a path. */
#define SEARCHED_BYTES_MAX ((size_t)64 * 1024 * 1024)

/* What is looked for. */
struct search {
	const struct run_files *files;
	const struct run_file *file;
	const char *in;  /* the folder that the file is below */
	const char *own; /* the one that it should be below */
	char *named_in;  /* the folder that it was named in */
	struct buf *out;
};

/* The first part of the name that is a link, if a link leads to the file's folder. */
static bool
put_link(const struct search *search)
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
put_interpreter(const struct search *search)
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
is_listed(const struct search *search, const struct elf_image *image, int64_t tag, bool folders)
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
is_loader(const struct search *search, const struct elf_image *image)
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
put_dynamic(const struct search *search, const struct run_file *in)
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

/* Whether the text is in the file, as a path that ends there or goes on with its own part. */
static bool
has_path(const struct file_view *view, const char *path)
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
	const bool found = has_path(&view, text);

	file_view_close(&view);
	return found;
}

static bool
put_text(const struct search *search, const char *path)
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
	struct search search = {.files = files, .file = file, .in = in, .own = own, .out = out};
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
