#include "analysis/line_map.h"

#include "base/file.h"
#include "unit.h"

#include <string.h>
#include <sys/stat.h>

void suite_analysis_source_text(void);

/* A scratch folder with one/two/file.c in it. */
static char *
make_source(const char *text)
{
	struct err err = {0};
	char *folder = NULL;

	CU_ASSERT_EQUAL_FATAL(file_dir_scratch(&folder, &err), 0);
	char *inside = file_join(folder, "one/two");
	char *path = file_join(inside, "file.c");

	CU_ASSERT_EQUAL(file_make_dirs(inside, &err), 0);
	CU_ASSERT_EQUAL(file_write(path, text, strlen(text), &err), 0);
	free(path);
	free(inside);
	return folder;
}

static void
assert_line(const struct source_text *source, uint32_t number, const char *expected)
{
	struct buf line = {0};

	source_text_put(source, number, &line);
	UNIT_STR_EQ(buf_text(&line), expected);
	buf_release(&line);
}

static void
lines_are_safe_and_without_tabs(void)
{
	char *folder = make_source("a\tb\r\n\n\tc\x1b[2J\nlast");
	char *path = file_join(folder, "one/two/file.c");
	struct source_text source;

	CU_ASSERT_FATAL(source_text_find(&source, path, NULL));
	CU_ASSERT_EQUAL(source.nlines, 4);
	assert_line(&source, 0, "");
	assert_line(&source, 1, "a       b");
	assert_line(&source, 2, "");
	assert_line(&source, 3, "        c\xef\xbf\xbd[2J");
	assert_line(&source, 4, "last");
	assert_line(&source, 5, "");
	source_text_release(&source);
	free(path);
	file_dir_abandon(folder);
}

/* As many parts of the path as there are below the folder. */
static void
folder_holds_the_end_of_the_path(void)
{
	char *folder = make_source("x\n");
	struct source_text source;

	CU_ASSERT_FATAL(source_text_find(&source, "/build/elsewhere/one/two/file.c", folder));
	CU_ASSERT_PTR_NOT_NULL(strstr(source.path, "/one/two/file.c"));
	source_text_release(&source);
	CU_ASSERT_FALSE(source_text_find(&source, "/build/two/file.c", folder));
	CU_ASSERT_FALSE(source_text_find(&source, "", folder));
	CU_ASSERT_FALSE(source_text_find(&source, "one/two/file.c", NULL));
	CU_ASSERT_FALSE(source_text_find(&source, "one/two", folder));
	file_dir_abandon(folder);
}

/* Reading one would wait for its writer. */
static void
a_pipe_is_no_source(void)
{
	char *folder = make_source("x\n");
	char *path = file_join(folder, "pipe.c");
	struct source_text source;

	CU_ASSERT_EQUAL_FATAL(mkfifo(path, 0600), 0);
	CU_ASSERT_FALSE(source_text_find(&source, path, NULL));
	free(path);
	file_dir_abandon(folder);
}

static const struct unit_case cases[] = {
	{"lines_are_safe_and_without_tabs", lines_are_safe_and_without_tabs},
	{"folder_holds_the_end_of_the_path", folder_holds_the_end_of_the_path},
	{"a_pipe_is_no_source", a_pipe_is_no_source},
	{NULL, NULL},
};

void
suite_analysis_source_text(void)
{
	unit_suite("analysis/source_text", cases);
}
