/*
 * Reading the little numbers and strings that debug information is made of, within bounds: behind
 * the end everything reads as zero and the cursor says that it failed.
 *
 * Bytes are in this machine's order; files of another order are refused where they are opened.
 */
#ifndef DWARF_CURSOR_H
#define DWARF_CURSOR_H

#include <dwarf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const unsigned char *at; /* borrowed */
	const unsigned char *end;
	bool failed; /* something did not fit */
};

static inline size_t
cursor_left(const struct cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

/* Whether that many bytes are left; the cursor fails and stands at its end if not. */
static inline bool
cursor_has(struct cursor *cursor, uint64_t bytes)
{
	if (cursor_left(cursor) >= bytes)
		return true;
	cursor->at = cursor->end;
	cursor->failed = true;
	return false;
}

static inline void
cursor_skip(struct cursor *cursor, uint64_t bytes)
{
	if (cursor_has(cursor, bytes))
		cursor->at += bytes;
}

/* `len` bytes, stepped over; NULL where there are fewer. */
static inline const unsigned char *
cursor_take(struct cursor *cursor, uint64_t len)
{
	const unsigned char *bytes = cursor->at;

	if (!cursor_has(cursor, len))
		return NULL;
	cursor->at += len;
	return bytes;
}

/* An unsigned number of 1, 2, 3, 4 or 8 bytes. */
static inline uint64_t
cursor_fixed(struct cursor *cursor, size_t bytes)
{
	uint16_t two;
	uint32_t four = 0;
	uint64_t eight = 0;

	if (!cursor_has(cursor, bytes))
		return 0;
	const unsigned char *at = cursor->at;

	cursor->at += bytes;
	switch (bytes) {
	case 1:
		return *at;
	case 2:
		memcpy(&two, at, sizeof(two));
		return two;
	case 3:
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		memcpy(&four, at, 3);
#else
		memcpy((unsigned char *)&four + 1, at, 3);
#endif
		return four;
	case 4:
		memcpy(&four, at, sizeof(four));
		return four;
	default:
		memcpy(&eight, at, sizeof(eight));
		return eight;
	}
}

/* Reads a number of 1, 2, 4 or 8 bytes with its sign. */
static inline int64_t
cursor_signed(struct cursor *cursor, size_t bytes)
{
	uint64_t value = cursor_fixed(cursor, bytes);

	return bytes == 1   ? (int8_t)value
	       : bytes == 2 ? (int16_t)value
	       : bytes == 4 ? (int32_t)value
			    : (int64_t)value;
}

/* LEB128 (DWARF 5, section 7.6): a number of any length, 7 bits a byte; what does not fit into 64
 * bits is cut off. */
static inline uint64_t
cursor_uleb(struct cursor *cursor)
{
	uint64_t value = 0;
	unsigned shift = 0;

	if (cursor->at < cursor->end && *cursor->at < 0x80)
		return *cursor->at++;
	while (cursor->at < cursor->end) {
		unsigned char byte = *cursor->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
		shift += 7;
	}
	cursor->failed = true;
	return 0;
}

static inline int64_t
cursor_sleb(struct cursor *cursor)
{
	uint64_t value = 0;
	unsigned shift = 0;

	while (cursor->at < cursor->end) {
		unsigned char byte = *cursor->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (shift < 64 && (byte & 0x40))
			value |= ~UINT64_C(0) << shift;
		return (int64_t)value;
	}
	cursor->failed = true;
	return 0;
}

/* A terminated string, borrowed from the bytes; NULL where it has no end. */
static inline const char *
cursor_string(struct cursor *cursor)
{
	size_t left = cursor_left(cursor);
	const char *text = (const char *)cursor->at;
	const unsigned char *end = left > 0 ? memchr(cursor->at, '\0', left) : NULL;

	if (!end) {
		cursor->at = cursor->end;
		cursor->failed = true;
		return NULL;
	}
	cursor->at = end + 1;
	return text;
}

/*
 * How .eh_frame writes addresses: LSB Core 5.0, section 10.5 (DW_EH_PE_*).
 */

/* Bytes of a value of this encoding in a 64-bit file; 0 for LEB128 and unknown ones. */
static inline size_t
eh_encoded_bytes(uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return 8;
	case DW_EH_PE_udata4:
	case DW_EH_PE_sdata4:
		return 4;
	case DW_EH_PE_udata2:
	case DW_EH_PE_sdata2:
		return 2;
	default:
		return 0;
	}
}

#endif
