#include "builds/tree_text.h"

#include "base/buf.h"
#include "base/mem.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Characters that end a path within a text: of lists, of shells and of quoting. */
#define ENDS ":;,= \t\r\n\"'`()[]{}<>|&$*?!@"
/* The bytes that a path may begin behind: "${ROOT}/lib" begins with the variable. */
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

const char *
path_from_here(const char *path)
{
	char *root = realpath(".", NULL);
	size_t len = root ? strlen(root) : 0;
	const char *below = len > 1 && strncmp(path, root, len) == 0 && path[len] == '/'
				    ? path + len + 1
				    : path;

	free(root);
	return below;
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
