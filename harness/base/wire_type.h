/*
 * The kinds of fields in messages of Protocol Buffers: the low three bits of a field's tag.
 *
 * Source: protobuf.dev, "Encoding".
 */
#ifndef BASE_WIRE_TYPE_H
#define BASE_WIRE_TYPE_H

enum wire_type {
	WIRE_NUMBER = 0, /* of 7 bits a byte */
	WIRE_FIXED_64 = 1,
	WIRE_BYTES = 2, /* a text, a message, or numbers, behind its length */
	WIRE_FIXED_32 = 5,
};

/* The low bits of a tag that hold its type, below the number of the field. */
#define WIRE_TYPE_BITS 3

#endif
