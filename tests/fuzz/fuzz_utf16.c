/* Any bytes as UTF-16: text in UTF-8 of no more than three bytes for each two. */
#include "ingest/ingest_internal.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf text = {0};

	if (utf16_is((const char *)data, size)) {
		utf16_decode((const char *)data, size, &text);
		if (text.len > (size + 1) / 2 * 3)
			abort();
	}
	buf_release(&text);
	return 0;
}
