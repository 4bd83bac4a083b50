#include "base/file_view.h"

#include "base/file.h"
#include "base/mem.h"
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

void suite_base_file_view(void);

/* Byte `i` of what goes through the pipe. */
static char
byte_at(size_t i)
{
	return (char)('a' + i % 23);
}

/* A pipe that a child writes `len` bytes into, in pieces; its path for reading. */
static pid_t
open_pipe(size_t len, int *fd, char path[32])
{
	int ends[2];

	CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
	pid_t child = fork();

	if (child == 0) {
		char piece[7777];

		close(ends[0]);
		for (size_t at = 0; at < len;) {
			size_t n = len - at < sizeof(piece) ? len - at : sizeof(piece);

			for (size_t i = 0; i < n; i++)
				piece[i] = byte_at(at + i);
			if (write(ends[1], piece, n) != (ssize_t)n)
				_exit(1);
			at += n;
		}
		_exit(0);
	}
	close(ends[1]);
	*fd = ends[0];
	snprintf(path, 32, "/dev/fd/%d", ends[0]);
	return child;
}

static void
expect_end(pid_t child, int fd)
{
	int status = -1;

	close(fd);
	CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
	CU_ASSERT_EQUAL(status, 0);
}

static void
a_pipe_is_read_whole(void)
{
	const size_t len = 2500000;
	struct file_view view;
	struct err err = {0};
	char path[32];
	int fd;
	pid_t child = open_pipe(len, &fd, path);
	size_t wrong = 0;

	CU_ASSERT_EQUAL_FATAL(file_view_open(&view, path, &err), 0);
	CU_ASSERT_EQUAL_FATAL(view.len, len);
	for (size_t i = 0; i < len; i++)
		wrong += view.data[i] != byte_at(i);
	CU_ASSERT_EQUAL(wrong, 0);
	file_view_close(&view);
	expect_end(child, fd);
}

static void
a_pipe_can_be_read_while_it_is_written(void)
{
	const size_t len = 20000000;
	struct file_view view;
	struct err err = {0};
	char path[32];
	int fd;
	pid_t child = open_pipe(len, &fd, path);
	size_t seen = 0;
	size_t wrong = 0;
	int more;

	CU_ASSERT_EQUAL_FATAL(file_view_open_stream(&view, path, &err), 0);
	CU_ASSERT(view.len >= 65536 && view.len < len);
	size_t there = view.len;
	const char *data = view.data;

	do {
		size_t from = seen;

		for (; seen < there; seen++)
			wrong += view.data[seen] != byte_at(seen);
		file_view_done(&view, from, seen);
		more = file_view_more(&view, &there, &err);
	} while (more > 0);
	CU_ASSERT_EQUAL(more, 0);
	CU_ASSERT_EQUAL(seen, len);
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_PTR_EQUAL(view.data, data);
	/* Again at the end: it stays the end. */
	CU_ASSERT_EQUAL(file_view_more(&view, &there, &err), 0);
	file_view_close(&view);
	expect_end(child, fd);
}

static void
a_file_can_be_read_again_after_it_was_given_back(void)
{
	char path[] = "/tmp/file_view_test.XXXXXX";
	struct file_view view;
	struct err err = {0};
	int fd = mkstemp(path);
	char *bytes = calloc(1, 100000);

	CU_ASSERT_FATAL(fd >= 0 && bytes);
	for (size_t i = 0; i < 100000; i++)
		bytes[i] = byte_at(i);
	CU_ASSERT_EQUAL(write(fd, bytes, 100000), 100000);
	CU_ASSERT_EQUAL_FATAL(file_view_open_stream(&view, path, &err), 0);
	size_t there = view.len;

	CU_ASSERT_EQUAL(there, 100000);
	file_view_done(&view, 0, 70000);
	CU_ASSERT_EQUAL(memcmp(view.data, bytes, there), 0);
	CU_ASSERT_EQUAL(file_view_more(&view, &there, &err), 0);
	file_view_close(&view);
	close(fd);
	unlink(path);
	free(bytes);
}

static void
memory_has_no_more_than_it_has(void)
{
	struct file_view view = {.data = "abc", .len = 3};
	struct err err = {0};
	size_t there = 1;

	CU_ASSERT_EQUAL(file_view_more(&view, &there, &err), 1);
	CU_ASSERT_EQUAL(there, 3);
	CU_ASSERT_EQUAL(file_view_more(&view, &there, &err), 0);
	file_view_done(&view, 0, 3);
	UNIT_STR_EQ(view.data, "abc");
}

static void
an_empty_pipe_is_an_empty_view(void)
{
	struct file_view view;
	struct err err = {0};
	char path[32];
	int fd;
	pid_t child = open_pipe(0, &fd, path);

	CU_ASSERT_EQUAL_FATAL(file_view_open(&view, path, &err), 0);
	CU_ASSERT_EQUAL(view.len, 0);
	file_view_close(&view);
	expect_end(child, fd);
}

void
suite_base_file_view(void)
{
	static const struct unit_case cases[] = {
		{"a_pipe_is_read_whole", a_pipe_is_read_whole},
		{"a_pipe_can_be_read_while_it_is_written", a_pipe_can_be_read_while_it_is_written},
		{"a_file_can_be_read_again_after_it_was_given_back",
			a_file_can_be_read_again_after_it_was_given_back},
		{"memory_has_no_more_than_it_has", memory_has_no_more_than_it_has},
		{"an_empty_pipe_is_an_empty_view", an_empty_pipe_is_an_empty_view},
		{NULL, NULL},
	};

	unit_suite("base/file_view", cases);
}
