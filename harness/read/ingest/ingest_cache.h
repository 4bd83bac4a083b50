/*
 * The cache that all captures of a session share: modules with their names, unwind rows by module,
 * and unwinders with the frames that they know.
 */
#ifndef INGEST_INGEST_CACHE_H
#define INGEST_INGEST_CACHE_H

#include "unwind/unwind_machine.h"

#include <stdbool.h>
#include <stddef.h>

struct kept_table;
struct mapped_file;
struct symbol_cache;
struct symbolizer;
struct unwind_table;
struct unwinder;

struct ingest_cache {
	struct symbol_cache *symbols;
	struct kept_table *tables;
	size_t ntables;
	size_t tables_capacity;
	struct unwinder **unwinders; /* that nobody uses now */
	size_t nunwinders;
	size_t unwinders_capacity;
};

struct ingest_cache *ingest_cache_new(void);
void ingest_cache_free(struct ingest_cache *cache);
/* Fetches missing debug files from debuginfod servers. */
void ingest_cache_set_debuginfod(struct ingest_cache *cache, bool on);
/* Looks for programs, their debug files and the kernel's below this folder. */
void ingest_cache_set_root(struct ingest_cache *cache, const char *root);
/* Warns of files that could not be used and why, a line each; only of the first of many. */
void ingest_cache_warn(const struct ingest_cache *cache);

/*
 * The unwind rows of `file`, mapped in `symbolizer`; made at the first call. NULL where it has
 * none.
 */
struct unwind_table *ingest_cache_rows(struct ingest_cache *cache, struct symbolizer *symbolizer,
	const struct unwind_machine *machine, struct mapped_file *file);

/*
 * An unwinder for this machine, kept from a capture before or new; it is given back by
 * ingest_cache_keep_unwinder(). Its rows are to be those of this cache.
 */
struct unwinder *ingest_cache_unwinder(
	struct ingest_cache *cache, const struct unwind_machine *machine);
void ingest_cache_keep_unwinder(struct ingest_cache *cache, struct unwinder *unwinder);

#endif
