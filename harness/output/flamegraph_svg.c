#include "output/flamegraph_svg.h"

#include "base/escape.h"
#include "base/mem.h"
#include "output/assets.h"
#include "output/flamegraph_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_WIDTH_PX 1200
#define MIN_WIDTH_PX 300
#define MAX_WIDTH_PX 20000
#define MIN_BOX_PX 0.1
#define MIN_REST_PX 1.0
#define MIN_TOOLTIP_PX 1.0 /* nobody can point at less */
#define MIN_EDGE_PX 4.0
#define MIN_LEVEL_PX 4.0
#define MAX_LEVELS 400
#define LINE_PX 17
#define FOOT_PX 30
#define NARROW_PX 800
#define TEXT_COLUMN_PX 6.8 /* a generous mean of the proportional text */

void
flamegraph_svg_init(struct flamegraph_svg *svg, const struct profile *profile,
	const struct flamegraph_options *options)
{
	unsigned width = options->width_px > 0 ? options->width_px : DEFAULT_WIDTH_PX;

	*svg = (struct flamegraph_svg){
		.profile = profile,
		.mode = "plain",
		.unit = "samples",
		.row_px = 16,
		.icicle = options->icicle,
		.embedded = options->embedded,
		.y = 24,
	};
	svg->width_px = width < MIN_WIDTH_PX   ? MIN_WIDTH_PX
			: width > MAX_WIDTH_PX ? MAX_WIDTH_PX
					       : width;
	if (svg->width_px < NARROW_PX)
		svg->y += 20; /* a line of its own for the buttons that the script adds */
	svg->name_lines = mem_zalloc(profile->frames.nframes + 1, sizeof(*svg->name_lines));
	buf_puts(&svg->names, "frames too small to draw\nall\n");
	svg->nnames = 2;
}

void
flamegraph_svg_release(struct flamegraph_svg *svg)
{
	buf_release(&svg->head);
	buf_release(&svg->boxes);
	buf_release(&svg->labels);
	buf_release(&svg->bars);
	buf_release(&svg->names);
	buf_release(&svg->numbers);
	free(svg->name_lines);
}

static double
drawing_px(const struct flamegraph_svg *svg)
{
	return (double)svg->width_px - 2 * FLAMEGRAPH_MARGIN_PX;
}

struct flamegraph_limits
flamegraph_svg_limits(const struct flamegraph_svg *svg, double whole, size_t max_boxes)
{
	double unit_per_px = whole / drawing_px(svg);

	return (struct flamegraph_limits){
		.min_width = MIN_BOX_PX * unit_per_px,
		.min_rest_width = MIN_REST_PX * unit_per_px,
		.max_boxes = max_boxes,
		.max_levels = MAX_LEVELS,
		.min_level_width = MIN_LEVEL_PX * unit_per_px,
	};
}

void
flamegraph_svg_text_at(
	struct flamegraph_svg *svg, unsigned x, const char *class, const struct buf *text)
{
	buf_printf(&svg->head, "<text class=\"%s\" x=\"%u\" y=\"%u\">", class, x, svg->y);
	buf_put(&svg->head, buf_text(text), text->len);
	buf_puts(&svg->head, "</text>\n");
}

void
flamegraph_svg_line(struct flamegraph_svg *svg, const char *class, const struct buf *text)
{
	flamegraph_svg_text_at(svg, FLAMEGRAPH_MARGIN_PX, class, text);
	svg->y += LINE_PX;
}

void
flamegraph_svg_note(struct flamegraph_svg *svg, const char *note)
{
	size_t columns = (size_t)(drawing_px(svg) / TEXT_COLUMN_PX);
	struct buf line;

	buf_init(&line);
	while (*note) {
		size_t end = strlen(note);

		if (end > columns) {
			end = columns;
			while (end > 0 && note[end] != ' ')
				end--;
			if (end == 0)
				end = columns;
		}
		buf_clear(&line);
		escape_xml(&line, note, end);
		flamegraph_svg_line(svg, "quiet", &line);
		note += end;
		note += *note == ' ';
	}
	buf_release(&line);
}

