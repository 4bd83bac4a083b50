/*
 * A growing buffer of bytes, for text and for files before they are written; and numbers as decimal
 * text (number_fixed(), number_short()). A buffer is always terminated. All zeros is an empty one.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
	char *data; /* owned; NULL while empty */
	size_t len; /* without the terminator */
	size_t capacity;
};

void buf_release(struct buf *buf);
/* Empties the buffer and keeps its memory. */
void buf_clear(struct buf *buf);

/* Makes room for `more` bytes: appending them will not move the contents. */
void buf_reserve(struct buf *buf, size_t more);

void buf_put(struct buf *buf, const void *bytes, size_t len);
void buf_puts(struct buf *buf, const char *text);
void buf_putc(struct buf *buf, char c);
void buf_printf(struct buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *buf, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));
/* The shortest decimal that reads back as `value`: whole numbers without a point, in any locale. */
void buf_put_number(struct buf *buf, double value);
/* As "%.*f", "%.*g" and "%.9g"; see number_fixed(). */
void buf_put_fixed(struct buf *buf, double value, unsigned decimals);
void buf_put_digits(struct buf *buf, double value, unsigned digits);
void buf_put_short(struct buf *buf, double value);
/* A character as UTF-8; `code` is at most 0x10ffff. */
void buf_put_utf8(struct buf *buf, uint32_t code);
/* The value's bytes, in the machine's own order. */
void buf_put_u32(struct buf *buf, uint32_t value);
void buf_put_u64(struct buf *buf, uint64_t value);
/* `len` zero bytes. */
void buf_put_zeros(struct buf *buf, size_t len);
/* The contents as a terminated string, "" when empty; borrowed until the next change. */
const char *buf_text(const struct buf *buf);

/*
 * Numbers as decimal text, byte for byte what printf writes, several times as fast: a picture holds
 * a hundred thousand of them.
 */

/* Holds any double with NUMBER_DECIMALS_MAX decimals, and a terminator. */
#define NUMBER_BYTES 336
#define NUMBER_DECIMALS_MAX 9
#define NUMBER_DIGITS_MAX 9

/* As "%.*f"; at most NUMBER_DECIMALS_MAX decimals. Returns the length of the text. */
size_t number_fixed(char text[NUMBER_BYTES], double value, unsigned decimals);
/* As "%.*g"; 1 to NUMBER_DIGITS_MAX digits. Returns the length of the text. */
size_t number_short(char text[NUMBER_BYTES], double value, unsigned digits);

#endif
