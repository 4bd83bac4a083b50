/*
 * A growing buffer of bytes, for text and for files before they are written. Its contents are
 * always followed by a NUL. All zeros is an empty buffer.
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
/* With that many decimals, as "%.*f"; see number_fixed(). */
void buf_put_fixed(struct buf *buf, double value, unsigned decimals);
/* With at most that many significant digits, as "%.*g"; see number_short(). */
void buf_put_digits(struct buf *buf, double value, unsigned digits);
/* With at most 9 significant digits, as "%.9g". */
void buf_put_short(struct buf *buf, double value);
/* A character as UTF-8; `code` is at most 0x10ffff. */
void buf_put_utf8(struct buf *buf, uint32_t code);
/* The 4 or 8 bytes of the value, in the machine's own order. */
void buf_put_u32(struct buf *buf, uint32_t value);
void buf_put_u64(struct buf *buf, uint64_t value);
/* `len` zero bytes. */
void buf_put_zeros(struct buf *buf, size_t len);
/* The contents as a terminated string, "" when empty; borrowed until the next change. */
const char *buf_text(const struct buf *buf);

#endif
