/*
 * Text in UTF-16, as PowerShell writes it when output is redirected to a file: converted to UTF-8
 * ahead of all readers of text.
 */
#ifndef INGEST_UTF16_H
#define INGEST_UTF16_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

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

#endif
