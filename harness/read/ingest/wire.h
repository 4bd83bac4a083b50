/*
 * Reading messages of Protocol Buffers, field by field, within bounds.
 *
 * Source: protobuf.dev, "Encoding".
 */
#ifndef INGEST_WIRE_H
#define INGEST_WIRE_H

#include "base/wire_type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct wire {
	const unsigned char *at; /* borrowed */
	const unsigned char *end;
	bool failed; /* something did not fit */
};

struct wire_field {
	unsigned number;
	enum wire_type type;
	uint64_t value;    /* WIRE_NUMBER */
	struct wire bytes; /* WIRE_BYTES: a text, a message, or numbers one after the other */
};

static inline struct wire
wire_of(const void *bytes, size_t len)
{
	return (struct wire){.at = bytes, .end = (const unsigned char *)bytes + len};
}

static inline size_t
wire_left(const struct wire *wire)
{
	return (size_t)(wire->end - wire->at);
}

static inline bool
wire_fail(struct wire *wire)
{
	wire->at = wire->end;
	wire->failed = true;
	return false;
}

/* The next number of 7 bits a byte; false at the end, and where it is not whole. */
static inline bool
wire_number(struct wire *wire, uint64_t *value)
{
	unsigned shift = 0;

	if (wire->at == wire->end)
		return false;
	for (*value = 0; wire->at < wire->end && shift < 64; shift += 7) {
		unsigned char byte = *wire->at++;

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return wire_fail(wire);
}

static inline bool
wire_skip(struct wire *wire, size_t bytes)
{
	if (wire_left(wire) < bytes)
		return wire_fail(wire);
	wire->at += bytes;
	return true;
}

/* The next field; false at the end, and where it is not whole: then the message has failed. */
static inline bool
wire_next(struct wire *wire, struct wire_field *field)
{
	uint64_t tag;
	uint64_t len;

	if (!wire_number(wire, &tag))
		return false;
	*field = (struct wire_field){.number = (unsigned)(tag >> WIRE_TYPE_BITS),
		.type = tag & ((1u << WIRE_TYPE_BITS) - 1)};
	if (field->number == 0)
		return wire_fail(wire);
	switch (field->type) {
	case WIRE_NUMBER:
		return wire_number(wire, &field->value) || wire_fail(wire);
	case WIRE_BYTES:
		if (!wire_number(wire, &len) || wire_left(wire) < len)
			return wire_fail(wire);
		field->bytes = wire_of(wire->at, (size_t)len);
		wire->at += len;
		return true;
	case WIRE_FIXED_64:
		return wire_skip(wire, 8);
	case WIRE_FIXED_32:
		return wire_skip(wire, 4);
	}
	return wire_fail(wire);
}

#endif
