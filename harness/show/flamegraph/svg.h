/*
 * The drawing of a flame graph: the parts that plain and differential pictures share.
 *
 * A picture is composed from the top: heading lines, legend, then the boxes, for which the space is
 * reserved by flamegraph_svg_start_boxes(). flamegraph_svg_finish() writes the document.
 *
 * Only boxes that are visible in the whole picture have shapes. Boxes too narrow to point at are
 * slivers: all of a colour are one shape, in which neighbours run together. Boxes narrower than a
 * tenth of a pixel have no shape: adjacent ones are one box "too small to draw".
 *
 * The script's data is in three <metadata> elements, and has all boxes of the layout. class "names"
 * has a line a function: name, classes of its boxes, module, place in the source, full name,
 * separated by tabs; line 0 stands for gathered small frames, line 1 for the whole. class
 * "functions" has a line for each function with nodes that are not in the layout; these are the
 * first of the names. It has the weight of those nodes, without nodes below another of the same
 * name. class "boxes" has a line a box: depth, below zero for the callers in a sandwich; line of
 * its name; then numbers as `mode` says.
 *
 * The numbers of a plain picture: width, self; without a self it is 0, or of a box with nothing
 * above it all of its width. Of a chart: width, gap before it (from the end of the sibling before,
 * or the begin of what it stands on), then self likewise. Of a difference: width, class by total,
 * then of the total the costs before and after, the change and the half width of its 95 % interval:
 * 100 times that of ln(1 + change), "-" where none is known, and where the interval's middle is not
 * the change ":" and 100 times how far it is above it (s below). Then the same of self, class
 * included:
 * "=" where it equals the total, nothing where there is none. With the whole's costs in the
 * attributes of the document and h such a half width, a tooltip in C or the script reads
 *
 *     low, high = (1 + change) * exp((s -+ h) / 100) - 1
 *     total 29.9 % -> 31.0 %, 422 ms -> 442 ms per run, +4.7 % [3.2, 6.2], significant
 *     self 19.8 % -> 19.6 %, 280 ms -> 279 ms per run, -0.4 % [-2.1, 1.4], within noise
 *     total 2.1 % -> 9.3 %, 210 -> 925 samples, x4.4 [3.2, 6.0], significant
 *     total 4.8 % -> 0.0 %, 200 -> 0 samples, gone, significant
 *
 * with "new" for what was not there before, no interval where h is 0 (counted exactly) or unknown,
 * "within noise" for the classes z and q and "significant" for all others. For the whole, neither
 * change nor verdict is shown.
 *
 * In a page with a list of functions (metadata class "page-names": lines of name, module, place,
 * full name), data-packed="drift whole-width" says that all of this is in numbers by packed.h.
 * "names" has a signed number a function, its line in that list less the one before, then its
 * classes in braces, if any. Of a difference, "functions" has two numbers each, in units of 1e-6;
 * and "boxes" for each box: depth of the box before, less its own, plus 1; 0 for gathered small
 * frames and then their width; else 1 + twice the line of its name less that of the last box with
 * one (or twice its size, if below zero); f; the change of the total; by how much the box is wider
 * than that says; and by the lowest bits of f (0: no self, 1: the same, 2: another) f and the
 * change of self. A change is: the size before; by how much it is larger after; if f has the bit 1,
 * the change in 1e-6, else it is that of the sizes with the drift taken out; the half width + 1, 0
 * if it is not known, of 1e-5; and if f has the bit 2, signed, how far its middle is above. Behind
 * both is the class, in the order that assets/packed.js has; f of the total has all of that shifted
 * by two bits. Sizes are shares of their side, and like widths, of the whole width, in units of
 * 1e-8.
 *
 * data-zoom is the name of the function whose caller the script zooms to at first. data-bar-before
 * and data-bar-after are the costs of one unit of width; the two lines of a box are its costs
 * divided by them. With data-negate="1" the classes that stand for growth are those of the other
 * hue: the signs beside the colour still say what happened (g and new: shrunk and gone).
 */
#ifndef FLAMEGRAPH_SVG_H
#define FLAMEGRAPH_SVG_H

#include "base/buf.h"
#include "flamegraph/budget.h"
#include "flamegraph/flamegraph.h"
#include "flamegraph/layout.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLAMEGRAPH_MARGIN_PX 10
#define FLAMEGRAPH_LINE_PX 17
#define FLAMEGRAPH_COLUMN_PX 6.63     /* of the monospaced labels */
#define FLAMEGRAPH_PADDING_PX 3       /* between a box's edge and its label */
#define FLAMEGRAPH_MIN_TOOLTIP_PX 1.0 /* nobody can point at less */
#define FLAMEGRAPH_MAX_WIDTH_PX 20000
#define FLAMEGRAPH_CLASSES_MAX 64
/* Lines of the names before those of functions: small frames, and the whole. */
#define FLAMEGRAPH_FIRST_LINES 2

