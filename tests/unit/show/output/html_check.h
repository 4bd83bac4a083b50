/*
 * Whether the body of a page is one well-formed element of XML up to its scripts, which it ends
 * with: nothing of it is left open, and no name is taken for markup.
 */
#ifndef HTML_CHECK_H
#define HTML_CHECK_H

#include "base/buf.h"
#include "flamegraph/xml_check.h"

#include <stdbool.h>
#include <string.h>

static inline bool
html_check_body(const struct buf *page)
{
	const char *body = strstr(buf_text(page), "<body>");
	const char *scripts = body ? strstr(body, "<script>") : NULL;
	struct buf document = {0};

	if (!scripts)
		return false;
	buf_puts(&document, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	buf_put(&document, body, (size_t)(scripts - body));
	buf_puts(&document, "</body>\n");
	bool good = xml_is_well_formed(buf_text(&document), document.len);

	buf_release(&document);
	return good;
}

#endif