void
flamegraph_svg_title(struct flamegraph_svg *svg, const char *title, const char *subtitle)
{
	struct buf text;

	buf_init(&text);
	double buttons_px = svg->width_px < NARROW_PX ? 0 : 360;

	flamegraph_put_label(
		&text, title, strlen(title), (size_t)((drawing_px(svg) - buttons_px) / 10.5));
	flamegraph_svg_line(svg, "title", &text);
	svg->y += 2;
	if (subtitle && *subtitle) {
		buf_clear(&text);
		flamegraph_put_label(
			&text, subtitle, strlen(subtitle), (size_t)(drawing_px(svg) / 7.2));
		flamegraph_svg_line(svg, "subtitle", &text);
	}
	buf_release(&text);
}

void
flamegraph_svg_swatch(
	struct flamegraph_svg *svg, unsigned *x, const char *class, const char *meaning)
{
	unsigned width =
		32 + (unsigned)(7.5 * (double)flamegraph_columns(meaning, strlen(meaning)));

	if (*x + width > svg->width_px - FLAMEGRAPH_MARGIN_PX && *x > FLAMEGRAPH_MARGIN_PX) {
		*x = FLAMEGRAPH_MARGIN_PX;
		svg->y += LINE_PX;
	}
	buf_printf(&svg->head,
		"<path class=\"%s\" d=\"M%u %uh14v12h-14z\"/><text x=\"%u\" y=\"%u\">", class, *x,
		svg->y - 10, *x + 18, svg->y);
	escape_xml(&svg->head, meaning, strlen(meaning));
	buf_puts(&svg->head, "</text>\n");
	*x += width;
}

void
flamegraph_svg_hidden_note(struct flamegraph_svg *svg, const struct flamegraph_layout *layout)
{
	struct buf text;

	buf_init(&text);
	if (layout->hidden_small > 0) {
		flamegraph_put_weight(&text, (double)layout->hidden_small);
		buf_puts(&text, layout->hidden_small == 1 ? " frame" : " frames");
		buf_puts(&text, " too small to draw");
	}
	if (layout->hidden_deep > 0) {
		buf_puts(&text, text.len > 0 ? ", " : "");
		flamegraph_put_weight(&text, (double)layout->hidden_deep);
		buf_printf(&text, " deeper than the %u levels drawn", layout->levels);
	}
	if (text.len > 0) {
		buf_puts(&text, "; what they weigh is in their callers");
		flamegraph_svg_note(svg, buf_text(&text));
	}
	buf_release(&text);
}

size_t
flamegraph_svg_guess_bytes(const struct flamegraph_svg *svg, const struct flamegraph_layout *layout,
	double whole, size_t box_bytes, size_t tooltip_bytes)
{
	const struct profile *profile = svg->profile;
	bool *named = mem_zalloc(profile->frames.nframes, sizeof(*named));
	size_t bytes = layout->nboxes * box_bytes;

	for (size_t i = 0; i < layout->nboxes; i++) {
		const struct flamegraph_box *box = &layout->boxes[i];
		frame_id frame = profile->tree.nodes[box->node].frame;
		size_t name_bytes = 0;

		/* Those too narrow to draw are counted, not named. */
		if (box->gathered == 0)
			name_bytes =
				strtab_len(&profile->strings, profile->frames.frames[frame].name);
		if (name_bytes > FLAMEGRAPH_NAME_BYTES_MAX)
			name_bytes = FLAMEGRAPH_NAME_BYTES_MAX;
		if (box->width * drawing_px(svg) >= MIN_TOOLTIP_PX * whole)
			bytes += name_bytes + tooltip_bytes;
		bytes += named[frame] ? 0 : name_bytes;
		named[frame] = true;
	}
	free(named);
	return bytes;
}

