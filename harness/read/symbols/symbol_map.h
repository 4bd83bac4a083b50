/*
 * A record of what was mapped into an address space: the kernel's or a process's.
 */
#ifndef SYMBOLS_SYMBOL_MAP_H
#define SYMBOLS_SYMBOL_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol_map {
	uint32_t pid;
	uint64_t start;
	uint64_t size;
	uint64_t file_offset;
	const char *path;              /* "[vdso]", "//anon" and the like included */
	const unsigned char *build_id; /* NULL if not known */
	size_t build_id_len;
	uint64_t inode; /* 0 if not known */
	bool kernel;    /* a map of the kernel or of one of its modules */
	bool data;      /* it was not to be executed */
};

#endif
