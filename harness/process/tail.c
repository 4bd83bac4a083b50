#include "process/tail.h"

#include <string.h>

void
tail_put(struct tail *tail, const char *bytes, size_t len)
{
	if (len > TAIL_MAX) {
		tail->cut = true;
		bytes += len - TAIL_MAX;
		len = TAIL_MAX;
		tail->len = 0;
	} else if (tail->len + len > sizeof(tail->bytes)) {
		size_t keep = TAIL_MAX < tail->len ? TAIL_MAX : tail->len;

		tail->cut = tail->cut || keep < tail->len;
		memmove(tail->bytes, tail->bytes + tail->len - keep, keep);
		tail->len = keep;
	}
	memcpy(tail->bytes + tail->len, bytes, len);
	tail->len += len;
}

void
tail_text(const struct tail *tail, char *text, size_t size)
{
	const char *start = tail->bytes;
	size_t len = tail->len;
	size_t most = size - 1 < TAIL_MAX ? size - 1 : TAIL_MAX;
	bool cut = tail->cut;

	while (len > 0 && start[len - 1] == '\n')
		len--;
	if (len > most) {
		start += len - most;
		len = most;
		cut = true;
	}
	const char *newline = cut ? memchr(start, '\n', len) : NULL;

	if (newline) {
		len -= (size_t)(newline + 1 - start);
		start = newline + 1;
	}
	memcpy(text, start, len);
	text[len] = '\0';
}
