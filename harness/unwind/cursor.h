/*
 * Reading call frame information byte by byte, never beyond its end.
 *
 * A read that does not fit yields 0 and sets `bad`, so that a whole entry can be read before the
 * one question is asked. Bytes are in the machine's own order: tables of another are refused.
 */
#ifndef UNWIND_CURSOR_H
#define UNWIND_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const unsigned char *at; /* borrowed */
	const unsigned char *end;
	bool bad; /* something did not fit */
};

static inline size_t
cursor_left(const struct cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

/* `len` bytes, stepped over; NULL where there are fewer. */
static inline const unsigned char *
cursor_take(struct cursor *cursor, uint64_t len)
{
	const unsigned char *bytes = cursor->at;

	if (len > cursor_left(cursor)) {
		cursor->bad = true;
		cursor->at = cursor->end;
		return NULL;
	}
	cursor->at += len;
	return bytes;
}

/* An unsigned number of 1, 2, 4 or 8 bytes. */
static inline uint64_t
cursor_fixed(struct cursor *cursor, size_t size)
{
	const unsigned char *bytes = cursor->at;
	uint64_t wide = 0;
	uint32_t word = 0;
	uint16_t half = 0;

	if (size > cursor_left(cursor)) {
		cursor->bad = true;
		cursor->at = cursor->end;
		return 0;
	}
	cursor->at += size;
	switch (size) {
	case 1:
		return *bytes;
	case 2:
		memcpy(&half, bytes, sizeof(half));
		return half;
	case 4:
		memcpy(&word, bytes, sizeof(word));
		return word;
	default:
		memcpy(&wide, bytes, sizeof(wide));
		return wide;
	}
}

/* The same with its sign. */
static inline int64_t
cursor_signed(struct cursor *cursor, size_t size)
{
	uint64_t value = cursor_fixed(cursor, size);

	return size == 1   ? (int8_t)value
	       : size == 2 ? (int16_t)value
	       : size == 4 ? (int32_t)value
			   : (int64_t)value;
}

/* LEB128 (DWARF 5, section 7.6). What does not fit in 64 bits is lost. */
static inline uint64_t
cursor_uleb(struct cursor *cursor)
{
	uint64_t value = 0;

	for (unsigned shift = 0; cursor_left(cursor) > 0; shift += 7) {
		unsigned char byte = *cursor->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	cursor->bad = true;
	return 0;
}

static inline int64_t
cursor_sleb(struct cursor *cursor)
{
	uint64_t value = 0;

	for (unsigned shift = 0; cursor_left(cursor) > 0;) {
		unsigned char byte = *cursor->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (shift < 64 && (byte & 0x40))
			value |= UINT64_MAX << shift;
		return (int64_t)value;
	}
	cursor->bad = true;
	return 0;
}

/* Steps over a LEB128 number. */
static inline void
cursor_skip_leb(struct cursor *cursor)
{
	(void)cursor_uleb(cursor);
}

#endif
