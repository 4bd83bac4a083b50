/* The head of a page: a policy that allows the page's own styles and scripts, and no others. */
#include "base/hash.h"
#include "output/html.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SHA256_BYTES 32

/* 'sha256-...' of the text between two tags, as in a Content-Security-Policy. */
static void
put_policy_hash(struct buf *out, const char *text)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char hex[HASH_TEXT_SIZE];
	uint8_t bytes[SHA256_BYTES + 1] = {0}; /* one more: 33 bytes are 11 groups of 3 */
	const size_t ngroups = sizeof(bytes) / 3;

	hash_text(text, strlen(text), hex);
	for (size_t i = 0; i < SHA256_BYTES; i++)
		sscanf(&hex[2 * i], "%2hhx", &bytes[i]);
	buf_puts(out, " 'sha256-");
	for (size_t i = 0; i < ngroups; i++) {
		const uint8_t *three = &bytes[3 * i];
		uint32_t group = (uint32_t)three[0] << 16 | (uint32_t)three[1] << 8 | three[2];

		buf_putc(out, digits[group >> 18]);
		buf_putc(out, digits[group >> 12 & 63]);
		buf_putc(out, digits[group >> 6 & 63]);
		if (i + 1 < ngroups)
			buf_putc(out, digits[group & 63]);
		else
			buf_putc(out, '=');
	}
	buf_putc(out, '\'');
}

static void
put_element(struct buf *out, const char *name, const char *content)
{
	buf_printf(out, "<%s>", name);
	buf_puts(out, content);
	buf_printf(out, "</%s>\n", name);
}

void
html_head(const char *title, const char *const *styles, const char *const *scripts, struct buf *out)
{
	buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta http-equiv=\"Content-Security-Policy\" "
		      "content=\"default-src 'none'; base-uri 'none'; form-action 'none'; "
		      "style-src");
	for (size_t i = 0; styles[i]; i++)
		put_policy_hash(out, styles[i]);
	buf_puts(out, "; script-src");
	for (size_t i = 0; scripts[i]; i++)
		put_policy_hash(out, scripts[i]);
	buf_puts(out, "\">\n<meta name=\"viewport\" content=\"width=device-width, "
		      "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n");
	html_put(out, "<title>%s</title>\n", title);
	for (size_t i = 0; styles[i]; i++)
		put_element(out, "style", styles[i]);
	buf_puts(out, "</head>\n");
}

void
html_scripts(const char *const *scripts, struct buf *out)
{
	for (size_t i = 0; scripts[i]; i++)
		put_element(out, "script", scripts[i]);
}