/* Hundredths of a pixel, the precision of everything that is written. */
struct flamegraph_span {
	long left;
	long right;
};

/* All slivers of a class. */
struct flamegraph_slivers {
	char class[8];
	struct buf shape;
	struct flamegraph_span *last; /* by row: the span that the next one may extend */
};

struct flamegraph_svg {
	const struct profile *profile;
	const char *mode; /* "plain", "diff" or "chart" */
	const char *unit; /* of the numbers in the data */
	unsigned width_px;
	unsigned row_px;
	double least_px;       /* narrower boxes are not drawn, */
	double least_data;     /* or not even in the data */
	size_t name_bytes;     /* in tooltips: a longer name loses its middle */
	size_t function_bytes; /* for functions with nodes that are not in the layout */
	bool icicle;
	bool fixed;                   /* the width is as requested, whatever the window's */
	bool embedded;                /* in a page that has style, script and patterns */
	bool coarse;                  /* without the script, only boxes with a name are drawn */
	struct flamegraph_page *page; /* the list of its functions; NULL: none */
	size_t page_bytes;            /* added to that list */
	uint32_t page_line;           /* the last of its lines that was referred to */
	bool still;                   /* without script and data */
	bool chart;                   /* x is time */

	unsigned y;          /* where the next heading line goes */
	unsigned top;        /* of the boxes */
	uint32_t rows;       /* drawn, of all boxes */
	uint32_t root;       /* the row of the whole */
	uint32_t levels;     /* drawn, of the boxes that follow */
	int step;            /* in rows, from a level to the next */
	bool callers;        /* of a sandwich: what follows is drawn above the whole */
	size_t functions;    /* with nodes that are not in the layout, listed, */
	size_t unlisted;     /* or not listed */
	size_t listed_bytes; /* of the list, with the names */
	double scale;        /* pixels a unit of width */

	/* Appends the classes that all boxes of a function have. */
	void (*put_classes)(const void *context, frame_id frame, struct buf *out);
	const void *context;

	struct buf head; /* finished elements, by layer */
	struct buf boxes;
	struct buf labels;
	struct buf bars;
	struct buf axis;
	struct buf names; /* the data */
	struct buf hidden;
	struct buf numbers;
	uint32_t last_name;   /* in the packed numbers: of the box before, */
	uint32_t last_depth;  /* and its depth + 1; at first 0 */
	uint32_t *name_lines; /* by frame_id; 0: not written yet */
	uint32_t nnames;
	double *ends; /* of a chart, by depth: of the last box there */
	size_t ends_capacity;
	uint32_t skipped; /* depth of the last box that was too narrow, UINT32_MAX if drawn */
	struct flamegraph_slivers slivers[FLAMEGRAPH_CLASSES_MAX];
	size_t nslivers;
};

/* `whole` is the name of the root box. */
void flamegraph_svg_init(struct flamegraph_svg *svg, const struct profile *profile,
	const char *whole, const struct flamegraph_options *options,
	const struct flamegraph_budget *budget);
void flamegraph_svg_release(struct flamegraph_svg *svg);

/* The width that boxes share: that of the picture without its margins. */
static inline double
flamegraph_svg_drawing_px(const struct flamegraph_svg *svg)
{
	return (double)svg->width_px - 2 * FLAMEGRAPH_MARGIN_PX;
}

/* Whether numbers are packed: of the differences in a page. */
static inline bool
flamegraph_svg_is_packed(const struct flamegraph_svg *svg)
{
	return svg->page && svg->mode[0] == 'd';
}

/* The limits that follow from the picture's width, for widths that sum up to `whole`. */
struct flamegraph_limits flamegraph_svg_limits(
	const struct flamegraph_svg *svg, double whole, size_t max_boxes);

/* Title and, unless NULL, subtitle: plain text, shortened to the width. */
void flamegraph_svg_title(struct flamegraph_svg *svg, const char *title, const char *subtitle);
/*
 * A line of text that is escaped already, in a class of assets/flamegraph.css; "legend": the script
 * folds it on a phone.
 */
void flamegraph_svg_line(struct flamegraph_svg *svg, const char *class, const char *text);
/* Plain text in as many lines as it takes, at most 20. */
void flamegraph_svg_note(struct flamegraph_svg *svg, const char *class, const char *note);
/* A text that is escaped already at `x`, without moving on. */
void flamegraph_svg_text_at(
	struct flamegraph_svg *svg, unsigned x, const char *class, const char *text);
/* One sample of a colour with its meaning, from *x on, which moves behind it. */
void flamegraph_svg_swatch(
	struct flamegraph_svg *svg, unsigned *x, const char *class, const char *meaning);
/* A note of how many frames, and functions by flamegraph_svg_functions(), were left out, if any. */
void flamegraph_svg_hidden_note(struct flamegraph_svg *svg, size_t hidden);

