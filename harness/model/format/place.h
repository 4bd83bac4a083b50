/*
 * Where a function stands in the source, for people: "src/lex.c:120", the line of its declaration.
 * The appended text is plain, not yet escaped.
 */
#ifndef FORMAT_PLACE_H
#define FORMAT_PLACE_H

#include "base/buf.h"

#include <stddef.h>

/*
 * Appends `path`, which may have ":120" behind it, without "." and ".." where that is safe, and
 * relative to the working directory where it lies below it.
 */
void place_put_path(struct buf *out, const char *path);

/* Appends the place of a function in `file`, "" if not known, at `line`, 0 if not known. */
void place_put(struct buf *out, const char *file, unsigned line);

/* The same in at most `columns` (8 at least): ".../" stands for leading folders that do not fit. */
void place_fit(struct buf *out, const char *file, unsigned line, size_t columns);

#endif
