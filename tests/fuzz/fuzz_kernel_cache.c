/*
 * Any bytes as the file of kernel names: as they are, under the right key and checksum, and as a
 * text in the format of /proc/kallsyms, whose cache must answer as the table itself does.
 */
#include "symbols/kernel_cache.h"
#include "symbols/kernel_names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define KEY "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void
search(const void *bytes, size_t size)
{
	struct kernel_cache cache;
	struct symtab_entry found;

	if (!kernel_cache_use(&cache, bytes, size, KEY))
		return;
	for (uint64_t i = 0; i < 4096; i++) {
		uint64_t address = cache.base + i * i * i;

		if (kernel_cache_find(&cache, address, &found) &&
			(found.start > address || found.end - found.start > UINT32_MAX ||
				strlen(found.name) + (found.module ? strlen(found.module) : 0) >
					2 * size))
			abort();
	}
}

static void
compare(const struct kernel_cache *cache, const struct symtab *tab, uint64_t address)
{
	const struct symtab_entry *expected = symtab_find(tab, address);
	struct symtab_entry found;

	if (!kernel_cache_find(cache, address, &found))
		return;
	if (!expected || expected->start != found.start ||
		strcmp(expected->name, found.name) != 0 ||
		strcmp(expected->module ? expected->module : "",
			found.module ? found.module : "") != 0)
		abort();
}

static void
keep_and_compare(const char *text, size_t len)
{
	struct kernel_names kernel;
	struct kernel_cache cache;
	struct buf bytes;

	buf_init(&bytes);
	kernel_names_init(&kernel);
	kernel_names_parse(&kernel, text, len);
	if (kernel_cache_build(&kernel.tab, kernel.text, KEY, &bytes)) {
		if (!kernel_cache_use(&cache, bytes.data, bytes.len, KEY))
			abort();
		for (size_t i = 0; i < kernel.tab.count; i++) {
			const struct symtab_entry *entry = &kernel.tab.entries[i];

			compare(&cache, &kernel.tab, entry->start - 1);
			compare(&cache, &kernel.tab, entry->start);
			compare(&cache, &kernel.tab,
				entry->start + (entry->end - entry->start) / 2);
			compare(&cache, &kernel.tab, entry->end - 1);
			compare(&cache, &kernel.tab, entry->end);
		}
	}
	kernel_names_release(&kernel);
	buf_release(&bytes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	if (size > 0)
		memcpy(copy, data, size);
	search(copy, size);
	kernel_cache_seal(copy, size, KEY);
	search(copy, size);
	free(copy);
	keep_and_compare((const char *)data, size);
	return 0;
}
