/*
 * The module (program or library) of this process that an address is in, and its unwind table.
 */
#ifndef SHIM_FRAME_MODULE_H
#define SHIM_FRAME_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A module's code, and its sorted table of functions (LSB Core 5.0, section 10.6.2). */
struct frame_module {
	uintptr_t start;
	uintptr_t end;
	const unsigned char *table; /* .eh_frame_hdr, relocated; NULL: it has none */
	size_t table_bytes;
};

/* The module that an address is in; false where the loader knows none. */
bool frame_module_find(uintptr_t pc, struct frame_module *module);
/* The number of modules that were unloaded so far. */
uint64_t frame_modules_unloaded(void);

/* The entry of .eh_frame for the function that holds `pc`; NULL where the table has none. */
const unsigned char *frame_entry_find(const struct frame_module *module, uintptr_t pc);

#endif
