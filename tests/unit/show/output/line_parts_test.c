#include "output/line_parts.h"

#include "unit.h"

void suite_output_line_parts(void);

static void
expect_words(const char *text, size_t columns, const char *wanted)
{
	struct buf out = {0};

	line_put_words(&out, text, columns);
	CU_ASSERT_STRING_EQUAL(buf_text(&out), wanted);
	CU_ASSERT(line_columns(buf_text(&out)) <= columns);
	buf_release(&out);
}

static void
a_text_ends_behind_a_word(void)
{
	expect_words("one two three", 13, "one two three");
	expect_words("one two three", 12, "one two ...");
	expect_words("one two three", 11, "one two ...");
	expect_words("one two three", 10, "one ...");
}

static void
a_path_loses_its_middle(void)
{
	const char *path = "'build/release/project/library/libparse.so.1'";
	struct buf text = {0};
	struct buf out = {0};

	buf_printf(&text, "the base, too, loads %s", path);
	line_put_words(&out, buf_text(&text), 60);
	CU_ASSERT(line_columns(buf_text(&out)) <= 60);
	UNIT_CONTAINS(buf_text(&out), "loads 'build/");
	UNIT_CONTAINS(buf_text(&out), "libparse.so.1'");
	buf_clear(&out);
	line_put_words(&out, path, 30);
	CU_ASSERT(line_columns(buf_text(&out)) <= 30);
	UNIT_CONTAINS(buf_text(&out), ".so.1'");
	buf_release(&text);
	buf_release(&out);
}

static void
clauses_are_dropped_from_the_end(void)
{
	struct buf text = {0};

	buf_puts(&text, "a.c:7 +58.0 ms, b.c:9 +6.40 ms, other lines +1.00 ms");
	line_drop_clauses(&text, 100);
	CU_ASSERT_STRING_EQUAL(
		buf_text(&text), "a.c:7 +58.0 ms, b.c:9 +6.40 ms, other lines +1.00 ms");
	line_drop_clauses(&text, 31);
	CU_ASSERT_STRING_EQUAL(buf_text(&text), "a.c:7 +58.0 ms, b.c:9 +6.40 ms");
	line_drop_clauses(&text, 5);
	CU_ASSERT_STRING_EQUAL(buf_text(&text), "a.c:7 +58.0 ms");
	buf_release(&text);
}

static void
a_part_is_added_where_there_is_room(void)
{
	struct line_parts parts = {.room = 10};

	CU_ASSERT_TRUE(line_parts_add(&parts, "; ", "one"));
	CU_ASSERT_FALSE(line_parts_add(&parts, "; ", "twelve"));
	CU_ASSERT_FALSE(line_parts_add(&parts, "; ", ""));
	CU_ASSERT_TRUE(line_parts_add(&parts, "; ", "three"));
	CU_ASSERT_STRING_EQUAL(buf_text(&parts.line), "one; three");
	buf_release(&parts.line);
}

void
suite_output_line_parts(void)
{
	static const struct unit_case cases[] = {
		{"a_text_ends_behind_a_word", a_text_ends_behind_a_word},
		{"a_path_loses_its_middle", a_path_loses_its_middle},
		{"clauses_are_dropped_from_the_end", clauses_are_dropped_from_the_end},
		{"a_part_is_added_where_there_is_room", a_part_is_added_where_there_is_room},
		{NULL, NULL},
	};

	unit_suite("output/line_parts", cases);
}
