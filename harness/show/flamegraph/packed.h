/*
 * Numbers as text of few characters, for the data of pictures in a page: 5 bits a character of
 * base64, the low ones first, the sixth bit set if more follow; the sign is the lowest bit (the
 * "Base64 VLQ" of source maps, ECMA-426, 4.1). assets/packed.js reads them.
 */
#ifndef FLAMEGRAPH_PACKED_H
#define FLAMEGRAPH_PACKED_H

#include "base/buf.h"

#include <stdint.h>

void packed_put(struct buf *out, uint64_t value);
void packed_put_signed(struct buf *out, int64_t value);
/* `value` in so many units of 1, rounded; 0 for what is not finite or below zero. */
uint64_t packed_units(double value, double units);
/* The same of either sign. */
int64_t packed_signed_units(double value, double units);

#endif
