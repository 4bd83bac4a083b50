/*
 * The cache of one session: modules with their names, and unwind rows by module.
 */
#ifndef INGEST_INGEST_CACHE_H
#define INGEST_INGEST_CACHE_H

#include "ingest/ingest.h"
#include "symbols/symbolizer.h"
#include "unwind/unwind_table.h"

struct module;

struct ingest_cache {
	struct symbol_cache *symbols;
	struct kept_table *tables;
	size_t ntables;
	size_t tables_capacity;
};

/*
 * The unwind rows of `file`, mapped in `symbolizer`; made at the first call. NULL where it has
 * none.
 */
struct unwind_table *ingest_cache_rows(struct ingest_cache *cache, struct symbolizer *symbolizer,
	const struct unwind_machine *machine, struct mapped_file *file);

#endif