/*
 * Lists by function the nodes that are not in the layout, so that search finds all functions and
 * knows their shares: weights[nweights] are totals by node, at most two. The largest by the first
 * weight come first; those beyond `function_bytes` are only counted.
 */
void flamegraph_svg_functions(struct flamegraph_svg *svg, const struct flamegraph_layout *layout,
	const double *const *weights, size_t nweights);

/*
 * About how many bytes the boxes and the names of a layout will take: `data` for each box and
 * `shape` more for what is drawn, `tooltip` beside the name where it is wide enough for a tooltip.
 */
struct flamegraph_box_bytes {
	size_t data;
	size_t shape;
	size_t tooltip;
};
size_t flamegraph_svg_guess_bytes(const struct flamegraph_svg *svg,
	const struct flamegraph_layout *layout, const struct flamegraph_box_bytes *each);
/* How many boxes are left where as many of the narrowest are left out as take `surplus` bytes. */
size_t flamegraph_svg_fitting(const struct flamegraph_svg *svg,
	const struct flamegraph_layout *layout, const struct flamegraph_limits *limits,
	const struct flamegraph_box_bytes *each, size_t surplus);

/*
 * How many levels of the layout are drawn: up to the last one with a box of 4 px, or with boxes
 * that together are as wide as a name; of a chart, where a narrow box is a moment, up to the last
 * one with any box. Beyond 60 levels, only those as wide as a name; at most 400. Deep stacks that
 * are too narrow to see do not make a picture tall.
 */
uint32_t flamegraph_svg_levels(
	const struct flamegraph_svg *svg, const struct flamegraph_layout *layout, double whole);
/* Fixes where the boxes go: `levels` above the whole, or below it in an icicle. */
void flamegraph_svg_start_boxes(struct flamegraph_svg *svg, uint32_t levels, double whole);
/*
 * Fixes where the boxes of a sandwich go: `above` and `below` levels, both with the whole. The
 * boxes drawn next are those below it.
 */
void flamegraph_svg_start_sandwich(
	struct flamegraph_svg *svg, uint32_t above, uint32_t below, double whole);
/* Whether the box is drawn; of one that is not, its data is all there is. */
bool flamegraph_svg_shows(struct flamegraph_svg *svg, const struct flamegraph_box *box);
/*
 * Draws a box. True if it is wide enough for a tooltip: the caller then appends its escaped text to
 * svg->boxes. flamegraph_svg_end_box() must follow in any case.
 */
bool flamegraph_svg_begin_box(
	struct flamegraph_svg *svg, const struct flamegraph_box *box, const char *class);
void flamegraph_svg_end_box(struct flamegraph_svg *svg, bool tooltip);
/* Draws the slivers; called after all boxes. */
void flamegraph_svg_flush(struct flamegraph_svg *svg);
/* `prefix` and name in a box, as far as they fit. */
void flamegraph_svg_label(struct flamegraph_svg *svg, const struct flamegraph_box *box,
	const char *prefix, const char *name);
/* Appends a line along the lower edge of a box, `above_px` over it, as part of a path. */
void flamegraph_svg_bar(struct flamegraph_svg *svg, struct buf *path,
	const struct flamegraph_box *box, double length, unsigned above_px);

/* Starts a box's line of data: depth, name and width, and of a chart the gap before it. */
void flamegraph_svg_data(struct flamegraph_svg *svg, const struct flamegraph_box *box);
void flamegraph_svg_data_number(struct flamegraph_svg *svg, double value);
/* Starts a box's packed data: depth, name, and of small frames the width; see above. */
void flamegraph_svg_packed_data(
	struct flamegraph_svg *svg, const struct flamegraph_box *box, double whole);
/* The units of packed sizes and widths. */
#define FLAMEGRAPH_PACKED_UNITS 1e8
/* Starts the names: those of small frames and of the whole. */
void flamegraph_svg_first_names(struct flamegraph_svg *svg, const char *whole);

/*
 * The line of a tooltip that says where a function is: module, file:line, and its full name where
 * that is not the one shown. Nothing if unknown.
 */
void flamegraph_svg_put_place(const struct flamegraph_svg *svg, frame_id frame, struct buf *out);

/* The room of a chart's axis above its boxes. */
#define FLAMEGRAPH_AXIS_PX 16
/*
 * The time axis of a flame chart between two times: labelled ticks at a round distance. The boxes'
 * place is fixed. assets/axis.js draws the same for what is zoomed to.
 */
void flamegraph_svg_axis(struct flamegraph_svg *svg, double begin_ns, double end_ns);

/* Appends the document. `attributes` are data-* attributes for the script, or "". */
void flamegraph_svg_finish(struct flamegraph_svg *svg, const char *title,
	const struct buf *description, const char *attributes, struct buf *out);

#endif
