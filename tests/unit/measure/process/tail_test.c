#include "process/child.h"

#include "unit.h"

#include <stdio.h>

void suite_process_tail(void);

static void
short_text_is_kept_whole(void)
{
	struct last_output last = {.len = 0};
	char text[LAST_OUTPUT_MAX + 1];

	last_output_put(&last, "one\n", 4);
	last_output_put(&last, "two\n\n", 5);
	last_output_text(&last, text, sizeof(text));
	UNIT_STR_EQ(text, "one\ntwo");
}

static void
long_text_keeps_its_last_whole_lines(void)
{
	struct last_output last = {.len = 0};
	char text[LAST_OUTPUT_MAX + 1];
	char line[32];

	for (int i = 0; i < 10000; i++) {
		int len = snprintf(line, sizeof(line), "line %d\n", i);

		last_output_put(&last, line, (size_t)len);
	}
	last_output_text(&last, text, sizeof(text));
	CU_ASSERT_TRUE(strlen(text) > LAST_OUTPUT_MAX - 20);
	CU_ASSERT_EQUAL(strncmp(text, "line 9", 6), 0);
	UNIT_STR_EQ(text + strlen(text) - 9, "line 9999");
}

static void
one_huge_write_is_cut_at_a_line(void)
{
	static char huge[100000];
	struct last_output last = {.len = 0};
	char text[LAST_OUTPUT_MAX + 1];

	memset(huge, 'x', sizeof(huge));
	huge[sizeof(huge) - 5] = '\n';
	last_output_put(&last, huge, sizeof(huge));
	last_output_text(&last, text, sizeof(text));
	UNIT_STR_EQ(text, "xxxx");
}

/* Where the front was cut shows in the text, not in how many pieces it came in. */
static void
a_line_without_its_beginning_is_left_out(void)
{
	static const char end[] = "\nlast\n";
	static char text[3000];
	char kept[LAST_OUTPUT_MAX + 1];

	memset(text, 'x', sizeof(text));
	for (size_t i = 0; i < strlen(end); i++)
		text[sizeof(text) - strlen(end) + i] = end[i];
	for (size_t piece = 1; piece <= sizeof(text); piece++) {
		struct last_output last = {.len = 0};

		for (size_t at = 0; at < sizeof(text); at += piece) {
			size_t left = sizeof(text) - at;

			last_output_put(&last, text + at, piece < left ? piece : left);
		}
		last_output_text(&last, kept, sizeof(kept));
		UNIT_STR_EQ(kept, "last");
	}
}

static void
small_room_is_respected(void)
{
	struct last_output last = {.len = 0};
	char text[6];

	last_output_put(&last, "abcdefgh", 8);
	last_output_text(&last, text, sizeof(text));
	UNIT_STR_EQ(text, "defgh");
}

static const struct unit_case cases[] = {
	{"short_text_is_kept_whole", short_text_is_kept_whole},
	{"long_text_keeps_its_last_whole_lines", long_text_keeps_its_last_whole_lines},
	{"one_huge_write_is_cut_at_a_line", one_huge_write_is_cut_at_a_line},
	{"a_line_without_its_beginning_is_left_out", a_line_without_its_beginning_is_left_out},
	{"small_room_is_respected", small_room_is_respected},
	{NULL, NULL},
};

void
suite_process_tail(void)
{
	unit_suite("process/tail", cases);
}
