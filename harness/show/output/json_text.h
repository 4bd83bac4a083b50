/*
 * Functions that writers of large JSON texts share.
 */
#ifndef OUTPUT_JSON_TEXT_H
#define OUTPUT_JSON_TEXT_H

#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>

/* A string in quotes. */
void json_text_put(struct buf *out, const char *text, size_t len);
/* "key":"text" */
void json_text_put_field(struct buf *out, const char *key, const char *text, size_t len);
/* ns in a unit of so many of them, 1e3 or 1e6, exactly. */
void json_text_put_ns(struct buf *out, uint64_t ns, uint64_t unit_ns);

#endif
