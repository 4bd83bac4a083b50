/*
 * Converts text in UTF-16 to UTF-8.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "ingest/ingest_internal.h"

#include <stdint.h>

#define MARK 0xfeff
#define REPLACEMENT 0xfffd
/* Characters of ASCII at the start that tell such text without a mark. */
#define TELLING 8

struct units {
	const unsigned char *at;
	size_t left;  /* bytes */
	unsigned low; /* which byte of a unit is its lower one */
};

static struct units
units_of(const char *bytes, size_t len, bool big_endian)
{
	return (struct units){(const unsigned char *)bytes, len, big_endian};
}

static uint32_t
peek(const struct units *units)
{
	if (units->left < 2)
		return REPLACEMENT;
	return units->at[units->low] | (uint32_t)units->at[1 - units->low] << 8;
}

static uint32_t
take_unit(struct units *units)
{
	const uint32_t unit = peek(units);
	const size_t bytes = units->left < 2 ? units->left : 2;

	units->at += bytes;
	units->left -= bytes;
	return unit;
}

/* Lines of text, without control characters. */
static bool
is_plain(uint32_t unit)
{
	return (unit >= ' ' && unit < 0x7f) || unit == '\t' || unit == '\n' || unit == '\r';
}

static bool
is_order(const char *bytes, size_t len, bool big_endian)
{
	struct units units = units_of(bytes, len, big_endian);

	if (len >= 2 && peek(&units) == MARK)
		return true;
	if (len < (size_t)TELLING * 2)
		return false;
	for (size_t i = 0; i < TELLING; i++)
		if (!is_plain(take_unit(&units)))
			return false;
	return true;
}

bool
utf16_is(const char *bytes, size_t len)
{
	return is_order(bytes, len, false) || is_order(bytes, len, true);
}

static uint32_t
take_character(struct units *units)
{
	const uint32_t unit = take_unit(units);

	if (unit < 0xd800 || unit > 0xdfff)
		return unit;
	const uint32_t next = peek(units);

	if (unit > 0xdbff || next < 0xdc00 || next > 0xdfff)
		return REPLACEMENT;
	take_unit(units);
	return 0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00);
}

void
utf16_decode(const char *bytes, size_t len, struct buf *out)
{
	struct units units = units_of(bytes, len, is_order(bytes, len, true));

	if (peek(&units) == MARK)
		take_unit(&units);
	while (units.left > 0)
		buf_put_utf8(out, take_character(&units));
}
