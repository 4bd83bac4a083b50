/*
 * The running kernel's names, from /proc/kallsyms or from what was kept of it.
 */
#ifndef SYMBOLS_KERNEL_NAMES_H
#define SYMBOLS_KERNEL_NAMES_H

#include "base/buf.h"
#include "elf/symtab.h"
#include "symbols/kernel_cache_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_names {
	struct symtab tab; /* of /proc/kallsyms, once it has been read */
	struct buf lines;  /* where `tab` has its names */
	bool parsed;
	bool loaded; /* kernel_names_load() was called */
	struct kernel_cache_file kept;
	struct symtab_entry found; /* the last answer from `kept` */
	bool readable;             /* names with addresses were there */
	uint64_t text;             /* the address of _text, which moves at each boot */
	char release[128];         /* as uname -r */
	unsigned char build_id[32];
	size_t build_id_len;
};

void kernel_names_init(struct kernel_names *kernel);
void kernel_names_release(struct kernel_names *kernel);

/* Reads a table in the format of /proc/kallsyms. */
void kernel_names_parse(struct kernel_names *kernel, const char *text, size_t len);
/* Reads the running kernel's release and build-id: at once. */
void kernel_names_identify(struct kernel_names *kernel);
/*
 * Finds out whether the running kernel's names can be read, and gets them: from the file that was
 * kept, or from /proc/kallsyms, which takes the kernel some 35 ms to write; they are then kept.
 * Once: later calls do nothing.
 */
void kernel_names_load(struct kernel_names *kernel);

/*
 * The symbol that covers `address`, NULL if none. Where what was kept does not say for certain
 * /proc/kallsyms is read, once. The entry is valid until the next call, its name as long as
 * `kernel`.
 */
struct symtab_entry *kernel_names_find(struct kernel_names *kernel, uint64_t address);

#endif
