#include "base/buf.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

void suite_base_buf(void);

static void
numbers_are_written_shortest_and_exact(void)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {{0, "0"}, {12, "12"}, {0.1, "0.1"}, {1.0 / 3, "0.3333333333333333"},
		{9007199254740991.0, "9007199254740991"}, {-2.5, "-2.5"}};
	struct buf out = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		buf_clear(&out);
		buf_put_number(&out, cases[i].value);
		UNIT_STR_EQ(buf_text(&out), cases[i].text);
		CU_ASSERT_EQUAL(strtod(buf_text(&out), NULL), cases[i].value);
	}
	buf_release(&out);
}

static void
a_buffer_is_always_terminated(void)
{
	struct buf out = {0};

	UNIT_STR_EQ(buf_text(&out), "");
	buf_put(&out, "abc", 2);
	UNIT_STR_EQ(buf_text(&out), "ab");
	buf_put_zeros(&out, 3);
	CU_ASSERT_EQUAL(out.len, 5);
	buf_printf(&out, "%d", 42);
	UNIT_STR_EQ(out.data + 5, "42");
	buf_clear(&out);
	UNIT_STR_EQ(buf_text(&out), "");
	buf_release(&out);
}

static void
what_is_reserved_is_not_moved(void)
{
	struct buf out = {0};

	buf_reserve(&out, 5000);
	UNIT_NEED(out.data);
	UNIT_STR_EQ(buf_text(&out), "");
	const char *place = out.data;

	for (int i = 0; i < 5000; i++)
		buf_putc(&out, 'x');
	CU_ASSERT_PTR_EQUAL(out.data, place);
	CU_ASSERT_EQUAL(strlen(buf_text(&out)), 5000);
	buf_reserve(&out, 100000);
	CU_ASSERT_EQUAL(out.len, 5000);
	CU_ASSERT_EQUAL(strlen(buf_text(&out)), 5000);
	buf_release(&out);
}

static void
what_is_printed_may_be_longer_than_the_room(void)
{
	struct buf out = {0};

	for (int width = 0; width < 300; width += 7) {
		buf_clear(&out);
		buf_printf(&out, "%*s|%s", width, "", width % 2 ? "odd" : "");
		CU_ASSERT_EQUAL(out.len, (size_t)width + 1 + (width % 2 ? 3 : 0));
		CU_ASSERT_EQUAL(strlen(buf_text(&out)), out.len);
	}
	buf_printf(&out, "%s", "");
	CU_ASSERT_EQUAL(strlen(buf_text(&out)), out.len);
	buf_release(&out);
}

void
suite_base_buf(void)
{
	static const struct unit_case cases[] = {
		{"numbers_are_written_shortest_and_exact", numbers_are_written_shortest_and_exact},
		{"a_buffer_is_always_terminated", a_buffer_is_always_terminated},
		{"what_is_reserved_is_not_moved", what_is_reserved_is_not_moved},
		{"what_is_printed_may_be_longer_than_the_room",
			what_is_printed_may_be_longer_than_the_room},
		{NULL, NULL},
	};

	unit_suite("base/buf", cases);
}
