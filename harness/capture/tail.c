#include "capture/tail.h"

#include <string.h>

void
tail_put(struct tail *tail, const char *bytes, size_t len)
{
	if (len > TAIL_MAX) {
		/* One more than is kept, so that the cut at the front is seen. */
		bytes += len - TAIL_MAX - 1;
		len = TAIL_MAX + 1;
		tail->len = 0;
	} else if (tail->len + len > sizeof(tail->bytes)) {
		size_t keep = TAIL_MAX < tail->len ? TAIL_MAX : tail->len;

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

	while (len > 0 && start[len - 1] == '\n')
		len--;
	if (len > most) {
		start += len - most;
		len = most;
		const char *newline = memchr(start, '\n', len);

		if (newline) {
			len -= (size_t)(newline + 1 - start);
			start = newline + 1;
		}
	}
	memcpy(text, start, len);
	text[len] = '\0';
}
