#include "builds/path_map.h"

#include "base/mem.h"
#include "spec/keys.h"
#include "spec/yaml.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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
