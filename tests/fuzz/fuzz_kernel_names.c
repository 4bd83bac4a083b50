/*
 * Any text as /proc/kallsyms: what is parsed is searched at and around each symbol.
 */
#include "symbols/symbols_internal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
search(struct symtab *tab, uint64_t address, size_t size)
{
	const struct symtab_entry *found = symtab_find(tab, address);

	if (found && (found->start > address ||
			     strlen(found->name) + (found->module ? strlen(found->module) : 0) >
				     2 * size))
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kernel_names kernel;

	kernel = (struct kernel_names){0};
	kernel_names_parse(&kernel, (const char *)data, size);
	for (size_t i = 0; i < kernel.tab.count; i++) {
		const struct symtab_entry *entry = &kernel.tab.entries[i];

		search(&kernel.tab, entry->start - 1, size);
		search(&kernel.tab, entry->start, size);
		search(&kernel.tab, entry->end - 1, size);
		search(&kernel.tab, entry->end, size);
	}
	kernel_names_release(&kernel);
	return 0;
}
