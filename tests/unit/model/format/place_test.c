#include "format/place.h"

#include "unit.h"

#include <string.h>
#include <unistd.h>

void suite_format_place(void);

static void
check_path(const char *path, const char *expected)
{
	struct buf out = {0};

	buf_puts(&out, "at ");
	place_put_path(&out, path);
	UNIT_STR_EQ(buf_text(&out) + 3, expected);
	buf_release(&out);
}

static void
dots_are_taken_out_where_that_is_sure(void)
{
	check_path("src/lex.c:120", "src/lex.c:120");
	check_path("/src/build/../lex.c", "/src/lex.c");
	check_path("/a/../b.c", "/b.c");
	check_path("./a/./b.c", "a/b.c");
	check_path("a/../b.c", "b.c");
	check_path("a//b.c", "a/b.c");
	check_path("../../x.c", "../../x.c");
	check_path("../a/../x.c", "../x.c");
	check_path("/", "/");
	check_path("", "");
	check_path("..", "..");
	check_path("/..a/b.c", "/..a/b.c");
}

static void
what_lies_below_the_working_directory_is_relative_to_it(void)
{
	struct buf path = {0};
	char folder[4096];

	CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(folder, sizeof(folder)));
	buf_printf(&path, "%s/build/../src/lex.c:7", folder);
	check_path(buf_text(&path), "src/lex.c:7");
	buf_clear(&path);
	buf_printf(&path, "%sx/lex.c", folder);
	check_path(buf_text(&path), buf_text(&path));
	check_path(folder, folder);
	buf_release(&path);
}

static void
long_hostile_paths_are_taken(void)
{
	struct buf path = {0};
	struct buf out = {0};

	while (path.len < 100000)
		buf_puts(&path, "a/../\xff/");
	place_put_path(&out, buf_text(&path));
	CU_ASSERT_EQUAL(out.len, path.len);
	buf_release(&out);
	buf_release(&path);
}

static void
the_file_stays_when_folders_do_not_fit(void)
{
	static const char file[] = "/usr/src/glibc-2.36/malloc/malloc.c";
	struct buf out = {0};

	place_put(&out, "", 7);
	UNIT_STR_EQ(buf_text(&out), "");
	place_put(&out, file, 0);
	UNIT_STR_EQ(buf_text(&out), file);
	buf_clear(&out);
	place_put(&out, file, 3251);
	UNIT_STR_EQ(buf_text(&out), "/usr/src/glibc-2.36/malloc/malloc.c:3251");
	buf_clear(&out);
	place_fit(&out, file, 3251, 40);
	UNIT_STR_EQ(buf_text(&out), "/usr/src/glibc-2.36/malloc/malloc.c:3251");
	buf_clear(&out);
	place_fit(&out, file, 3251, 26);
	UNIT_STR_EQ(buf_text(&out), ".../malloc/malloc.c:3251");
	buf_clear(&out);
	place_fit(&out, file, 3251, 10);
	CU_ASSERT_TRUE(out.len <= 10);
	buf_release(&out);
}

void
suite_format_place(void)
{
	static const struct unit_case cases[] = {
		{"dots_are_taken_out_where_that_is_sure", dots_are_taken_out_where_that_is_sure},
		{"what_lies_below_the_working_directory_is_relative_to_it",
			what_lies_below_the_working_directory_is_relative_to_it},
		{"long_hostile_paths_are_taken", long_hostile_paths_are_taken},
		{"the_file_stays_when_folders_do_not_fit", the_file_stays_when_folders_do_not_fit},
		{NULL, NULL},
	};

	unit_suite("format/place", cases);
}
