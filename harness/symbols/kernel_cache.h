/*
 * The kernel's names in a form that needs no parsing: a table that is mapped from a file and
 * searched where it lies.
 *
 * It answers only for addresses whose name cannot change while the kernel runs with the modules it
 * has: code of the kernel itself and of its modules. What comes and goes meanwhile (BPF programs,
 * trampolines of ftrace and kprobes) is not in it, nor is the room between modules where it may
 * appear: for these the caller asks /proc/kallsyms.
 *
 * The bytes are input like any other: kernel_cache_use() checks all that a search relies on.
 */
#ifndef SYMBOLS_KERNEL_CACHE_H
#define SYMBOLS_KERNEL_CACHE_H

#include "base/buf.h"
#include "base/hash.h"
#include "elf/symtab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_cache {
	const unsigned char *entries; /* borrowed, as is `names`; NULL while there is none */
	const char *names;
	size_t count;
	size_t names_bytes;
	uint64_t base; /* what the entries' starts count from */
	uint64_t text; /* the address of _text; 0 if not known */
};

/*
 * Appends the cached form of `tab`, a settled table of the kernel's. `text` is the address of
 * _text, `key` says of which kernel and modules this is. False, and nothing appended, where there
 * is nothing to keep or the addresses lie more than 4 GiB apart.
 */
bool kernel_cache_build(
	const struct symtab *tab, uint64_t text, const char key[HASH_TEXT_SIZE], struct buf *out);

/*
 * Makes `len` bytes, borrowed for as long as `cache` and the names found are in use, the table that
 * is searched. False, and an empty cache, unless they are whole, unchanged and of this `key`.
 */
bool kernel_cache_use(
	struct kernel_cache *cache, const void *bytes, size_t len, const char key[HASH_TEXT_SIZE]);

/*
 * Finds what symtab_find() would in the whole table and fills `found` in: false where that is not
 * certain. Its name and module are the cache's.
 */
bool kernel_cache_find(
	const struct kernel_cache *cache, uint64_t address, struct symtab_entry *found);

/* Writes `key` and the right checksum into bytes that may be a cache's: for tests. */
void kernel_cache_seal(void *bytes, size_t len, const char key[HASH_TEXT_SIZE]);

#endif
