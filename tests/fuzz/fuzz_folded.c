/*
 * Any text: an error, or a profile that can be written. What was written and read back is written
 * as the same text from then on; the first time, control characters become '?', which may put
 * stacks in another order or join two of them. Not asked of stacks with a '#': one that begins like
 * a header line is read as one.
 */
#include "profile/folded.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Appends the normal form of `text`; false if it is no folded text or has no weight. */
static bool
rewrite(const char *text, size_t len, struct buf *out)
{
	struct err err = {0};
	struct profile profile;
	bool read;

	profile_init(&profile);
	read = folded_read(&profile, "fuzz", text, len, &err) == 0;
	if (read) {
		profile_sort(&profile);
		folded_write(&profile, FOLDED_RUNS, out);
	}
	profile_release(&profile);
	return read;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf first = {0};
	struct buf second = {0};
	struct buf third = {0};

	bool ambiguous = size > 0 && memchr(data, '#', size);

	if (rewrite((const char *)data, size, &first) && !ambiguous &&
		rewrite(first.data, first.len, &second)) {
		if (!rewrite(second.data, second.len, &third))
			abort();
		if (second.len != third.len || memcmp(second.data, third.data, second.len) != 0)
			abort();
	}
	buf_release(&third);
	buf_release(&second);
	buf_release(&first);
	return 0;
}
