#include "builds/tree_text.h"

#include "base/buf.h"
#include "base/mem.h"
#include "scratch.h"
#include "unit.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void suite_builds_tree_text(void);

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
	{"paths_are_found_in_texts_of_all_kinds", paths_are_found_in_texts_of_all_kinds},
	{"links_out_of_the_folder_stay", links_out_of_the_folder_stay},
	{"the_other_folder_may_be_below", the_other_folder_may_be_below},
	{"moved_paths_are_listed", moved_paths_are_listed},
	{"the_shells_name_of_the_folder_is_known", the_shells_name_of_the_folder_is_known},
	{NULL, NULL},
};

void
suite_builds_tree_text(void)
{
	unit_suite("builds/tree_text", cases);
}
