#include "process/child_io.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *key;
	size_t offset;
} io_lines[] = {
	{"rchar: ", offsetof(struct child_io, read_bytes)},
	{"wchar: ", offsetof(struct child_io, write_bytes)},
	{"syscr: ", offsetof(struct child_io, read_calls)},
	{"syscw: ", offsetof(struct child_io, write_calls)},
	{"read_bytes: ", offsetof(struct child_io, storage_read_bytes)},
	{"write_bytes: ", offsetof(struct child_io, storage_write_bytes)},
};

/* The line with this key; NULL where there is none. */
static const char *
find_line(const char *text, const char *key)
{
	while (text && strncmp(text, key, strlen(key)) != 0) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return text;
}

bool
child_io_parse(const char *text, struct child_io *io)
{
	for (size_t i = 0; i < sizeof(io_lines) / sizeof(io_lines[0]); i++) {
		const char *line = find_line(text, io_lines[i].key);
		uint64_t *into = (void *)((char *)io + io_lines[i].offset);
		char *end;

		if (!line)
			return false;
		line += strlen(io_lines[i].key);
		*into = strtoull(line, &end, 10);
		if (end == line || *end != '\n')
			return false;
	}
	return true;
}

size_t
child_io_read_own(struct child_io *io)
{
	char text[512];
	int fd = open("/proc/self/io", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	ssize_t len = read(fd, text, sizeof(text) - 1);

	close(fd);
	if (len <= 0)
		return 0;
	text[len] = '\0';
	return child_io_parse(text, io) ? (size_t)len : 0;
}
