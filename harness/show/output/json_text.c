#include "output/json_text.h"

#include "base/escape.h"

void
json_text_put(struct buf *out, const char *text, size_t len)
{
	buf_putc(out, '"');
	escape_quoted(out, text, len);
	buf_putc(out, '"');
}

void
json_text_put_field(struct buf *out, const char *key, const char *text, size_t len)
{
	buf_printf(out, "\"%s\":", key);
	json_text_put(out, text, len);
}

void
json_text_put_ns(struct buf *out, uint64_t ns, uint64_t unit_ns)
{
	uint64_t rest = ns % unit_ns;
	uint64_t whole = ns / unit_ns;

	buf_put_number(out, (double)whole);
	if (rest == 0)
		return;
	buf_putc(out, '.');
	do {
		unit_ns /= 10;
		buf_putc(out, (char)('0' + rest / unit_ns));
		rest %= unit_ns;
	} while (rest != 0);
}
