/* The state of a picture, and what stands above its boxes: title, notes, legend, time axis. */
#include "flamegraph/svg.h"

#include "base/escape.h"
#include "base/mem.h"
#include "format/figures.h"
#include "format/name_fit.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_WIDTH_PX 1200
#define MIN_WIDTH_PX 300
#define MAX_WIDTH_PX FLAMEGRAPH_MAX_WIDTH_PX
#define MIN_BOX_PX 0.1
#define MIN_REST_PX 1.0
/* Ticks are at least so far apart: a label is narrower. */
#define LEAST_TICK_PX 90.0
#define NS_PER_S 1e9
#define NARROW_PX 800
#define MAX_NOTE_LINES 20
#define TEXT_COLUMN_PX 6.8 /* a generous mean of the proportional text */

void
flamegraph_svg_init(struct flamegraph_svg *svg, const struct profile *profile, const char *whole,
	const struct flamegraph_options *options, const struct flamegraph_budget *budget)
{
	unsigned width = options->width_px > 0 ? options->width_px : DEFAULT_WIDTH_PX;

	*svg = (struct flamegraph_svg){
		.profile = profile,
		.mode = "plain",
		.unit = "samples",
		.row_px = options->row_px > 0 ? options->row_px : 16,
		.least_px = options->min_width_px > 0 ? options->min_width_px : MIN_BOX_PX,
		.least_data = options->min_width_px,
		.name_bytes = budget->name_bytes,
		.function_bytes = budget->function_bytes,
		.icicle = options->icicle,
		.fixed = options->width_px > 0,
		.embedded = options->embedded,
		.coarse = options->coarse,
		.page = options->page,
		.still = options->still,
		.y = 24,
	};
	svg->width_px = width < MIN_WIDTH_PX   ? MIN_WIDTH_PX
			: width > MAX_WIDTH_PX ? MAX_WIDTH_PX
					       : width;
	if (svg->width_px < NARROW_PX)
		svg->y += 20; /* its own line for the buttons that the script adds */
	svg->name_lines = mem_zalloc(profile->frames.nframes + 1, sizeof(*svg->name_lines));
	flamegraph_svg_first_names(svg, whole);
}

void
flamegraph_svg_release(struct flamegraph_svg *svg)
{
	buf_release(&svg->head);
	buf_release(&svg->boxes);
	buf_release(&svg->labels);
	buf_release(&svg->bars);
	buf_release(&svg->axis);
	free(svg->ends);
	buf_release(&svg->names);
	buf_release(&svg->hidden);
	buf_release(&svg->numbers);
	for (size_t i = 0; i < svg->nslivers; i++) {
		buf_release(&svg->slivers[i].shape);
		free(svg->slivers[i].last);
	}
	free(svg->name_lines);
}

struct flamegraph_limits
flamegraph_svg_limits(const struct flamegraph_svg *svg, double whole, size_t max_boxes)
{
	double unit_per_px = whole / flamegraph_svg_drawing_px(svg);

	return (struct flamegraph_limits){
		.min_width = svg->least_data * unit_per_px,
		.min_rest_width = fmax(MIN_REST_PX, svg->least_data) * unit_per_px,
		.max_boxes = max_boxes,
	};
}

void
flamegraph_svg_text_at(struct flamegraph_svg *svg, unsigned x, const char *class, const char *text)
{
	buf_printf(&svg->head, "<text class=\"%s\" x=\"%u\" y=\"%u\">", class, x, svg->y);
	buf_puts(&svg->head, text);
	buf_puts(&svg->head, "</text>\n");
}

void
flamegraph_svg_line(struct flamegraph_svg *svg, const char *class, const char *text)
{
	flamegraph_svg_text_at(svg, FLAMEGRAPH_MARGIN_PX, class, text);
	svg->y += FLAMEGRAPH_LINE_PX;
}

/* Bytes of the first line of `text`, broken between words where it can be. */
static size_t
line_bytes(const char *text, size_t len, size_t columns)
{
	size_t end = name_head(text, len, columns);
	size_t space = end;

	if (end == len)
		return end;
	while (space > 0 && text[space] != ' ')
		space--;
	return space > 0 ? space : end;
}

void
flamegraph_svg_note(struct flamegraph_svg *svg, const char *class, const char *note)
{
	size_t columns = (size_t)(flamegraph_svg_drawing_px(svg) / TEXT_COLUMN_PX);
	struct buf spaced = {0};
	struct buf valid = {0};
	struct buf line = {0};

	buf_puts(&spaced, note);
	for (size_t i = 0; i < spaced.len; i++)
		spaced.data[i] = isspace((unsigned char)spaced.data[i]) ? ' ' : spaced.data[i];
	escape_utf8(&valid, buf_text(&spaced), spaced.len);
	const char *text = buf_text(&valid);
	size_t len = valid.len;

	for (unsigned n = 0; len > 0 && n < MAX_NOTE_LINES; n++) {
		size_t end = line_bytes(text, len, columns);

		buf_clear(&line);
		escape_xml(&line, text, end);
		flamegraph_svg_line(svg, class, buf_text(&line));
		end += end < len && text[end] == ' ';
		text += end;
		len -= end;
	}
	buf_release(&line);
	buf_release(&valid);
	buf_release(&spaced);
}

