/* Any text: an error, or a profile that is written and read back as the same text. */
#include "profile/folded.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
write_columns(struct profile *profile, struct buf *out)
{
	profile_sort(profile);
	folded_write(profile, FOLDED_RUNS, out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = {0};
	struct profile first;
	struct profile second;
	struct buf once = {0};
	struct buf again = {0};

	profile_init(&first);
	profile_init(&second);
	if (folded_read(&first, "fuzz", (const char *)data, size, &err) == 0) {
		write_columns(&first, &once);
		/* Stacks of zero weight are left out, so there may be none to read back. */
		if (folded_read(&second, "again", buf_text(&once), once.len, &err) == 0) {
			write_columns(&second, &again);
			if (once.len != again.len || memcmp(once.data, again.data, once.len) != 0)
				abort();
		}
	}
	buf_release(&again);
	buf_release(&once);
	profile_release(&second);
	profile_release(&first);
	return 0;
}
