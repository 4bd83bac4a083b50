/*
 * Messages of Protocol Buffers in the making: fields that are put one behind the other.
 */
#ifndef OUTPUT_PROTOBUF_H
#define OUTPUT_PROTOBUF_H

#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>

/* The length of packed fields, and of what is inside the others. */
void protobuf_put_varint(struct buf *out, uint64_t value);
/* Nothing for zero: a field that is missing is read as that. */
void protobuf_put_number(struct buf *out, unsigned field, uint64_t value);
void protobuf_put_bytes(struct buf *out, unsigned field, const void *bytes, size_t len);
/* Puts the message `part`, and empties it. */
void protobuf_put_part(struct buf *out, unsigned field, struct buf *part);

#endif
