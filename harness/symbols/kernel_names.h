/*
 * The running kernel's names, from /proc/kallsyms.
 */
#ifndef SYMBOLS_KERNEL_NAMES_H
#define SYMBOLS_KERNEL_NAMES_H

#include "symbols/symtab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_names {
	struct symtab tab;
	bool readable;     /* names with addresses were there */
	uint64_t text;     /* the address of _text, which moves at each boot */
	char release[128]; /* as uname -r */
	unsigned char build_id[32];
	size_t build_id_len;
};

void kernel_names_init(struct kernel_names *kernel);
void kernel_names_release(struct kernel_names *kernel);

/* Reads a table in the format of /proc/kallsyms. */
void kernel_names_parse(struct kernel_names *kernel, const char *text, size_t len);
/* Reads the running kernel's release and build-id: at once. */
void kernel_names_identify(struct kernel_names *kernel);
/* Reads the running kernel's names, which takes it some 30 ms to write. */
void kernel_names_load(struct kernel_names *kernel);

#endif
