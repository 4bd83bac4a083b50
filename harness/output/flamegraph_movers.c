#include "output/flamegraph_movers.h"

#include "base/mem.h"
#include "output/flamegraph_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOP 5
#define NUMBERS_COLUMNS 52
#define TWO_COLUMNS_PX 1000

struct mover {
	struct flamegraph_change change;
	frame_id frame;
	const char *name;
	double worth; /* of the whole, drift taken out; positive for growth */
};

static int
compare_movers(const void *a, const void *b)
{
	const struct mover *x = a;
	const struct mover *y = b;

	if (x->worth != y->worth)
		return x->worth < y->worth ? 1 : -1;
	int order = strcmp(x->name, y->name);

	return order != 0 ? order : (x->frame > y->frame) - (x->frame < y->frame);
}

/* All functions that changed significantly, from most grown to most shrunk; free() them. */
static struct mover *
find_movers(const struct flamegraph_sides *sides, size_t *count)
{
	const struct profile *profile = &sides->comparison->profile;
	struct mover *movers = NULL;
	size_t capacity = 0;

	*count = 0;
	for (frame_id frame = 1; frame < profile->frames.nframes; frame++) {
		struct flamegraph_change change = flamegraph_sides_function(sides, frame);

		if (!change.significant || frame_name_is_mark(profile_frame_name(profile, frame)))
			continue;
		movers = mem_grow(movers, &capacity, *count + 1, sizeof(*movers));
		movers[(*count)++] = (struct mover){
			.change = change,
			.frame = frame,
			.name = profile_frame_name(profile, frame),
			.worth = change.after / sides->drift - change.before,
		};
	}
	if (*count > 1)
		qsort(movers, *count, sizeof(*movers), compare_movers);
	return movers;
}

static void
put_numbers(const struct flamegraph_sides *sides, const struct mover *mover, struct buf *out)
{
	const struct flamegraph_change *change = &mover->change;
	const struct effect *effect = &sides->comparison->self[mover->frame];

	flamegraph_sides_put_costs(sides, change, out);
	buf_puts(out, "  ");
	if (!(change->before > 0)) {
		buf_puts(out, "new");
	} else if (!(change->after > 0)) {
		buf_puts(out, "gone");
	} else if (effect->tested && isfinite(effect->change)) {
		flamegraph_put_change(out, effect->change);
		if (isfinite(effect->low) && isfinite(effect->high)) {
			buf_putc(out, ' ');
			flamegraph_put_interval(out, effect->low, effect->high);
		}
	} else {
		flamegraph_put_change(out, change->ratio);
	}
}

struct column {
	unsigned x;
	unsigned width_px;
};

static void
draw_mover(struct flamegraph_svg *svg, const struct flamegraph_sides *sides,
	const struct mover *mover, const struct column *column)
{
	size_t columns = (size_t)(column->width_px / FLAMEGRAPH_COLUMN_PX);
	size_t name_columns = columns > NUMBERS_COLUMNS + 12 ? columns - NUMBERS_COLUMNS : 12;
	struct buf name;
	struct buf text;

	buf_init(&name);
	buf_init(&text);
	profile_put_frame(&sides->comparison->profile, mover->frame, &name);
	buf_puts(&text, mover->worth > 0 ? "\xe2\x96\xb2 " : "\xe2\x96\xbc ");
	flamegraph_put_label(&text, buf_text(&name), name.len, name_columns - 4);
	flamegraph_svg_text_at(svg, column->x, "mono", &text);
	buf_clear(&text);
	put_numbers(sides, mover, &text);
	flamegraph_svg_text_at(svg,
		column->x + (unsigned)((double)name_columns * FLAMEGRAPH_COLUMN_PX), "mono", &text);
	buf_release(&name);
	buf_release(&text);
}

static void
draw_heading(struct flamegraph_svg *svg, const struct column *column, const char *heading)
{
	struct buf text;

	buf_init(&text);
	buf_puts(&text, heading);
	flamegraph_svg_text_at(svg, column->x, "heading", &text);
	buf_release(&text);
}

/* A heading and its movers, from the current line on; returns the line below. */
static unsigned
draw_list(struct flamegraph_svg *svg, const struct flamegraph_sides *sides,
	const struct mover *const *movers, const struct column *column, const char *heading)
{
	unsigned start = svg->y;
	unsigned end;

	draw_heading(svg, column, heading);
	svg->y += 16;
	if (!movers[0]) {
		struct buf text;

		buf_init(&text);
		buf_puts(&text, "nothing beyond noise");
		flamegraph_svg_text_at(svg, column->x, "quiet", &text);
		buf_release(&text);
		svg->y += 15;
	}
	for (size_t i = 0; movers[i]; i++) {
		draw_mover(svg, sides, movers[i], column);
		svg->y += 15;
	}
	end = svg->y;
	svg->y = start;
	return end;
}

void
flamegraph_movers_draw(struct flamegraph_svg *svg, const struct flamegraph_sides *sides)
{
	const struct mover *grown[TOP + 1] = {0};
	const struct mover *shrunk[TOP + 1] = {0};
	unsigned drawing = svg->width_px - 2 * FLAMEGRAPH_MARGIN_PX;
	bool beside = svg->width_px >= TWO_COLUMNS_PX;
	struct column left = {FLAMEGRAPH_MARGIN_PX, beside ? drawing / 2 : drawing};
	struct column right = left;
	size_t count;
	struct mover *movers = find_movers(sides, &count);

	for (size_t i = 0; i < count && i < TOP && movers[i].worth > 0; i++)
		grown[i] = &movers[i];
	for (size_t i = 0; i < count && i < TOP && movers[count - 1 - i].worth < 0; i++)
		shrunk[i] = &movers[count - 1 - i];
	svg->y += 6;
	unsigned end = draw_list(svg, sides, grown, &left, "Grew most, own cost");

	if (beside)
		right.x += drawing / 2;
	else
		svg->y = end + 6;
	unsigned right_end = draw_list(svg, sides, shrunk, &right, "Shrank most, own cost");

	svg->y = end > right_end ? end : right_end;
	free(movers);
}