void
flamegraph_svg_start_boxes(
	struct flamegraph_svg *svg, const struct flamegraph_layout *layout, double whole)
{
	svg->top = svg->y - 6;
	svg->levels = layout->levels;
	svg->scale = whole > 0 ? drawing_px(svg) / whole : 0;
}

/*
 * Hundredths of a pixel, the precision of everything that is written. Weights that add up to
 * infinity, as a file may hold them, must not lead out of the picture.
 */
static long
hundredths(double px)
{
	return lround(fmin(px > 0 ? px : 0, MAX_WIDTH_PX) * 100);
}

static void
put_px(struct buf *out, long value)
{
	if (value < 0) {
		buf_putc(out, '-');
		value = -value;
	}
	long whole = value / 100;

	if (whole > 0 || value == 0)
		buf_put_number(out, (double)whole);
	if (value % 100 > 0) {
		buf_putc(out, '.');
		buf_putc(out, (char)('0' + value / 10 % 10));
		if (value % 10 > 0)
			buf_putc(out, (char)('0' + value % 10));
	}
}

static unsigned
box_top(const struct flamegraph_svg *svg, const struct flamegraph_box *box)
{
	uint32_t row = svg->icicle ? box->depth : svg->levels - 1 - box->depth;

	return svg->top + row * svg->row_px;
}

/* Both edges are rounded, not the width, so that neighbours touch exactly. */
static void
box_edges(
	const struct flamegraph_svg *svg, const struct flamegraph_box *box, long *left, long *right)
{
	*left = hundredths(FLAMEGRAPH_MARGIN_PX);
	*right = hundredths(svg->width_px - FLAMEGRAPH_MARGIN_PX);
	if (!(svg->scale > 0))
		return;
	*left = hundredths(FLAMEGRAPH_MARGIN_PX + box->x * svg->scale);
	*right = hundredths(FLAMEGRAPH_MARGIN_PX + (box->x + box->width) * svg->scale);
	if (*right <= *left)
		*right = *left + 1;
}

bool
flamegraph_svg_begin_box(
	struct flamegraph_svg *svg, const struct flamegraph_box *box, const char *class)
{
	struct buf *out = &svg->boxes;
	long left;
	long right;

	box_edges(svg, box, &left, &right);
	buf_puts(out, "<path class=\"");
	buf_puts(out, class);
	/* Wide boxes get a line between them and the next; narrow ones would only be dimmed by it.
	 */
	buf_puts(out, right - left >= hundredths(MIN_EDGE_PX) ? " w\" d=\"M" : "\" d=\"M");
	put_px(out, left);
	buf_putc(out, ' ');
	buf_put_number(out, box_top(svg, box));
	buf_putc(out, 'h');
	put_px(out, right - left);
	buf_putc(out, 'v');
	buf_put_number(out, svg->row_px - 1);
	buf_putc(out, 'h');
	put_px(out, left - right);
	buf_puts(out, "z\"");
	bool tooltip = right - left >= hundredths(MIN_TOOLTIP_PX);

	buf_puts(out, tooltip ? "><title>" : "/>\n");
	return tooltip;
}

void
flamegraph_svg_end_box(struct flamegraph_svg *svg, bool tooltip)
{
	if (tooltip)
		buf_puts(&svg->boxes, "</title></path>\n");
}

void
flamegraph_svg_label(struct flamegraph_svg *svg, const struct flamegraph_box *box,
	const char *prefix, const char *name)
{
	struct buf *out = &svg->labels;
	long left;
	long right;

	box_edges(svg, box, &left, &right);
	double columns =
		((double)(right - left) / 100 - 2 * FLAMEGRAPH_PADDING_PX) / FLAMEGRAPH_COLUMN_PX;
	double prefix_columns = (double)flamegraph_columns(prefix, strlen(prefix));

	if (columns - prefix_columns < 3)
		return;
	buf_puts(out, "<text x=\"");
	put_px(out, left + FLAMEGRAPH_PADDING_PX * 100L);
	buf_puts(out, "\" y=\"");
	buf_put_number(out, box_top(svg, box) + 12);
	buf_puts(out, "\">");
	buf_puts(out, prefix);
	flamegraph_put_label(out, name, strlen(name), (size_t)(columns - prefix_columns));
	buf_puts(out, "</text>\n");
}

