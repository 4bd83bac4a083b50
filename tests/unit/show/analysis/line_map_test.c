#include "analysis/line_map.h"

#include "base/file.h"
#include "unit.h"

#include <string.h>
#include <sys/stat.h>

void suite_analysis_line_map(void);

static void
find_text(struct source_text *source, const char *folder, const char *name, const char *text)
{
	struct err err = {0};
	char *path = file_join(folder, name);

	CU_ASSERT_EQUAL_FATAL(file_write(path, text, strlen(text), &err), 0);
	CU_ASSERT_FATAL(source_text_find(source, path, NULL));
	free(path);
}

/* `expected`: where the lines before are, "1 2-3 -": the second became two, the third is gone. */
static void
expect_split_map(
	const char *before, const char *after, const uint32_t split[2], const char *expected)
{
	struct allowance cells = {100000};
	struct source_text sources[2];
	struct line_map map;
	struct buf text = {0};
	struct err err = {0};
	char *folder = NULL;

	CU_ASSERT_EQUAL_FATAL(file_dir_scratch(&folder, &err), 0);
	find_text(&sources[0], folder, "before.c", before);
	find_text(&sources[1], folder, "after.c", after);
	line_map_init(&map, &sources[0], &sources[1], split, &cells);
	for (uint32_t line = 1; line <= sources[0].nlines; line++) {
		const struct line_range range = line_map_find(&map, line);

		buf_puts(&text, line > 1 ? " " : "");
		if (range.first == 0)
			buf_putc(&text, '-');
		else
			buf_printf(&text, "%u", range.first);
		if (range.last > range.first)
			buf_printf(&text, "-%u", range.last);
	}
	UNIT_STR_EQ(buf_text(&text), expected);
	buf_release(&text);
	line_map_release(&map);
	source_text_release(&sources[0]);
	source_text_release(&sources[1]);
	file_dir_abandon(folder);
}

static void
expect_map(const char *before, const char *after, const char *expected)
{
	static const uint32_t none[2] = {0, 0};

	expect_split_map(before, after, none, expected);
}

static void
lines_below_an_added_one_move(void)
{
	expect_map("a();\nb();\nc();\n", "a();\n/* new */\nb();\nc();\n", "1 3 4");
	expect_map("a();\nb();\n", "#include <new.h>\na();\nb();\n", "2 3");
}

static void
a_changed_line_is_the_one_in_its_place(void)
{
	expect_map("a();\ns = (s ^ b[i]) * 33;\nc();\n",
		"/* new */\na();\ns = ((s ^ b[i]) * 33 + 1) * 5;\nc();\n", "2 3 4");
}

static void
indentation_is_no_change(void)
{
	expect_map("a();\n\tb(1, 2);\n", "if (x) {\na();\n\t\tb( 1,2 );\r\n}\n", "2 3");
}

/* Also beside a line that is new; of two that were exchanged one is. */
static void
a_changed_line_is_found_by_its_words(void)
{
	expect_map("a();\nsum += weigh(one, two);\nc();\n",
		"a();\nint base = start();\nsum += weigh(one, two) + base;\nc();\n", "1 3 4");
	expect_map("first = one(x);\nsecond = two(y);\n",
		"second = two(z);\nthird = three();\nfirst = one(w);\n", "1-3 1");
}

static void
a_line_that_was_split_is_several(void)
{
	expect_map("a();\nsum = weigh(one) + carry(two);\nc();\n",
		"a();\nsum = weigh(one);\nsum += carry(two);\nc();\n", "1 2-3 4");
}

static void
joined_lines_are_one(void)
{
	expect_map(
		"a();\nx = one;\ny = two;\nc();\n", "a();\nx = one; y = two;\nc();\n", "1 2 2 3");
}

static void
a_removed_line_is_gone(void)
{
	expect_map("a();\nb();\nc();\n", "a();\nc();\n", "1 - 2");
}

static void
a_line_that_moved_is_found(void)
{
	expect_map("heavy(1);\na();\nb();\nc();\n", "a();\nb();\nc();\nheavy(1);\n", "4 1 2 3");
}

/* Only what is above the other function before the change can be above it after. */
static void
a_function_that_moved_is_compared_from_its_declaration(void)
{
	const uint32_t split[2] = {1, 5};

	expect_split_map("f()\n{\n\twork(1);\n}\ng()\n{\n\twork(2);\n}\n",
		"g()\n{\n\twork(2);\n}\nf()\n{\n\t/* new */\n\twork(1);\n}\n", split,
		"5 6 8 - - - - 9");
}

static void
lines_outside_of_the_map_stay(void)
{
	struct line_map map = {0};

	CU_ASSERT_EQUAL(line_map_find(&map, 0).first, 0);
	CU_ASSERT_EQUAL(line_map_find(&map, UINT32_MAX).last, UINT32_MAX);
}

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

void
suite_analysis_line_map(void)
{
	static const struct unit_case cases[] = {
		{"lines_below_an_added_one_move", lines_below_an_added_one_move},
		{"a_changed_line_is_the_one_in_its_place", a_changed_line_is_the_one_in_its_place},
		{"indentation_is_no_change", indentation_is_no_change},
		{"a_changed_line_is_found_by_its_words", a_changed_line_is_found_by_its_words},
		{"a_line_that_was_split_is_several", a_line_that_was_split_is_several},
		{"joined_lines_are_one", joined_lines_are_one},
		{"a_removed_line_is_gone", a_removed_line_is_gone},
		{"a_line_that_moved_is_found", a_line_that_moved_is_found},
		{"a_function_that_moved_is_compared_from_its_declaration",
			a_function_that_moved_is_compared_from_its_declaration},
		{"lines_outside_of_the_map_stay", lines_outside_of_the_map_stay},
		{"lines_are_safe_and_without_tabs", lines_are_safe_and_without_tabs},
		{"folder_holds_the_end_of_the_path", folder_holds_the_end_of_the_path},
		{"a_pipe_is_no_source", a_pipe_is_no_source},
		{NULL, NULL},
	};

	unit_suite("analysis/line_map", cases);
}
