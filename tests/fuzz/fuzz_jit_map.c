/*
 * Any bytes as a JIT's map, whose pieces must lie in order and apart, and hold the name of the last
 * line about them; and as /proc/PID/status.
 */
#include "base/sysfs.h"
#include "symbols/symbols_internal.h"

#include "jit_pieces_check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symtab tab;
	char *text = malloc(size + 1);

	if (!text)
		abort();
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	sysfs_inner_pid(text);
	tab = (struct symtab){0};
	jit_map_parse(&tab, text, size);
	/* A line has at least five bytes, and cuts one piece in two. */
	jit_pieces_check(&tab, size);
	symtab_release(&tab);
	free(text);
	return 0;
}