void
flamegraph_svg_bar(struct flamegraph_svg *svg, struct buf *path, const struct flamegraph_box *box,
	double length, unsigned above_px)
{
	buf_putc(path, 'M');
	put_px(path, hundredths(FLAMEGRAPH_MARGIN_PX + box->x * svg->scale));
	buf_putc(path, ' ');
	buf_put_number(path, box_top(svg, box) + svg->row_px - 1 - above_px);
	buf_putc(path, 'h');
	put_px(path, hundredths(length * svg->scale));
}

/* What the classes of assets/flamegraph.css fill with, beside plain colours. */
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
	/* Not "display: none": what hidden elements define is not drawn everywhere. */
	return "<svg class=\"flamegraph-patterns\" width=\"0\" height=\"0\" "
	       "aria-hidden=\"true\" focusable=\"false\">\n" PATTERNS "</svg>\n";
}

static void
put_text(struct buf *out, const char *open, const char *content, const char *close)
{
	buf_puts(out, open);
	buf_puts(out, content);
	buf_puts(out, close);
}

static void
put_layer(struct buf *out, const char *open, const struct buf *content, const char *close)
{
	buf_puts(out, open);
	buf_put(out, buf_text(content), content->len);
	buf_puts(out, close);
}

void
flamegraph_svg_finish(struct flamegraph_svg *svg, const char *title, const struct buf *description,
	const char *attributes, struct buf *out)
{
	unsigned height = svg->top + svg->levels * svg->row_px + FOOT_PX;

	if (!svg->embedded)
		buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n");
	buf_printf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flamegraph\" width=\"%u\" "
		"height=\"%u\" viewBox=\"0 0 %u %u\" role=\"img\" lang=\"en\" data-mode=\"%s\" "
		"data-unit=\"",
		svg->width_px, height, svg->width_px, height, svg->mode);
	escape_xml(out, svg->unit, strlen(svg->unit));
	buf_printf(out,
		"\" data-top=\"%u\" data-row=\"%u\" data-levels=\"%u\" data-icicle=\"%d\"%s>\n",
		svg->top, svg->row_px, svg->levels, svg->icicle, attributes);
	buf_puts(out, "<title>");
	flamegraph_put_name(out, title, strlen(title));
	put_layer(out, "</title>\n<desc>", description, "</desc>\n");
	if (!svg->embedded) {
		put_text(out, "<style>\n", asset_flamegraph_css, "</style>\n");
		buf_puts(out, PATTERNS);
	}
	buf_printf(out, "<path class=\"back\" d=\"M0 0h%uv%uh-%uz\"/>\n", svg->width_px, height,
		svg->width_px);
	put_layer(out, "<g class=\"head\">\n", &svg->head, "</g>\n");
	put_layer(out, "<g class=\"boxes\">\n", &svg->boxes, "</g>\n");
	put_layer(out, "<g class=\"bars\">\n", &svg->bars, "</g>\n");
	put_layer(out, "<g class=\"labels\">\n", &svg->labels, "</g>\n");
	put_layer(out, "<metadata class=\"names\">", &svg->names, "</metadata>\n");
	put_layer(out, "<metadata class=\"boxes\">", &svg->numbers, "</metadata>\n");
	if (!svg->embedded)
		put_text(out, "<script><![CDATA[\n", asset_flamegraph_js, "]]></script>\n");
	buf_puts(out, "</svg>\n");
}
