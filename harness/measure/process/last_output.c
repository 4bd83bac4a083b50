#include "process/last_output.h"

#include <string.h>

void
last_output_put(struct last_output *last, const char *bytes, size_t len)
{
	if (len > LAST_OUTPUT_MAX) {
		last->cut = true;
		bytes += len - LAST_OUTPUT_MAX;
		len = LAST_OUTPUT_MAX;
		last->len = 0;
	} else if (last->len + len > sizeof(last->bytes)) {
		size_t keep = LAST_OUTPUT_MAX < last->len ? LAST_OUTPUT_MAX : last->len;

		last->cut = last->cut || keep < last->len;
		memmove(last->bytes, last->bytes + last->len - keep, keep);
		last->len = keep;
	}
	memcpy(last->bytes + last->len, bytes, len);
	last->len += len;
}

void
last_output_text(const struct last_output *last, char *text, size_t size)
{
	const char *start = last->bytes;
	size_t len = last->len;
	size_t most = size - 1 < LAST_OUTPUT_MAX ? size - 1 : LAST_OUTPUT_MAX;
	bool cut = last->cut;

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
