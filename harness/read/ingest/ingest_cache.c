#include "ingest/ingest_cache.h"

#include "base/log.h"
#include "base/mem.h"
#include "symbols/spaces.h"
#include "symbols/symbolizer.h"
#include "unwind/unwind_table.h"
#include "unwind/unwinder.h"

#include <stdlib.h>

/* Notes about modules that are shown in full; a capture of another machine has a hundred. */
#define NOTES_SHOWN 8

/* The rows of one module, NULL where it has none; of the vDSO where `module` is NULL. */
struct kept_table {
	const struct module *module;
	struct unwind_table *table;
};

struct ingest_cache *
ingest_cache_new(void)
{
	struct ingest_cache *cache = mem_zalloc(1, sizeof(*cache));

	cache->symbols = symbol_cache_new();
	return cache;
}

void
ingest_cache_free(struct ingest_cache *cache)
{
	if (!cache)
		return;
	for (size_t i = 0; i < cache->nunwinders; i++)
		unwinder_free(cache->unwinders[i]);
	free(cache->unwinders);
	for (size_t i = 0; i < cache->ntables; i++)
		unwind_table_free(cache->tables[i].table);
	free(cache->tables);
	symbol_cache_free(cache->symbols);
	free(cache);
}

void
ingest_cache_set_debuginfod(struct ingest_cache *cache, bool on)
{
	symbol_cache_set_debuginfod(cache->symbols, on);
}

void
ingest_cache_set_root(struct ingest_cache *cache, const char *root)
{
	symbol_cache_set_root(cache->symbols, root);
}

void
ingest_cache_warn(const struct ingest_cache *cache)
{
	size_t count = symbol_cache_nnotes(cache->symbols);

	for (size_t i = 0; i < count && i < NOTES_SHOWN; i++)
		log_warn("%s", symbol_cache_note(cache->symbols, i));
	if (count > NOTES_SHOWN)
		log_warn("and %zu more warnings of this kind", count - NOTES_SHOWN);
}

static const struct kept_table *
find(const struct ingest_cache *cache, const struct module *module)
{
	for (size_t i = 0; i < cache->ntables; i++)
		if (cache->tables[i].module == module)
			return &cache->tables[i];
	return NULL;
}

struct unwind_table *
ingest_cache_rows(struct ingest_cache *cache, struct symbolizer *symbolizer,
	const struct unwind_machine *machine, struct mapped_file *file)
{
	const struct module *module = symbolizer_module(symbolizer, file);
	const struct kept_table *kept = find(cache, module);
	struct unwind_table *table = NULL;
	struct elf_image image;
	struct elf_image debug;

	if (kept)
		return kept->table;
	if (symbolizer_open_image(symbolizer, file, &image, &debug))
		table = unwind_table_new(machine, &image, &debug);
	cache->tables = mem_grow(
		cache->tables, &cache->tables_capacity, cache->ntables + 1, sizeof(*cache->tables));
	cache->tables[cache->ntables++] = (struct kept_table){module, table};
	return table;
}

struct unwinder *
ingest_cache_unwinder(struct ingest_cache *cache, const struct unwind_machine *machine)
{
	for (size_t i = 0; i < cache->nunwinders; i++) {
		struct unwinder *unwinder = cache->unwinders[i];

		if (unwinder_machine(unwinder) == machine) {
			cache->unwinders[i] = cache->unwinders[--cache->nunwinders];
			return unwinder;
		}
	}
	return unwinder_new(machine);
}

void
ingest_cache_keep_unwinder(struct ingest_cache *cache, struct unwinder *unwinder)
{
	cache->unwinders = mem_grow(cache->unwinders, &cache->unwinders_capacity,
		cache->nunwinders + 1, sizeof(struct unwinder *));
	cache->unwinders[cache->nunwinders++] = unwinder;
}
