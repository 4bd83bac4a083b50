/* Replacing the paths of one build by those of another: by a map, and within texts. */
#include "builds/path_map.h"

#include "base/buf.h"
#include "base/mem.h"
#include "spec/keys.h"
#include "spec/yaml.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct entry {
	const char *from;
	size_t len;
	const char *to;
	bool is_folder; /* `from` ends with '/' */
};

struct path_map {
	struct arena arena; /* owns all strings */
	const char *source;
	struct entry *entries;
	size_t nentries;
};

static struct path_map *
map_new(size_t nentries)
{
	struct path_map *map = mem_zalloc(1, sizeof(*map));

	map->entries = mem_zalloc(nentries, sizeof(*map->entries));
	return map;
}

static bool
ends_with_slash(const char *path)
{
	size_t len = strlen(path);

	return len > 0 && path[len - 1] == '/';
}

/* Both paths of a folder's entry end with a '/', so that their concatenation is a path. */
static void
map_add(struct path_map *map, const char *from, const char *to)
{
	struct entry *entry = &map->entries[map->nentries++];

	entry->is_folder = ends_with_slash(from);
	entry->from = arena_strdup(&map->arena, from);
	entry->len = strlen(from);
	entry->to = entry->is_folder && !ends_with_slash(to) ? arena_printf(&map->arena, "%s/", to)
							     : arena_strdup(&map->arena, to);
}

static int
read_entry(struct path_map *map, const struct key_reader *reader, const struct yaml_node *node)
{
	const char *from = node->key->text;
	const char *to = keys_text(reader, node, "its path in the other build");

	if (!to)
		return -1;
	if (*to == '\0')
		return keys_refuse(reader, node, "expected a path; found an empty one");
	if (strcmp(from, to) == 0)
		return keys_refuse(reader, node,
			"'%.80s' is mapped to itself; expected the path in the other build", from);
	map_add(map, from, to);
	return 0;
}

static int
read_entries(struct path_map *map, const struct yaml_file *file, struct err *err)
{
	const struct key_reader reader = {.file = file, .arena = &map->arena, .err = err};

	for (const struct yaml_node *node = file->root->first; node; node = node->next) {
		if (read_entry(map, &reader, node) < 0)
			return -1;
	}
	return 0;
}

static int
refuse_root(struct path_map *map, const struct yaml_file *file, struct err *err)
{
	const struct yaml_node nowhere = {.line = 1, .column = 1};
	const struct yaml_node *root = file->root ? file->root : &nowhere;
	const struct key_reader reader = {.file = file, .arena = &map->arena, .err = err};

	keys_refuse(&reader, root, "expected a mapping of paths; %s",
		root == &nowhere             ? "the file is empty"
		: root->kind == YAML_MAPPING ? "it has no entry"
					     : keys_found(&reader, root));
	return err_note(err, "such as: build/bench: ../base/build/bench");
}

struct path_map *
path_map_read(const char *path, struct err *err)
{
	struct yaml_file file;
	size_t count = 0;

	if (yaml_parse_file(&file, path, err) < 0)
		return NULL;
	bool is_mapping = file.root && file.root->kind == YAML_MAPPING;

	for (const struct yaml_node *at = is_mapping ? file.root->first : NULL; at; at = at->next)
		count++;
	struct path_map *map = map_new(count);
	int result = count > 0 ? read_entries(map, &file, err) : refuse_root(map, &file, err);

	map->source = arena_strdup(&map->arena, path);
	yaml_release(&file);
	if (result == 0)
		return map;
	path_map_free(map);
	return NULL;
}

struct path_map *
path_map_of_folders(const char *from, const char *to)
{
	struct path_map *map = map_new(2);
	const char *folder = ends_with_slash(from) ? from : arena_printf(&map->arena, "%s/", from);

	map_add(map, from, to);
	map_add(map, folder, to);
	return map;
}

void
path_map_free(struct path_map *map)
{
	if (!map)
		return;
	arena_release(&map->arena);
	free(map->entries);
	free(map);
}

const char *
path_map_source(const struct path_map *map)
{
	return map->source;
}

const char *
path_map_find(const struct path_map *map, const char *word, struct arena *arena)
{
	const struct entry *best = NULL;

	for (size_t i = 0; i < map->nentries; i++) {
		const struct entry *entry = &map->entries[i];

		if (strcmp(word, entry->from) == 0)
			return entry->to;
		if (entry->is_folder && strncmp(word, entry->from, entry->len) == 0 &&
			(!best || entry->len > best->len))
			best = entry;
	}
	return best ? arena_printf(arena, "%s%s", best->to, word + best->len) : NULL;
}

/*
 * Paths below one folder, in texts that hold them.
 */

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
