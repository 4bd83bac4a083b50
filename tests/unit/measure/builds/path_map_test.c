#include "builds/path_map.h"

#include "base/file.h"
#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

void suite_builds_path_map(void);

/* The map of this text; NULL and the error. */
static struct path_map *
read_text(const char *text, struct err *err)
{
	char *folder;
	struct err ignored = {0};

	*err = (struct err){0};
	CU_ASSERT_EQUAL_FATAL(file_dir_scratch(&folder, &ignored), 0);
	char *path = file_join(folder, "map.yaml");

	CU_ASSERT_EQUAL_FATAL(file_write(path, text, strlen(text), &ignored), 0);
	struct path_map *map = path_map_read(path, err);

	free(path);
	file_dir_abandon(folder);
	return map;
}

static void
check_find(const struct path_map *map, const char *word, const char *expected)
{
	struct arena arena = {0};

	const char *found = path_map_find(map, word, &arena);

	UNIT_STR_EQ(found ? found : "nothing", expected ? expected : "nothing");
	arena_release(&arena);
}

static void
a_word_is_found_by_itself_or_by_its_folder(void)
{
	struct err err;
	struct path_map *map = read_text("build/bench: ../base/bench\n"
					 "build/: ../base/build/\n"
					 "build/deep/: /deep\n"
					 "\"7\": \"8\"\n",
		&err);

	CU_ASSERT_PTR_NOT_NULL_FATAL(map);
	check_find(map, "build/bench", "../base/bench");
	check_find(map, "build/bench2", "../base/build/bench2");
	check_find(map, "build/deep/x", "/deep/x");
	check_find(map, "build/deep", "../base/build/deep");
	check_find(map, "7", "8");
	check_find(map, "build", NULL);
	check_find(map, "./build/bench", NULL);
	check_find(map, "", NULL);
	UNIT_CONTAINS(path_map_source(map), "map.yaml");
	path_map_free(map);
}

static void
a_folder_stands_for_all_below_it(void)
{
	struct path_map *map = path_map_of_folders("/here", "/there");

	check_find(map, "/here", "/there");
	check_find(map, "/here/a/b", "/there/a/b");
	check_find(map, "/hereafter", NULL);
	CU_ASSERT_PTR_NULL(path_map_source(map));
	path_map_free(map);
	path_map_free(NULL);
}

static void
check_refused(const char *text, const char *where, const char *message)
{
	struct err err;
	struct path_map *map = read_text(text, &err);

	CU_ASSERT_PTR_NULL_FATAL(map);
	CU_ASSERT_EQUAL(err.kind, ERR_INPUT);
	UNIT_CONTAINS(err.text, where);
	UNIT_CONTAINS(err.text, message);
}

static void
what_is_wrong_is_pointed_at(void)
{
	check_refused("a: b\nc: [d]\n", "map.yaml:2:4:", "found a list");
	check_refused("a: b\nc:\n", "map.yaml:2:", "found nothing");
	check_refused("a: \"\"\n", "map.yaml:1:4:", "found an empty one");
	check_refused("a: b\nx/y: x/y\n", "map.yaml:2:6:", "'x/y' is mapped to itself");
	check_refused("a: b\na: c\n", "map.yaml:2:1:", "'a'");
	check_refused("- a\n", "map.yaml:1:1:", "found a list");
	check_refused("", "map.yaml:1:1:", "the file is empty");
	check_refused("{}\n", "map.yaml:1:1:", "it has no entry");
	check_refused("a: [\n", "map.yaml:", "error");
}

static const struct unit_case cases[] = {
	{"a_word_is_found_by_itself_or_by_its_folder", a_word_is_found_by_itself_or_by_its_folder},
	{"a_folder_stands_for_all_below_it", a_folder_stands_for_all_below_it},
	{"what_is_wrong_is_pointed_at", what_is_wrong_is_pointed_at},
	{NULL, NULL},
};

void
suite_builds_path_map(void)
{
	unit_suite("builds/path_map", cases);
}
