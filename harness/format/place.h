/*
 * Where a function stands in the source, for people: "src/lex.c:120", the line of its declaration.
 * What is appended is plain text, not yet escaped.
 */
#ifndef FORMAT_PLACE_H
#define FORMAT_PLACE_H

#include "base/buf.h"
#include "profile/profile.h"

#include <stddef.h>

/*
 * Appends `path`, which may have ":120" behind it, without "." and ".." where that is sure, and
 * relative to the working directory where it lies below it.
 */
void place_put_path(struct buf *out, const char *path);

/* Appends the place of a function; nothing where its file is not known. */
void place_put(const struct profile *profile, frame_id frame, struct buf *out);

/* The same in at most `columns` (8 at least), without its leading folders; ".../" stands for them.
 */
void place_fit(const struct profile *profile, frame_id frame, size_t columns, struct buf *out);

#endif
