/*
 * The running kernel's names, from /proc/kallsyms.
 */
#ifndef SYMBOLS_KERNEL_NAMES_H
#define SYMBOLS_KERNEL_NAMES_H

#include "base/buf.h"
#include "elf/elf_image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zeros is that of which nothing is known. */
struct kernel_names {
	struct symtab tab; /* of /proc/kallsyms, once it has been read */
	struct buf lines;  /* where `tab` has its names */
	bool loaded;       /* kernel_names_load() was called */
	bool readable;     /* names with addresses were there */
	uint64_t text;     /* the address of _text, which moves at each boot */
	char release[128]; /* as uname -r */
	struct build_id build_id;
};

void kernel_names_release(struct kernel_names *kernel);

/* Reads a table in the format of /proc/kallsyms. */
void kernel_names_parse(struct kernel_names *kernel, const char *text, size_t len);
/* Reads the running kernel's release and build-id: at once. */
void kernel_names_identify(struct kernel_names *kernel);
/*
 * Reads /proc/kallsyms, which takes the kernel some 35 ms to write; `readable` says whether it told
 * addresses. Later calls do nothing.
 */
void kernel_names_load(struct kernel_names *kernel);

#endif
