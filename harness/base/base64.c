#include "base/base64.h"

#include <string.h>

const char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void
base64_put(struct buf *out, const void *bytes, size_t len)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < len; i += 3) {
		const size_t left = len - i;
		const unsigned group = (unsigned)at[i] << 16 |
				       (left > 1 ? (unsigned)at[i + 1] << 8 : 0U) |
				       (left > 2 ? at[i + 2] : 0U);

		buf_putc(out, base64_digits[group >> 18]);
		buf_putc(out, base64_digits[group >> 12 & 63]);
		buf_put(out, left > 1 ? &base64_digits[group >> 6 & 63] : "=", 1);
		buf_put(out, left > 2 ? &base64_digits[group & 63] : "=", 1);
	}
}

void
base64_read(struct buf *out, const char *text, size_t len)
{
	unsigned bits = 0;
	unsigned nbits = 0;

	for (size_t i = 0; i < len; i++) {
		const char *digit = text[i] ? strchr(base64_digits, text[i]) : NULL;

		if (!digit)
			return;
		bits = bits << 6 | (unsigned)(digit - base64_digits);
		nbits += 6;
		if (nbits < 8)
			continue;
		nbits -= 8;
		buf_putc(out, (char)(bits >> nbits & 0xff));
	}
}
