#include "builds/path_map.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "scratch.h"
#include "unit.h"

#include <stdlib.h>
#include <sys/stat.h>
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

/* The folders "here" and "there", and below the first "base" for one inside of it. */
struct bench {
	struct scratch scratch;
	struct tree_text *texts;
	struct arena arena;
	struct moved_paths moved;
};

static void
make(struct bench *bench, const char *command)
{
	char *line = mem_printf("cd %s && %s", bench->scratch.dir, command);

	CU_ASSERT_EQUAL_FATAL(system(line), 0);
	free(line);
}

static void
bench_init(struct bench *bench, const char *there)
{
	*bench = (struct bench){.texts = NULL};
	scratch_init(&bench->scratch);
	make(bench, "mkdir -p here/lib here/base/lib there/lib outside; ln -s here link; "
		    "ln -s ../outside here/out; ln -s ../outside here/both; mkdir there/both");
	char *here = mem_printf("%s/here", bench->scratch.dir);
	char *other = mem_printf("%s/%s", bench->scratch.dir, there);

	bench->texts = tree_text_new(here, other);
	free(here);
	free(other);
}

static void
bench_release(struct bench *bench)
{
	tree_text_free(bench->texts);
	free(bench->moved.paths);
	arena_release(&bench->arena);
	scratch_release(&bench->scratch);
}

/* Each '~' of a text is the scratch folder. */
static char *
full(struct bench *bench, const char *text)
{
	struct buf out = {0};

	for (; *text; text++) {
		if (*text == '~')
			buf_puts(&out, bench->scratch.dir);
		else
			buf_putc(&out, *text);
	}
	char *result = arena_strdup(&bench->arena, buf_text(&out));

	buf_release(&out);
	return result;
}

static void
becomes(struct bench *bench, const char *from, const char *to)
{
	const char *text = full(bench, from);
	const char *moved =
		tree_text_move(bench->texts, text, "NAME", &bench->moved, &bench->arena);

	UNIT_STR_EQ(moved ? moved : text, full(bench, to));
	CU_ASSERT_EQUAL(moved == NULL, strcmp(from, to) == 0);
}

static void
paths_are_found_in_texts_of_all_kinds(void)
{
	static const char *const texts[][2] = {
		{"~/here", "~/there"},
		{"~/here/", "~/there/"},
		{"NAME=~/here/lib", "NAME=~/there/lib"},
		{"/usr/lib:~/here/lib:~/here/new:", "/usr/lib:~/there/lib:~/there/new:"},
		{"-I~/here/include -L~/here/lib -Wl,-rpath,~/here/lib",
			"-I~/there/include -L~/there/lib -Wl,-rpath,~/there/lib"},
		{"--data=~/here/x", "--data=~/there/x"},
		{"file://~/here/x", "file://~/there/x"},
		{"-javaagent:~/here/a.jar=port=1", "-javaagent:~/there/a.jar=port=1"},
		{"{\"a\": \"~/here/x\"}", "{\"a\": \"~/there/x\"}"},
		{"cd ~/here && ./x <~/here/in >~/here/out.txt; cat ~/here/*.c",
			"cd ~/there && ./x <~/there/in >~/there/out.txt; cat ~/there/*.c"},
		{"@~/here/args", "@~/there/args"},
		{"~//here/lib", "~/there/lib"},
		{"/~/here/lib", "/~/there/lib"},
		{"~/outside/../here/lib", "~/there/lib"},
		{"~/here/lib/../lib", "~/there/lib"},
		{"~/here/new/../new/./x", "~/there/new/x"},
		{"~/here/new/../../outside/x", "~/here/new/../../outside/x"},
		{"~/link/lib/x", "~/there/lib/x"},
		/* These name none. */
		{"", ""},
		{"~/here2/lib", "~/here2/lib"},
		{"~/here.old", "~/here.old"},
		{"here/lib", "here/lib"},
		{"http:/~/here", "http:/~/here"},
		{"~/there/lib", "~/there/lib"},
		{"/usr~/here/lib", "/usr~/here/lib"},
		{"x~/here/lib", "x~/here/lib"},
		{"${ROOT}~/here/lib", "${ROOT}~/here/lib"},
		{"~/here/../outside/x", "~/here/../outside/x"},
		{"/proc/self/none/x", "/proc/self/none/x"},
	};
	struct bench bench;

	bench_init(&bench, "there");
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		becomes(&bench, texts[i][0], texts[i][1]);
	bench_release(&bench);
}

/* A link that leads out of the folder is shared, unless the other folder has one, too. */
static void
links_out_of_the_folder_stay(void)
{
	struct bench bench;

	bench_init(&bench, "there");
	becomes(&bench, "~/here/out/x", "~/here/out/x");
	becomes(&bench, "~/here/both", "~/there/both");
	bench_release(&bench);
}

/* As with a cache folder in the repository. */
static void
the_other_folder_may_be_below(void)
{
	struct bench bench;

	bench_init(&bench, "here/base");
	becomes(&bench, "~/here/lib:~/here/base/lib", "~/here/base/lib:~/here/base/lib");
	becomes(&bench, "~/here/base", "~/here/base");
	bench_release(&bench);
}

static void
moved_paths_are_listed(void)
{
	struct bench bench;

	bench_init(&bench, "there");
	becomes(&bench, "~/here/lib:/usr/lib:~/link/x", "~/there/lib:/usr/lib:~/there/x");
	CU_ASSERT_EQUAL_FATAL(bench.moved.count, 2);
	UNIT_STR_EQ(bench.moved.paths[0].in, "NAME");
	UNIT_STR_EQ(bench.moved.paths[0].here, full(&bench, "~/here/lib"));
	UNIT_STR_EQ(bench.moved.paths[0].there, full(&bench, "~/there/lib"));
	UNIT_STR_EQ(bench.moved.paths[1].here, full(&bench, "~/link/x"));
	bench_release(&bench);
}

/* A name of our folder that is spelled through a link, and has what else ends a path. */
static void
the_shells_name_of_the_folder_is_known(void)
{
	struct bench bench;
	char *before = getenv("PWD") ? mem_strdup(getenv("PWD")) : NULL;

	bench_init(&bench, "there");
	make(&bench, "ln -s here 'my project'");
	tree_text_free(bench.texts);
	setenv("PWD", full(&bench, "~/my project/lib"), 1);
	bench.texts = tree_text_new(full(&bench, "~/here"), full(&bench, "~/there"));
	becomes(&bench, "~/my project/lib:/usr/lib", "~/there/lib:/usr/lib");
	if (before)
		setenv("PWD", before, 1);
	else
		unsetenv("PWD");
	free(before);
	bench_release(&bench);
}

static const struct unit_case cases[] = {
	{"a_word_is_found_by_itself_or_by_its_folder", a_word_is_found_by_itself_or_by_its_folder},
	{"a_folder_stands_for_all_below_it", a_folder_stands_for_all_below_it},
	{"what_is_wrong_is_pointed_at", what_is_wrong_is_pointed_at},
	{"paths_are_found_in_texts_of_all_kinds", paths_are_found_in_texts_of_all_kinds},
	{"links_out_of_the_folder_stay", links_out_of_the_folder_stay},
	{"the_other_folder_may_be_below", the_other_folder_may_be_below},
	{"moved_paths_are_listed", moved_paths_are_listed},
	{"the_shells_name_of_the_folder_is_known", the_shells_name_of_the_folder_is_known},
	{NULL, NULL},
};

void
suite_builds_path_map(void)
{
	unit_suite("builds/path_map", cases);
}
