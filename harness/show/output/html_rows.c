/*
 * Tables as text, in a page of many workloads: the markup of a cell takes more than its text. The
 * page's script makes tables of them (page/rows.js); without it they are read as they are.
 */
#include "output/html.h"

#include "base/mem.h"

#include <string.h>

size_t
html_rows_begin(struct buf *out, const struct html_table *table)
{
	html_put(out, "<pre class=\"rows\" data-class=\"%s\" data-label=\"%s\" data-columns=\"",
		table->class, table->label);
	for (size_t i = 0; i < table->nheadings; i++)
		buf_printf(out, "%s%s", i > 0 ? "," : "", table->headings[i].class);
	if (table->picture)
		html_put(out, "\" data-picture=\"%s", table->picture);
	html_put(out, "\">%s\n", table->caption);
	for (size_t i = 0; i < table->nheadings; i++) {
		buf_puts(out, i > 0 ? "\t" : "");
		html_put(out, "%s", table->headings[i].text);
	}
	buf_putc(out, '\n');
	return out->len;
}

/* Whether the tag at `at`, behind its "<", has this name. */
static bool
is_tag(const char *at, const char *name)
{
	const size_t len = strlen(name);

	return strncmp(at, name, len) == 0 && strchr(" />", at[len]);
}

/* What a tag is in the text. */
static void
put_tag(struct buf *text, const char *tag)
{
	if (is_tag(tag, "/tr"))
		buf_putc(text, '\n');
	else if (is_tag(tag, "br"))
		buf_puts(text, "  ");
	else if ((is_tag(tag, "td") || is_tag(tag, "th")) && text->len > 0 &&
		 text->data[text->len - 1] != '\n')
		buf_putc(text, '\t');
}

void
html_rows_end(struct buf *out, size_t start)
{
	struct buf text = {0};
	const char *at = buf_text(out) + start;

	while (*at) {
		if (*at == '<') {
			put_tag(&text, at + 1);
			at = strchr(at, '>') + 1;
			/* Rows end with a line. */
			at += *at == '\n';
		} else {
			const bool is_blank = *at == '\n' || *at == '\t';

			buf_put(&text, is_blank ? " " : at, 1);
			at++;
		}
	}
	out->len = start;
	buf_put(out, buf_text(&text), text.len);
	buf_puts(out, "</pre>\n");
	buf_release(&text);
}
