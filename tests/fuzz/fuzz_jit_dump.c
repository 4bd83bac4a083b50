/* Any bytes as a jitdump. */
#include "symbols/symbols_internal.h"

#include "jit_pieces_check.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symtab tab = {0};

	jit_dump_parse(&tab, (const char *)data, size);
	/* A record has more bytes than the two pieces that it may cut one into. */
	jit_pieces_check(&tab, size);
	symtab_release(&tab);
	return 0;
}
