/*
 * Compression in the format of gzip.
 */
#ifndef OUTPUT_GZIP_H
#define OUTPUT_GZIP_H

#include "base/buf.h"

/* Appends `bytes`, compressed, to `out`. */
void gzip_put(const struct buf *bytes, struct buf *out);

#endif
