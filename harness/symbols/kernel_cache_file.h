/*
 * Where the cache of the kernel's names is kept and which kernel it is of.
 *
 * One file, $XDG_CACHE_HOME/profile_run/kernel_names or $HOME/.cache/profile_run/kernel_names,
 * which only the user may read: it tells addresses of the kernel. Nothing here is ever an error:
 * without a usable file names are read from /proc/kallsyms.
 */
#ifndef SYMBOLS_KERNEL_CACHE_FILE_H
#define SYMBOLS_KERNEL_CACHE_FILE_H

#include "base/hash.h"
#include "elf/symtab.h"
#include "symbols/kernel_cache.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kernel_access {
	KERNEL_HIDDEN,  /* /proc/kallsyms tells this process no addresses */
	KERNEL_KEYED,   /* it does, and the key stands */
	KERNEL_KEYLESS, /* it does, but what is running cannot be told, or is just changing */
};

/*
 * Finds out what the names of the running kernel are at this moment: the key is a hash of the boot,
 * of the start of /proc/kallsyms, and of each module's name, size, address and loading.
 */
enum kernel_access kernel_cache_key(char key[HASH_TEXT_SIZE]);

/* The file's path, its folder made and the user's own; NULL if there is to be no cache. free() it.
 */
char *kernel_cache_path(void);

/* A cache in a mapped file. */
struct kernel_cache_file {
	struct kernel_cache cache;
	void *map; /* NULL if there is none */
	size_t map_bytes;
};

/* False where the file is missing, not the user's alone to write, damaged, or of another key. */
bool kernel_cache_open(
	struct kernel_cache_file *file, const char *path, const char key[HASH_TEXT_SIZE]);
void kernel_cache_close(struct kernel_cache_file *file);

/* Keeps `tab` in place of what was there, if that can be done. */
void kernel_cache_store(
	const char *path, const struct symtab *tab, uint64_t text, const char key[HASH_TEXT_SIZE]);

#endif
