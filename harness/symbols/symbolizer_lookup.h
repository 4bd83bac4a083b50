/*
 * Inside of the symbolizer: what its other parts have to know of its state.
 */
#ifndef SYMBOLS_SYMBOLIZER_LOOKUP_H
#define SYMBOLS_SYMBOLIZER_LOOKUP_H

#include "symbols/symbolizer.h"

/* What symbolizer_set_inlining() said last. */
bool symbolizer_has_inlining(const struct symbolizer *symbolizer);

#endif
