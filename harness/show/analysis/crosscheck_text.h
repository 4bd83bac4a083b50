/*
 * What crosscheck.h computes, as text.
 */
#ifndef ANALYSIS_CROSSCHECK_TEXT_H
#define ANALYSIS_CROSSCHECK_TEXT_H

#include "analysis/crosscheck.h"
#include "base/buf.h"

#include <stddef.h>

/*
 * Appends a table of the `top` functions with the largest share by any side (0: up to 15 that are
 * worth a line), and with two sides or more the differences and a table of how far each pair
 * agrees.
 */
void crosscheck_write(const struct crosscheck *crosscheck, size_t top, struct buf *out);

#endif
