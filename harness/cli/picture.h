/*
 * Writing a picture as SVG, or as PNG by rsvg-convert of librsvg.
 */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>

/* By the end of its name; what is to become a PNG is best drawn still. */
bool picture_is_png(const char *path);

/*
 * Writes an SVG document to `path` ("-": standard output) whole, as what its name asks for, and
 * releases it. For a PNG rsvg-convert has to be installed; the error says where it is from.
 */
int picture_write(struct buf *svg, const char *path, struct err *err);

#endif
