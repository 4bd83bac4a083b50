/*
 * The document around a picture: style, patterns and script, in itself or once in a page.
 */
#include "flamegraph/svg.h"

#include "base/escape.h"
#include "flamegraph/assets.h"
#include "format/name_fit.h"

#include <string.h>

/* For what is the same in all documents, beside style and script. */
#define DOCUMENT_BYTES 8192
#define FOOT_PX 42 /* two lines about the box pointed at */

/* The fills in assets/colours.css other than plain colours: patterns, such as that of gone frames.
 */
#define PATTERNS                                                                                    \
	"<defs>\n"                                                                                  \
	"<pattern id=\"flamegraph-rest\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\">" \
	"<path class=\"tone-rest\" d=\"M0 0h4v4h-4z\"/>"                                            \
	"<path class=\"line-rest\" d=\"M2 0v4\"/></pattern>\n"                                      \
	"<pattern id=\"flamegraph-gone-noise\" width=\"7\" height=\"7\" "                           \
	"patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"                          \
	"<path class=\"tone-noise\" d=\"M0 0h7v7h-7z\"/>"                                           \
	"<path class=\"line-noise\" d=\"M3 0v7\"/></pattern>\n"                                     \
	"<pattern id=\"flamegraph-gone\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" " \
	"patternTransform=\"rotate(45)\"><path class=\"tone-gone\" d=\"M0 0h7v7h-7z\"/>"            \
	"<path class=\"line-gone\" d=\"M3 0v7\"/></pattern>\n"                                      \
	"<pattern id=\"flamegraph-new\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "  \
	"patternTransform=\"rotate(-45)\"><path class=\"tone-new\" d=\"M0 0h7v7h-7z\"/>"            \
	"<path class=\"line-new\" d=\"M3 0v7\"/></pattern>\n"                                       \
	"</defs>\n"

const char *
flamegraph_page_part(enum flamegraph_part part)
{
	switch (part) {
	case FLAMEGRAPH_STYLE:
		return asset_flamegraph_css;
	case FLAMEGRAPH_SCRIPT:
		return asset_flamegraph_js;
	case FLAMEGRAPH_PATTERNS:
		break;
	}
	/* Not "display: none": some viewers do not draw what hidden elements define. */
	return "<svg class=\"flamegraph-patterns\" width=\"0\" height=\"0\" "
	       "aria-hidden=\"true\" focusable=\"false\">\n" PATTERNS "</svg>\n";
}

void
flamegraph_page_init(struct flamegraph_page *page)
{
	strtab_init(&page->functions);
}

void
flamegraph_page_release(struct flamegraph_page *page)
{
	strtab_release(&page->functions);
}

void
flamegraph_page_put(const struct flamegraph_page *page, struct buf *out)
{
	buf_puts(out, "<svg class=\"flamegraph-names\" width=\"0\" height=\"0\" "
		      "aria-hidden=\"true\" focusable=\"false\"><metadata class=\"page-names\">");
	for (str_id id = 0; id < page->functions.nentries; id++) {
		buf_puts(out, id > 0 ? "\n" : "");
		buf_puts(out, strtab_str(&page->functions, id));
	}
	buf_puts(out, "</metadata></svg>\n");
}

static void
put_part(struct buf *out, const char *open, const char *content, const char *close)
{
	buf_puts(out, open);
	buf_puts(out, content);
	buf_puts(out, close);
}

static void
put_slivers(const struct flamegraph_svg *svg, struct buf *out)
{
	buf_puts(out, "<g class=\"slivers\" fill=\"#ddd\">\n");
	for (size_t i = 0; i < svg->nslivers; i++) {
		const struct flamegraph_slivers *slivers = &svg->slivers[i];

		buf_printf(out, "<path class=\"%s\" d=\"", slivers->class);
		put_part(out, "", buf_text(&slivers->shape), "\"/>\n");
	}
	buf_puts(out, "</g>\n");
}

