/*
 * Base64: bytes as text of 64 characters (RFC 4648, section 4).
 */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/buf.h"

#include <stddef.h>

/* The character of each value of 6 bits. */
extern const char base64_digits[];

/* Appends the text of the bytes, filled up with '='. */
void base64_put(struct buf *out, const void *bytes, size_t len);

/* Appends the bytes that the text stands for, up to its end or to a character that is not one
 * of 64. */
void base64_read(struct buf *out, const char *text, size_t len);

#endif
