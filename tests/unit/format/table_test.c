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

void
suite_format_table(void)
{
	static const struct unit_case cases[] = {
		{"columns_line_up", columns_line_up},
		{"a_table_without_headings_has_no_first_line",
			a_table_without_headings_has_no_first_line},
		{NULL, NULL},
	};

	unit_suite("format/table", cases);
}
