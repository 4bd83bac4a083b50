/*
 * The bytes of an input as its reader takes them: text in UTF-16 as UTF-8, and what gzip packed
 * expanded.
 */
#ifndef INGEST_INPUT_BYTES_H
#define INGEST_INPUT_BYTES_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Text in UTF-16, as PowerShell writes it when output is redirected to a file: converted to UTF-8
 * ahead of all readers of text.
 */

/*
 * Whether a file that starts with these bytes is such text: by its byte order mark, or by eight
 * characters of ASCII, each beside a zero.
 */
bool utf16_is(const char *bytes, size_t len);
/*
 * Appends the text in UTF-8, without a byte order mark; `bytes` begin as utf16_is() tells. Halves
 * of pairs that stand alone, and half a character at the end, become U+FFFD.
 */
void utf16_decode(const char *bytes, size_t len, struct buf *out);

/*
 * Expands what gzip compressed (RFC 1952).
 */

/* Whether these are the first bytes of a gzip file. */
bool gunzip_is(const char *bytes, size_t len);

/* Expands at most `room` bytes from the beginning into `out`: how many. The input may be cut. */
size_t gunzip_head(const char *bytes, size_t len, char *out, size_t room);

/*
 * Appends all of it. It is an error if it is damaged, cut, or expands to more than 64 MiB and a
 * hundred times its size: no profile does. `path` is for messages.
 */
int gunzip(const char *bytes, size_t len, const char *path, struct buf *out, struct err *err);

#endif