/* Appends a text that is no name, cut at its end to fit. */
static void
put_beginning(struct buf *out, const char *text, size_t columns)
{
	struct buf valid = {0};

	escape_utf8(&valid, text, strlen(text));
	bool fits = name_columns(buf_text(&valid), valid.len) <= columns;

	escape_xml(out, buf_text(&valid),
		fits ? valid.len : name_head(buf_text(&valid), valid.len, columns - 1));
	buf_puts(out, fits ? "" : name_picture.ellipsis);
	buf_release(&valid);
}

void
flamegraph_svg_title(struct flamegraph_svg *svg, const char *title, const char *subtitle)
{
	struct buf text = {0};

	double buttons_px = svg->width_px < NARROW_PX ? 0 : 360;

	put_beginning(&text, title, (size_t)((flamegraph_svg_drawing_px(svg) - buttons_px) / 10.5));
	flamegraph_svg_line(svg, "title", buf_text(&text));
	svg->y += 2;
	if (subtitle && *subtitle) {
		buf_clear(&text);
		put_beginning(&text, subtitle, (size_t)(flamegraph_svg_drawing_px(svg) / 7.2));
		flamegraph_svg_line(svg, "subtitle", buf_text(&text));
	}
	buf_release(&text);
}

void
flamegraph_svg_swatch(
	struct flamegraph_svg *svg, unsigned *x, const char *class, const char *meaning)
{
	unsigned width = 32 + (unsigned)(7.5 * (double)name_columns(meaning, strlen(meaning)));

	if (*x + width > svg->width_px - FLAMEGRAPH_MARGIN_PX && *x > FLAMEGRAPH_MARGIN_PX) {
		*x = FLAMEGRAPH_MARGIN_PX;
		svg->y += FLAMEGRAPH_LINE_PX;
	}
	buf_printf(&svg->head,
		"<path class=\"%s\" d=\"M%u %uh14v12h-14z\"/><text x=\"%u\" y=\"%u\">", class, *x,
		svg->y - 10, *x + 18, svg->y);
	escape_xml(&svg->head, meaning, strlen(meaning));
	buf_puts(&svg->head, "</text>\n");
	*x += width;
}

void
flamegraph_svg_hidden_note(struct flamegraph_svg *svg, size_t hidden)
{
	struct buf text = {0};

	if (hidden == 0)
		return;
	format_count(&text, (double)hidden);
	buf_puts(&text, hidden == 1 ? " frame, the smallest, is" : " frames, the smallest, are");
	buf_puts(&text, " left out of this file; the weight is in the callers.");
	if (svg->functions > 0)
		buf_puts(&text, " Search finds their functions.");
	if (svg->unlisted > 0) {
		buf_puts(&text, " Search does not find ");
		format_count(&text, (double)svg->unlisted);
		buf_puts(&text, svg->unlisted == 1 ? " small function." : " small functions.");
	}
	flamegraph_svg_note(svg, "quiet", buf_text(&text));
	buf_release(&text);
}

/* The smallest of 1, 2 and 5 times a power of ten that is not less. */
static double
round_step(double least)
{
	double step = pow(10, floor(log10(least)));

	while (step < least * (1 - 1e-9))
		step *= fabs(step / pow(10, floor(log10(step) + 1e-9)) - 2) < 0.1 ? 2.5 : 2;
	return step;
}

void
flamegraph_svg_axis(struct flamegraph_svg *svg, double begin_ns, double end_ns)
{
	const double begin = begin_ns / NS_PER_S;
	const double seconds = (end_ns - begin_ns) / NS_PER_S;
	const double width = flamegraph_svg_drawing_px(svg);

	if (!(seconds > 0))
		return;
	const double step = round_step(seconds * LEAST_TICK_PX / width);
	const int decimals = (int)fmin(12, fmax(0, ceil(-log10(step) - 1e-9)));

	const double first = ceil(begin / step - 1e-9);

	/* Counted: of a moment far from the start, the next one may be the same number. */
	for (unsigned i = 0; i <= width / LEAST_TICK_PX + 1; i++) {
		const double k = first + i;

		if (k * step > begin + seconds)
			break;
		const double x = FLAMEGRAPH_MARGIN_PX + (k * step - begin) / seconds * width;

		buf_printf(&svg->axis, "<path d=\"M%.2f %uv5\"/>", x, svg->top - 6);
		if (x + LEAST_TICK_PX / 2 < svg->width_px)
			buf_printf(&svg->axis,
				"<text x=\"%.2f\" y=\"%u\" stroke=\"none\">%.*f s</text>", x + 3,
				svg->top - 4, decimals, k * step);
		buf_putc(&svg->axis, '\n');
	}
}
