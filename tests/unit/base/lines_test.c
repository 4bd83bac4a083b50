#include "base/lines.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void suite_base_lines(void);

static void
expect_lines(const char *text, const char *const *expected)
{
	struct file_view view = {.data = text, .len = strlen(text)};
	struct lines lines;
	struct line line;
	struct err err = {0};
	unsigned n = 0;

	lines_init(&lines, &view);
	for (; expected[n]; n++) {
		CU_ASSERT_EQUAL_FATAL(lines_next(&lines, &line, &err), 1);
		CU_ASSERT_EQUAL(line.len, strlen(expected[n]));
		CU_ASSERT_EQUAL(memcmp(line.at, expected[n], line.len), 0);
		CU_ASSERT_EQUAL(lines.number, n + 1);
	}
	CU_ASSERT_EQUAL(lines_next(&lines, &line, &err), 0);
}

static void
lines_are_what_stands_between_newlines(void)
{
	expect_lines("a\nbc\n\nd", (const char *const[]){"a", "bc", "", "d", NULL});
	expect_lines("\n", (const char *const[]){"", NULL});
	expect_lines("", (const char *const[]){NULL});
}

static void
byte_order_marks_and_carriage_returns_are_no_text(void)
{
	expect_lines("\xef\xbb\xbf"
		     "a\r\nb\xef\xbb\xbf\r\r\n\xef\xbb\xbf"
		     "c\r",
		(const char *const[]){"a", "b\xef\xbb\xbf", "c", NULL});
	expect_lines("\r\n\xef\xbb\xbf", (const char *const[]){"", "", NULL});
	expect_lines("\xef\xbb", (const char *const[]){"\xef\xbb", NULL});
	expect_lines("a\rb\n", (const char *const[]){"a\rb", NULL});
}

static void
a_location_names_line_and_column(void)
{
	struct file_view view = {.data = "a\nbcd\n", .len = 6};
	struct lines lines;
	struct line line;
	struct err err = {0};

	lines_init(&lines, &view);
	lines_next(&lines, &line, &err);
	lines_next(&lines, &line, &err);
	struct location at = lines_location(&lines, "f", line, line.at + 2);

	CU_ASSERT_EQUAL(at.line, 2);
	CU_ASSERT_EQUAL(at.column, 3);
	CU_ASSERT_EQUAL(at.line_len, 3);
}

/* Each line says its own number, and is longer than what a pipe holds now and then. */
static void
lines_of_a_pipe_arrive_whole(void)
{
	static char filler[300000];
	struct file_view view;
	struct lines lines;
	struct line line;
	struct err err = {0};
	char path[32];
	int ends[2];
	unsigned n = 0;

	memset(filler, '.', sizeof(filler));
	CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
	pid_t child = fork();

	if (child == 0) {
		close(ends[0]);
		FILE *out = fdopen(ends[1], "w");

		for (unsigned i = 0; i < 3000; i++)
			fprintf(out, "%u %.*s\n", i, i % 50 == 7 ? 300000 : (int)(i % 5000),
				filler);
		_exit(fclose(out) != 0);
	}
	close(ends[1]);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
	CU_ASSERT_EQUAL_FATAL(file_view_open_stream(&view, path, &err), 0);
	lines_init(&lines, &view);
	for (; lines_next(&lines, &line, &err) > 0; n++) {
		char expected[16];
		int len = snprintf(expected, sizeof(expected), "%u ", n);

		CU_ASSERT_EQUAL(memcmp(line.at, expected, (size_t)len), 0);
		CU_ASSERT_EQUAL(line.len - (size_t)len, n % 50 == 7 ? 300000 : n % 5000);
		lines_done(&lines, line.at);
	}
	CU_ASSERT_EQUAL(n, 3000);
	file_view_close(&view);
	close(ends[0]);
	waitpid(child, NULL, 0);
}

void
suite_base_lines(void)
{
	static const struct unit_case cases[] = {
		{"lines_are_what_stands_between_newlines", lines_are_what_stands_between_newlines},
		{"byte_order_marks_and_carriage_returns_are_no_text",
			byte_order_marks_and_carriage_returns_are_no_text},
		{"a_location_names_line_and_column", a_location_names_line_and_column},
		{"lines_of_a_pipe_arrive_whole", lines_of_a_pipe_arrive_whole},
		{NULL, NULL},
	};

	unit_suite("base/lines", cases);
}
