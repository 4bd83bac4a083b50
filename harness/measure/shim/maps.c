#include "shim/maps.h"

#include "shim/system.h"

#include <string.h>

/* A longer line, of a path that is longer than the kernel allows, is left out. */
#define LINE_MAX_BYTES ((size_t)8192)

static const char *
take_hex(const char *at, const char *end, uintptr_t *value)
{
	*value = 0;
	for (; at < end; at++) {
		unsigned digit = (unsigned)*at - '0';

		if (digit > 9)
			digit = (unsigned)*at - 'a' < 6 ? (unsigned)*at - 'a' + 10 : 16;
		if (digit > 15)
			break;
		*value = *value << 4 | digit;
	}
	return at;
}

/* START-END rwxp ... */
static bool
parse_maps_line(const char *text, size_t len, struct maps_line *line)
{
	const char *end = text + len;
	const char *at = take_hex(text, end, &line->start);

	if (at == end || *at != '-')
		return false;
	at = take_hex(at + 1, end, &line->end);
	if (end - at < 5 || *at != ' ')
		return false;
	line->writable = at[2] == 'w';
	line->executable = at[3] == 'x';
	line->text = text;
	line->len = len;
	return true;
}

/* Takes the whole lines of the buffer; the number of bytes that are left of it, -1 at the end. */
static long
take_lines(char *bytes, size_t len, bool (*take)(void *, const struct maps_line *), void *context)
{
	char *at = bytes;
	char *newline;

	while ((newline = memchr(at, '\n', (size_t)(bytes + len - at)))) {
		struct maps_line line;

		if (parse_maps_line(at, (size_t)(newline - at), &line) && !take(context, &line))
			return -1;
		at = newline + 1;
	}
	size_t left = (size_t)(bytes + len - at);

	memmove(bytes, at, left);
	return left < LINE_MAX_BYTES ? (long)left : 0;
}

void
maps_each(bool (*take)(void *context, const struct maps_line *line), void *context)
{
	const size_t size = 4 * LINE_MAX_BYTES;
	char *bytes = system_zeros(size, false);
	int fd = bytes ? system_open("/proc/self/maps", O_RDONLY, 0) : -1;
	long left = 0;
	long got;

	while (fd >= 0 && left >= 0 &&
		(got = system_read(fd, bytes + left, size - (size_t)left)) > 0)
		left = take_lines(bytes, (size_t)(left + got), take, context);
	if (fd >= 0)
		system_close(fd);
	if (bytes)
		system_unmap(bytes, size);
}