/* About how many, so that the document is not moved while it grows. */
static size_t
document_bytes(const struct flamegraph_svg *svg)
{
	const struct buf *layers[] = {&svg->head, &svg->boxes, &svg->labels, &svg->bars, &svg->axis,
		&svg->names, &svg->hidden, &svg->numbers};
	size_t bytes = DOCUMENT_BYTES;

	for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); i++)
		bytes += layers[i]->len;
	for (size_t i = 0; i < svg->nslivers; i++)
		bytes += svg->slivers[i].shape.len;
	return svg->embedded ? bytes
			     : bytes + strlen(asset_flamegraph_css) + strlen(asset_flamegraph_js);
}

/* The script and its data. */
static void
put_live_parts(const struct flamegraph_svg *svg, struct buf *out)
{
	put_part(out, "<metadata class=\"names\">", buf_text(&svg->names), "</metadata>\n");
	put_part(out, "<metadata class=\"functions\">", buf_text(&svg->hidden), "</metadata>\n");
	put_part(out, "<metadata class=\"boxes\">", buf_text(&svg->numbers), "</metadata>\n");
	if (!svg->embedded)
		put_part(out, "<script><![CDATA[\n", asset_flamegraph_js, "]]></script>\n");
}

static unsigned
document_height(const struct flamegraph_svg *svg)
{
	unsigned height = svg->top + svg->rows * svg->row_px;

	if (svg->still)
		return height + FLAMEGRAPH_MARGIN_PX;
	return height + FOOT_PX + (svg->icicle ? 0 : FLAMEGRAPH_LINE_PX);
}

void
flamegraph_svg_finish(struct flamegraph_svg *svg, const char *title, const struct buf *description,
	const char *attributes, struct buf *out)
{
	unsigned height = document_height(svg);

	flamegraph_svg_flush(svg);
	buf_reserve(out, document_bytes(svg));

	if (!svg->embedded)
		buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n");
	buf_printf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flamegraph\" font-family=\"sans-serif\" "
		"font-size=\"12\" width=\"%u\" "
		"height=\"%u\" viewBox=\"0 0 %u %u\" role=\"img\" lang=\"en\" data-mode=\"%s\" "
		"data-unit=\"",
		svg->width_px, height, svg->width_px, height, svg->mode);
	escape_xml(out, svg->unit, strlen(svg->unit));
	buf_printf(out,
		"\" data-top=\"%u\" data-row=\"%u\" data-rows=\"%u\" data-icicle=\"%d\" "
		"data-fixed=\"%d\" data-unlisted=\"%zu\"%s>\n",
		svg->top, svg->row_px, svg->rows, svg->icicle, svg->fixed, svg->unlisted,
		attributes);
	buf_puts(out, "<title>");
	name_put(out, title, strlen(title), FLAMEGRAPH_NAME_BYTES_MAX, &name_picture);
	put_part(out, "</title>\n<desc>", buf_text(description), "</desc>\n");
	if (!svg->embedded) {
		put_part(out, "<style>\n", asset_flamegraph_css, "</style>\n");
		buf_puts(out, PATTERNS);
	}
	/* Colours and sizes for viewers and servers that know no style; a style overrides them. */
	buf_printf(out, "<path class=\"back\" fill=\"#fff\" d=\"M0 0h%uv%uh-%uz\"/>\n",
		svg->width_px, height, svg->width_px);
	/* librsvg knows no "white-space: pre". */
	put_part(out,
		svg->still ? "<g class=\"head\" xml:space=\"preserve\">\n" : "<g class=\"head\">\n",
		buf_text(&svg->head), "</g>\n");
	put_slivers(svg, out);
	put_part(out, "<g class=\"boxes\" fill=\"#ddd\" stroke=\"#fff\">\n", buf_text(&svg->boxes),
		"</g>\n");
	put_part(out, "<g class=\"bars\" stroke=\"#555\">\n", buf_text(&svg->bars), "</g>\n");
	if (svg->chart)
		put_part(out, "<g class=\"axis\" font-size=\"11\" stroke=\"#555\">\n",
			buf_text(&svg->axis), "</g>\n");
	put_part(out, "<g class=\"labels\" font-family=\"monospace\" font-size=\"11\">\n",
		buf_text(&svg->labels), "</g>\n");
	if (!svg->still)
		put_live_parts(svg, out);
	buf_puts(out, "</svg>\n");
}
