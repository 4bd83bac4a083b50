/*
 * The frames of a profile that stand for what symbolizing finds.
 */
#ifndef INGEST_FRAME_OF_SYMBOL_H
#define INGEST_FRAME_OF_SYMBOL_H

#include "profile/profile.h"
#include "symbols/symbolizer.h"

#include <stdbool.h>

/*
 * The frame of `from`, one of the functions at an address whose symbol is `symbol`: what is known
 * of it is filled in where it was not. It is its own for each line in it (at_line).
 * `kernel`: the address is the kernel's.
 */
frame_id frame_of_symbol(struct profile *profile, const struct symbol *symbol,
	const struct symbol_frame *from, bool kernel);

#endif
