/*
 * The debug information of a module, opened when what was inlined into its code is first asked for.
 */
#ifndef SYMBOLS_MODULE_INLINES_H
#define SYMBOLS_MODULE_INLINES_H

#include "dwarf/inlines.h"

struct module;
struct module_inlines;

/*
 * The functions at `offset` of the file of `module`: see inlines_find(). 0 also where it has no
 * debug information, or is no longer what it was when its names were read.
 */
size_t module_inlines_find(
	struct module *module, uint64_t offset, struct inline_frame *frames, size_t max);
/* A note on what was missing so far, free() it; NULL if nothing was, or it was told before. */
char *module_inlines_note(struct module *module);
void module_inlines_close(struct module_inlines *inlines);

#endif
