/*
 * Any bytes as a jitdump: pieces of its code must lie in order and apart.
 */
#include "symbols/jit_dump.h"

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
	tab = (struct symtab){0};
	jit_dump_parse(&tab, text, size);
	/* A record has more bytes than the two pieces that it may cut one into. */
	if (tab.count > size)
		abort();
	for (size_t i = 0; i < tab.count; i++) {
		const struct symtab_entry *entry = &tab.entries[i];

		if (entry->end <= entry->start || symtab_find(&tab, entry->start) != entry ||
			(i > 0 && entry[-1].end > entry->start))
			abort();
	}
	symtab_release(&tab);
	free(text);
	return 0;
}
