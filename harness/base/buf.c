#include "base/buf.h"

#include "base/mem.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
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

/* From this exponent on "%g" writes without one. */
#define LEAST_PLAIN_EXPONENT (-4)
/* Below it an error of half a unit in the last place is far less than TIE_MARGIN. */
#define SCALED_MAX 1e10
#define TIE_MARGIN 1e-5

/* The powers of ten that a double holds exactly. */
static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
	1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
#define POWERS ((int)(sizeof(powers) / sizeof(powers[0])))

/*
 * value * 10^power, rounded. False where it is too large, or so close to the middle between two
 * whole numbers: only exact arithmetic says which one printf takes.
 */
static bool
scale(double value, int power, uint64_t *rounded)
{
	double scaled = power >= 0 ? value * powers[power] : value / powers[-power];

	if (!(scaled < SCALED_MAX))
		return false;
	*rounded = (uint64_t)scaled;
	double rest = scaled - (double)*rounded;

	*rounded += rest > 0.5;
	return fabs(rest - 0.5) > TIE_MARGIN;
}

/* The last `count` digits of the value. Returns what is left of it. */
static uint64_t
put_digits(char *text, uint64_t value, size_t count)
{
	for (size_t i = count; i > 0; i--) {
		text[i - 1] = (char)('0' + value % 10);
		value /= 10;
	}
	return value;
}

static size_t
count_digits(uint64_t value)
{
	size_t count = 1;

	for (; value >= 10; value /= 10)
		count++;
	return count;
}

static size_t
length(int printed)
{
	return printed > 0 ? (size_t)printed : 0;
}

size_t
number_fixed(char text[NUMBER_BYTES], double value, unsigned decimals)
{
	char *at = text;
	uint64_t scaled;

	if (!scale(fabs(value), (int)decimals, &scaled))
		return length(snprintf(text, NUMBER_BYTES, "%.*f", (int)decimals, value));
	if (signbit(value))
		*at++ = '-';
	size_t digits = count_digits(scaled);
	size_t whole = digits > decimals ? digits - decimals : 1;
	uint64_t rest = scaled;

	if (decimals > 0) {
		at[whole] = '.';
		rest = put_digits(at + whole + 1, rest, decimals);
	}
	put_digits(at, rest, whole);
	at += whole + (decimals > 0 ? decimals + 1 : 0);
	*at = '\0';
	return (size_t)(at - text);
}

/* The decimal exponent, the larger one in doubt; limited to that of powers[]. */
static int
exponent_of(double value)
{
	int exponent = 0;

	if (value >= 1) {
		while (exponent < POWERS - 1 && value >= powers[exponent + 1])
			exponent++;
	} else {
		while (exponent > 1 - POWERS && value * powers[-exponent] < 1)
			exponent--;
	}
	return exponent;
}

size_t
number_short(char text[NUMBER_BYTES], double value, unsigned digits)
{
	const uint64_t limit = (uint64_t)powers[digits];
	char significant[NUMBER_DIGITS_MAX];
	char *at = text;
	int exponent = exponent_of(fabs(value));
	int power = (int)digits - 1 - exponent;
	uint64_t scaled;

	if (power >= POWERS || power <= -POWERS || !scale(fabs(value), power, &scaled) ||
		scaled > limit || scaled < limit / 10)
		return length(snprintf(text, NUMBER_BYTES, "%.*g", (int)digits, value));
	if (scaled == limit) { /* rounded up */
		scaled /= 10;
		exponent++;
	}
	put_digits(significant, scaled, digits);
	size_t kept = digits;

	while (kept > 1 && significant[kept - 1] == '0')
		kept--;
	if (signbit(value))
		*at++ = '-';
	bool plain = exponent >= LEAST_PLAIN_EXPONENT && exponent < (int)digits;
	/* Digits before the point; less than one where zeros follow it. */
	int whole = plain ? exponent + 1 : 1;

	for (int i = whole < 1 ? whole - 1 : 0; i < (int)kept || i < whole; i++) {
		if (i == whole)
			*at++ = '.';
		*at = '0';
		if (i >= 0 && i < (int)kept)
			*at = significant[i];
		at++;
	}
	*at = '\0';
	if (!plain)
		at += length(snprintf(at, 8, "e%c%02d", exponent < 0 ? '-' : '+',
			exponent < 0 ? -exponent : exponent));
	return (size_t)(at - text);
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
