/*
 * Writes a picture as SVG, or as PNG by the program rsvg-convert.
 */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>

/* Whether the name of the file ends in .png. Such a picture should be drawn as `still`. */
bool picture_is_png(const char *path);

/*
 * Writes an SVG document to `path` ("-": standard output) whole, in the format of its name, and
 * releases it. PNG needs rsvg-convert; the error names its package.
 */
int picture_write(struct buf *svg, const char *path, struct err *err);

#endif
