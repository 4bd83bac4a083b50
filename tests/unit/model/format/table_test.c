#include "format/table.h"

#include "unit.h"

void suite_format_table(void);

static void
columns_line_up(void)
{
	static const struct table_column columns[] = {
		{.heading = "name"}, {.heading = "n", .right = true}, {.heading = "note"}};
	struct table table;
	struct buf out = {0};

	table_init(&table, columns, 3);
	table_put(&table, "\xe6\x97\xa5");
	table_put(&table, "7");
	table_put(&table, "x");
	table_put(&table, "longer");
	table_put(&table, "1234");
	table_put(&table, "");
	table_write(&table, 1, &out);
	UNIT_STR_EQ(buf_text(&out), " name       n  note\n"
				    " \xe6\x97\xa5         7  x\n"
				    " longer  1234\n");
	table_release(&table);
	buf_release(&out);
}

static void
a_table_without_headings_has_no_first_line(void)
{
	static const struct table_column columns[] = {{.max_columns = 5}, {.right = true}};
	struct table table;
	struct buf out = {0};

	table_init(&table, columns, 2);
	table_put(&table, "abcdefghij");
	table_put(&table, "1");
	table_write(&table, 0, &out);
	UNIT_STR_EQ(buf_text(&out), "a...j  1\n");
	table_release(&table);
	buf_release(&out);
}

/* The unit of a file is one. */
static void
headings_are_made_safe(void)
{
	static const struct table_column columns[] = {{.heading = "a\033[2J\nb"}, {.heading = "n"}};
	struct table table;
	struct buf out = {0};

	table_init(&table, columns, 2);
	table_put(&table, "x");
	table_put(&table, "1");
	table_write(&table, 0, &out);
	UNIT_STR_EQ(buf_text(&out), "a\xef\xbf\xbd[2J\xef\xbf\xbd"
				    "b  n\n"
				    "x        1\n");
	table_release(&table);
	buf_release(&out);
}

static void
names_that_are_shortened_stay_distinct(void)
{
	static const struct table_column columns[] = {{.max_columns = 24}, {.right = true}};
	struct table table;
	struct buf out = {0};

	table_init(&table, columns, 2);
	table_put(&table, "std::vector<first_type, std::allocator>::push_back");
	table_put(&table, "1");
	table_put(&table, "std::vector<other_type, std::allocator>::push_back");
	table_put(&table, "2");
	table_put(&table, "/srv/project/a/folder/of/some/depth/file.c");
	table_put(&table, "3");
	table_put(&table, "/srv/project/b/folder/of/some/depth/file.c");
	table_put(&table, "4");
	table_put(&table, "/srv/project/b/folder/of/some/depth/file.c");
	table_put(&table, "5");
	table_write(&table, 0, &out);
	UNIT_STR_EQ(buf_text(&out), "...or<first_...push_back  1\n"
				    "...or<other_...push_back  2\n"
				    "...ct/a/fold...th/file.c  3\n"
				    "...ct/b/fold...th/file.c  4\n"
				    "...ct/b/fold...th/file.c  5\n");
	table_release(&table);
	buf_release(&out);
}

static void
a_table_without_rows_is_nothing(void)
{
	static const struct table_column columns[] = {{"name", false, 0}, {"n", true, 0}};
	struct table table;
	struct buf out = {0};

	table_init(&table, columns, 2);
	table_write(&table, 2, &out);
	CU_ASSERT_EQUAL(out.len, 0);
	table_release(&table);
	buf_release(&out);
}

void
suite_format_table(void)
{
	static const struct unit_case cases[] = {
		{"columns_line_up", columns_line_up},
		{"a_table_without_headings_has_no_first_line",
			a_table_without_headings_has_no_first_line},
		{"headings_are_made_safe", headings_are_made_safe},
		{"names_that_are_shortened_stay_distinct", names_that_are_shortened_stay_distinct},
		{"a_table_without_rows_is_nothing", a_table_without_rows_is_nothing},
		{NULL, NULL},
	};

	unit_suite("format/table", cases);
}
