#include "base/buf.h"

#include "base/mem.h"
#include "base/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Capacity of a buffer's first allocation; most printed texts fit into it. */
#define LEAST_BYTES ((size_t)64)

void
buf_release(struct buf *buf)
{
	free(buf->data);
	*buf = (struct buf){0};
}

void
buf_clear(struct buf *buf)
{
	buf->len = 0;
	if (buf->data)
		buf->data[0] = '\0';
}

/* Doubles the capacity: the new part is not zeroed, and unused pages take no memory yet. */
static void
enlarge(struct buf *buf, size_t wanted)
{
	size_t twice = buf->capacity < SIZE_MAX / 2 ? 2 * buf->capacity : wanted;

	if (wanted < LEAST_BYTES)
		wanted = LEAST_BYTES;
	buf->capacity = twice > wanted ? twice : wanted;
	buf->data = mem_resize(buf->data, buf->capacity);
	buf->data[buf->len] = '\0';
}

static inline void
reserve(struct buf *buf, size_t more)
{
	if (buf->len + more >= buf->capacity)
		enlarge(buf, buf->len + more + 1);
}

void
buf_reserve(struct buf *buf, size_t more)
{
	reserve(buf, more);
}

void
buf_put(struct buf *buf, const void *bytes, size_t len)
{
	if (len == 0)
		return;
	reserve(buf, len);
	memcpy(buf->data + buf->len, bytes, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
}

void
buf_puts(struct buf *buf, const char *text)
{
	buf_put(buf, text, strlen(text));
}

void
buf_putc(struct buf *buf, char c)
{
	reserve(buf, 1);
	buf->data[buf->len++] = c;
	buf->data[buf->len] = '\0';
}

void
buf_put_utf8(struct buf *buf, uint32_t code)
{
	const unsigned more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	static const unsigned char leads[] = {0, 0xc0, 0xe0, 0xf0};

	buf_putc(buf, (char)(leads[more] | code >> (6 * more)));
	for (unsigned i = more; i-- > 0;)
		buf_putc(buf, (char)(0x80 | (code >> (6 * i) & 0x3f)));
}

void
buf_put_u32(struct buf *buf, uint32_t value)
{
	buf_put(buf, &value, sizeof(value));
}

void
buf_put_u64(struct buf *buf, uint64_t value)
{
	buf_put(buf, &value, sizeof(value));
}

void
buf_put_zeros(struct buf *buf, size_t len)
{
	reserve(buf, len);
	memset(buf->data + buf->len, 0, len + 1);
	buf->len += len;
}

void
buf_vprintf(struct buf *buf, const char *fmt, va_list args)
{
	va_list again;

	reserve(buf, LEAST_BYTES);
	size_t room = buf->capacity - buf->len;

	va_copy(again, args);
	int len = vsnprintf(buf->data + buf->len, room, fmt, args);

	if (len >= 0 && (size_t)len >= room) {
		reserve(buf, (size_t)len);
		vsnprintf(buf->data + buf->len, (size_t)len + 1, fmt, again);
	}
	va_end(again);
	buf->len += len > 0 ? (size_t)len : 0;
	buf->data[buf->len] = '\0';
}

void
buf_printf(struct buf *buf, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	buf_vprintf(buf, fmt, args);
	va_end(args);
}

/* Whole numbers without printf: a folded file has one on each line. */
static void
put_whole(struct buf *buf, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value > 0);
	buf_put(buf, digits + at, sizeof(digits) - at);
}

void
buf_put_number(struct buf *buf, double value)
{
	char text[40];

	if (value >= 0 && value < 9007199254740992.0 && value == floor(value)) {
		put_whole(buf, (uint64_t)value);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	/* LC_NUMERIC is never set by this program, so the point is a point. */
	buf_puts(buf, text);
}

void
buf_put_fixed(struct buf *buf, double value, unsigned decimals)
{
	reserve(buf, NUMBER_BYTES);
	buf->len += number_fixed(buf->data + buf->len, value, decimals);
}

void
buf_put_digits(struct buf *buf, double value, unsigned digits)
{
	reserve(buf, NUMBER_BYTES);
	buf->len += number_short(buf->data + buf->len, value, digits);
}

void
buf_put_short(struct buf *buf, double value)
{
	buf_put_digits(buf, value, NUMBER_DIGITS_MAX);
}

const char *
buf_text(const struct buf *buf)
{
	return buf->data ? buf->data : "";
}
