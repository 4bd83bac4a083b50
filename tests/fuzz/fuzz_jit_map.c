/*
 * Any bytes as a JIT's map, whose pieces must lie in order and apart, and hold the name of the last
 * line about them; and as /proc/PID/status.
 */
#include "symbols/jit_map.h"
#include "symbols/jit_names.h"

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
	jit_names_inner_pid(text);
	tab = (struct symtab){0};
	jit_map_parse(&tab, text, size);
	/* A line has at least five bytes, and cuts one piece in two. */
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
