#include "flamegraph/svg.h"

#include "base/escape.h"
#include "base/mem.h"
#include "format/figures.h"
#include "format/name.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_WIDTH_PX 1200
#define MIN_WIDTH_PX 300
#define MAX_WIDTH_PX FLAMEGRAPH_MAX_WIDTH_PX
#define MIN_BOX_PX 0.1
#define MIN_REST_PX 1.0
#define MIN_LEVEL_PX 12.0
#define MAX_LEVELS 400
#define NARROW_PX 800
#define MAX_NOTE_LINES 20
#define GATHERED_BYTES 50    /* of a tooltip that only counts */
#define SLIVER_BYTES_LESS 22 /* than a box of its own */
#define TEXT_COLUMN_PX 6.8   /* a generous mean of the proportional text */
/* However long names are. */
#define LEAST_BOXES 500
/* Longer than any name that a compiler makes of what somebody wrote. */
#define FULL_NAME_BYTES 100000

static bool
has_long_names(const struct profile *profile)
{
	for (size_t i = 0; i < profile->frames.nframes; i++) {
		const struct frame *frame = &profile->frames.frames[i];

		if (strtab_len(&profile->strings, frame->name) > FLAMEGRAPH_NAME_BYTES_MAX ||
			(frame->full && strtab_len(&profile->strings, frame->full) >
						FLAMEGRAPH_NAME_BYTES_MAX))
			return true;
	}
	return false;
}

struct flamegraph_budget
flamegraph_budget_first(
	const struct profile *profile, const struct flamegraph_options *options, size_t boxes)
{
	struct flamegraph_budget budget = {
		.boxes = options->max_frames > 0 ? options->max_frames : boxes,
		.fixed = options->max_frames > 0,
		.name_bytes = FLAMEGRAPH_NAME_BYTES_MAX,
	};

	/* A page has several pictures, and one limit. */
	if (!options->embedded && has_long_names(profile))
		budget.name_bytes = FULL_NAME_BYTES;
	return budget;
}

bool
flamegraph_budget_is_least(const struct flamegraph_budget *budget)
{
	return budget->name_bytes <= FLAMEGRAPH_NAME_BYTES_MAX &&
	       (budget->fixed || budget->boxes <= LEAST_BOXES);
}

bool
flamegraph_budget_cut(struct flamegraph_budget *budget, size_t bytes)
{
	if (bytes <= FLAMEGRAPH_MAX_BYTES || flamegraph_budget_is_least(budget))
		return false;
	if (budget->name_bytes > FLAMEGRAPH_NAME_BYTES_MAX) {
		budget->name_bytes = FLAMEGRAPH_NAME_BYTES_MAX;
		return true;
	}
	double ratio = fmin(0.9, (double)FLAMEGRAPH_MAX_BYTES / (double)bytes);
	size_t fewer = (size_t)((double)budget->boxes * ratio);

	budget->boxes = fewer > LEAST_BOXES ? fewer : LEAST_BOXES;
	return true;
}

void
flamegraph_svg_init(struct flamegraph_svg *svg, const struct profile *profile,
	const struct flamegraph_options *options, const struct flamegraph_budget *budget)
{
	unsigned width = options->width_px > 0 ? options->width_px : DEFAULT_WIDTH_PX;

	*svg = (struct flamegraph_svg){
		.profile = profile,
		.mode = "plain",
		.unit = "samples",
		.row_px = options->row_px > 0 ? options->row_px : 16,
		.min_width_px = options->min_width_px > 0 ? options->min_width_px : MIN_BOX_PX,
		.name_bytes = budget->name_bytes,
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
	for (size_t i = 0; i < svg->nslivers; i++) {
		buf_release(&svg->slivers[i].shape);
		buf_release(&svg->slivers[i].boxes);
	}
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
		.min_width = svg->min_width_px * unit_per_px,
		.min_rest_width = fmax(MIN_REST_PX, svg->min_width_px) * unit_per_px,
		.max_boxes = max_boxes,
		.max_levels = MAX_LEVELS,
		.min_level_width = MIN_LEVEL_PX * unit_per_px,
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
flamegraph_svg_note(struct flamegraph_svg *svg, const char *note)
{
	size_t columns = (size_t)(drawing_px(svg) / TEXT_COLUMN_PX);
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
		flamegraph_svg_line(svg, "quiet", buf_text(&line));
		end += end < len && text[end] == ' ';
		text += end;
		len -= end;
	}
	buf_release(&line);
	buf_release(&valid);
	buf_release(&spaced);
}

/* What is no name loses its end. */
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

	put_beginning(&text, title, (size_t)((drawing_px(svg) - buttons_px) / 10.5));
	flamegraph_svg_line(svg, "title", buf_text(&text));
	svg->y += 2;
	if (subtitle && *subtitle) {
		buf_clear(&text);
		put_beginning(&text, subtitle, (size_t)(drawing_px(svg) / 7.2));
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
flamegraph_svg_hidden_note(struct flamegraph_svg *svg, const struct flamegraph_layout *layout)
{
	struct buf text = {0};

	svg->hides = layout->hidden_small > 0 || layout->hidden_deep > 0;
	if (layout->hidden_small > 0) {
		format_count(&text, (double)layout->hidden_small);
		buf_puts(&text, layout->hidden_small == 1 ? " frame" : " frames");
		buf_puts(&text, " too small to draw");
	}
	if (layout->hidden_deep > 0) {
		buf_puts(&text, text.len > 0 ? ", " : "");
		format_count(&text, (double)layout->hidden_deep);
		buf_printf(&text, " deeper than the %u levels drawn", layout->levels);
	}
	if (svg->hides) {
		buf_puts(&text, "; their weight is in their callers");
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
		if (name_bytes > svg->name_bytes)
			name_bytes = svg->name_bytes;
		if (box->width * drawing_px(svg) >= FLAMEGRAPH_MIN_TOOLTIP_PX * whole)
			bytes += box->gathered > 0 ? GATHERED_BYTES : name_bytes + tooltip_bytes;
		else
			bytes -= SLIVER_BYTES_LESS;
		bytes += named[frame] ? 0 : name_bytes;
		named[frame] = true;
	}
	free(named);
	return bytes;
}
