/* Any bytes: their canonical name is shorter where it differs, and is its own canonical name. */
#include "profile/canonical.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf once = {0};
	struct buf twice = {0};
	bool differs = canonical_name((const char *)data, size, &once);

	if (differs ? once.len >= size : once.len != size)
		abort();
	if (canonical_name(buf_text(&once), once.len, &twice))
		abort();
	buf_release(&once);
	buf_release(&twice);
	return 0;
}
